"""How many packets an experiment may send."""

MAX_PACKETS = 65_535  # a packet id has 16 bits, and 0 means none
