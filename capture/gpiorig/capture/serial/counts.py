"""Faults between serial line and disk, in numbers."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Counts:
    """How late the recorder of a port was, and the errors that the driver counted.

    Attributes
    ----------
    reads, bytes
        Reads that gave something, and bytes received.
    most_waiting_bytes
        Most bytes that a read found waiting in the kernel.
    late_reads
        Reads that found a tty's entire input buffer or more: the driver was held up.
    most_unwritten_bytes
        Most bytes that waited to be written to disk.
    losses
        How often the port was gone.
    driver
        The driver's counts of errors since it was opened first: frame, overrun, parity, break, buffer_overrun. Empty
        when it does not count.
    """

    reads: int = 0
    bytes: int = 0
    most_waiting_bytes: int = 0
    late_reads: int = 0
    most_unwritten_bytes: int = 0
    losses: int = 0
    driver: dict[str, int] = field(default_factory=dict)
