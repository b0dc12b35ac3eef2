"""Frames of IEEE 802.15.4 and the records that hold them."""
