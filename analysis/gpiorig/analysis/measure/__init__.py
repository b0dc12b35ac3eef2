"""Delays between edges, between lines of logs, between frames: captures of any origin."""
