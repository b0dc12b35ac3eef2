"""Results of a capture that still runs, read from the growing recording."""
