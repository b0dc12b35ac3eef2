"""Hooks: what must be there (`table`), whether it is (`image`, `debug`, `check`) and works (`selftest`)."""
