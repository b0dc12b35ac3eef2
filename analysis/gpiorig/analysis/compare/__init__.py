"""Limits that one run must meet, and what changed between two."""
