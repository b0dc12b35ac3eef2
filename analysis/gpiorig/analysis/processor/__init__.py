"""Occupancy of the processor while a packet was in transit: layers, tasks, threads, interrupts."""
