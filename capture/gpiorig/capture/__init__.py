"""Recordings of pins and serial ports: supervising sigrok-cli, edges, the recording folder, file formats."""
