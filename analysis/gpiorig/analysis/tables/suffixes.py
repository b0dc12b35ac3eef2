"""Suffixes of the files that `stages` writes tables into."""

SUFFIXES = (".parquet", ".csv", ".arrow", ".feather", ".tex")
