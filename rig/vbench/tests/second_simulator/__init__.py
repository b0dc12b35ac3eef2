"""The same sky images on the virtual TelosB and on MSPSim, edge by edge (docs/guide/second-simulator.md)."""
