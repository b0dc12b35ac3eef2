"""Traces for Perfetto and PulseView."""
