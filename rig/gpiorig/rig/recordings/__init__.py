"""Opened recordings: bench, instruments, inputs, provenance; import and merge."""
