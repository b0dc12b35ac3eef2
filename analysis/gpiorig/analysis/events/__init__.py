"""Events: what the probes wrote to the pins, decoded."""
