"""What makes the boards look like hardware: analyzers, USB, serial ports, debug ports, and their pace."""
