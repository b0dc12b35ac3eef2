"""Layers of a firmware by name, as the event table has them."""

PACKET_LAYERS = ("app", "sock", "udp", "ipv6", "sixlowpan", "mac", "driver", "radio")
DOWN = PACKET_LAYERS[:-1]  # layers that run on the processor, in the order in which a packet is sent
INTERRUPT = "isr"
WAYS = ("tx", "rx")
