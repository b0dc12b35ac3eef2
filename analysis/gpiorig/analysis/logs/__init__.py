"""Logs of the nodes."""
