"""Export of recordings to other tools."""
