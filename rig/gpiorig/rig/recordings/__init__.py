"""What belongs to a recording: bench, instruments, inputs, provenance."""
