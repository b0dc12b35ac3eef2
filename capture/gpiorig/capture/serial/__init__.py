"""Serial lines of nodes: ports, records, lines."""
