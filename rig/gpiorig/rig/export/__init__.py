"""Export of recordings to other tools: PulseView, sigrok decoders, traces, tables."""
