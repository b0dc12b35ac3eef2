"""Edges and waveforms: changes of level by sample number."""
