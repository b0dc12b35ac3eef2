"""Running an experiment and recording it."""
