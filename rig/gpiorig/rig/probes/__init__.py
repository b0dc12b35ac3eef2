"""Hooks and probes: what an image must have, whether it has it, whether it works, what it costs."""
