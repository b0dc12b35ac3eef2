"""A study over several runs: statistics over repeats, figures, published values beside ours, pages."""
