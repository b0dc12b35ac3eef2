"""Clocks of several analyzers: sync line, alignment, heartbeat."""
