"""Limits of one run, and what changed between two."""
