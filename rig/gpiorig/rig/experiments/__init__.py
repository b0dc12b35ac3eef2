"""Experiments: settings, limits, images."""
