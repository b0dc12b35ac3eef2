"""Frames on a radio's SPI bus and on the air."""
