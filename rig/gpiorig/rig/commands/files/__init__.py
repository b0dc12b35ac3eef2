"""The verbs measure, decode, radio, latency, clocks: of any capture or log."""
