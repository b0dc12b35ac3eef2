"""Processor occupancy while a packet was in transit."""
