"""Packets over any number of nodes: who sent which frame, who read it, hop by hop."""
