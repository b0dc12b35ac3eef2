"""Pages of recordings served on this machine, with what a file cannot hold."""
