"""Who had the processor while a packet was under way."""
