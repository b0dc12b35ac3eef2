"""The work of `measure`, `latency` and `clocks`."""
