"""Intervals, resampling and tests for packets that depend on each other."""
