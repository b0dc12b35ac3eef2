"""Delays of routes: instruments, uncertainty, jitter, budget."""
