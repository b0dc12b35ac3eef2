"""Experiments: settings of nodes, destinations, limits, images."""
