"""Energy: a power trace in the time of the analyzer, its integral over steps with ±, and estimates from states."""
