"""From a recording to its results."""
