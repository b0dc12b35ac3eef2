"""Buses on channels: the symbol bus of the probes, UART, SPI."""
