"""What this machine has: USB devices, serial ports, programs, permissions, analyzers and their firmware."""
