"""The study of a recording."""
