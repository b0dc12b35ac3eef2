"""Delays of routes: statistics, uncertainty, jitter, the budget, the cost of the probes."""
