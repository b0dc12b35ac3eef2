"""Logs of nodes: the text lines of a firmware, and the events that it kept in memory."""
