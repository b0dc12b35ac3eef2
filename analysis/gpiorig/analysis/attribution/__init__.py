"""Attribution: what a step waits for. Tests for structure in its delays, each finding with its evidence."""
