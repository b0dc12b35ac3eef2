"""Hooks: what an image must have (`table`), whether it has it (`image`, `debug`, `check`) and they work (`selftest`)."""
