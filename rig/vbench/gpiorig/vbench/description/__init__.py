"""The `[virtual]` section of a bench file: what only a virtual bench has."""
