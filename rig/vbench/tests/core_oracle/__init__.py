"""Differential test of the ARMv7-M core against Unicorn: encodings, random vectors, the two machines."""
