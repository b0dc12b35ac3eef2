"""The recording folder: its description and its segments of edges."""
