"""Images onto boards: OpenOCD and the bootstrap loader, the adapter of each board, and what was read back."""
