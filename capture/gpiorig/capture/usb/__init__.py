"""USB devices of this machine and what sigrok takes as their connection."""
