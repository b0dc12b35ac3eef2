"""A bench that is not there yet: which analyzers do it, its file, its wiring, what it resolves and takes."""
