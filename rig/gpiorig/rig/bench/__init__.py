"""Benches: boards, analyzers, nodes, their lines."""
