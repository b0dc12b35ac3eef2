"""A study over several runs: statistics over repeats, figures, published values next to ours, pages."""
