"""Delays between edges, log lines and frames."""
