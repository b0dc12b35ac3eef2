"""Power traces: volts and amperes over time, of the instruments that record them, block by block."""
