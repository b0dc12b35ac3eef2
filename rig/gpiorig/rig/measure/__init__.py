"""The input and output of `measure`, `latency` and `clocks`: channels, log lines, times."""
