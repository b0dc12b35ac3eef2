"""All results of one recording: its analysis, and the statistics of it."""
