"""Bench files: boards, analyzers, nodes and their lines, the world of a virtual bench."""
