"""Clocks of several analyzers: sync line, frames on the air, alignment, heartbeat."""
