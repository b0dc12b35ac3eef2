"""Clocks against each other: unwrapping, robust fits, offsets that can only be late, stability."""
