"""The file that a FlockLab 2 observer writes while it traces: ticks and pins in 32 bits.

A record is a little-endian uint32: in bits 31 to 8 the ticks since the one before, in bits 7 to 0 the pins; 0 ends the
file. Pins and record are those of `parse_tracing_data` in pru/fl_logic/fl_logic.c of ETHZ-TEC/FlockLab2-Observer.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from gpiorig.capture.binary_header import is_bare
from gpiorig.capture.edges.changes import Assembler, Changes, assembled, changes
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Block, RateOrigin, Waveform
from gpiorig.capture.errors import FormatError

SUMMARY = "FlockLab 2 observer's raw trace"
SUFFIXES = (".dat",)
LATE = 7
SAMPLERATE_HZ = Fraction(10_000_000)  # FlockLab 2's manual, "Services"; other builds: 1 MHz, 100 kHz, 6.25 MHz
PINS = ("LED1", "LED2", "LED3", "INT1", "INT2", "SIG1", "SIG2", "nRST")  # PIN_NAMES in fl_logic.c
BLOCK_RECORDS = 1 << 18


def recognises(path: Path, head: bytes) -> bool:
    """Whether the name matches; the content only shows what is something else."""
    return is_bare(head) and path.suffix.lower() in SUFFIXES


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read a raw trace as a waveform; sample 0 is the start of the trace, 10 MHz unless a rate is given."""
    size = path.stat().st_size
    if size % 4:
        raise FormatError(
            f"{size} bytes are not an integer number of records", where=path, remedy="it was cut short: save it again"
        )
    channels = options.channels or PINS
    if len(channels) > len(PINS):
        raise FormatError(f"{len(channels)} names for {len(PINS)} pins", where=path, remedy="name at most 8")
    remarks: list[str] = []

    def read_blocks() -> Iterator[Block]:
        remarks.clear()
        yield from assembled(_records(path), Assembler(used=(1 << len(channels)) - 1), remarks=remarks)

    return Waveform(
        samplerate_hz=options.samplerate_hz or SAMPLERATE_HZ,
        channels=tuple(channels),
        read=read_blocks,
        source=f"FlockLab raw trace {path.name}; bit 7 may be PPS between the first and the last record",
        remarks=remarks,
        rate_origin=RateOrigin.OPTION if options.samplerate_hz else RateOrigin.FILE,
    )


def _records(path: Path) -> Iterator[Changes]:
    time = 0
    with path.open("rb") as file:
        while data := file.read(4 * BLOCK_RECORDS):
            words = np.frombuffer(data, dtype="<u4")
            ends = np.flatnonzero(words == 0)
            if ends.size:
                words = words[: ends[0]]
            if words.size:
                times = time + np.cumsum(words >> 8, dtype=np.int64)
                time = int(times[-1])
                yield changes(times, 0xFF, (words & 0xFF).astype(np.uint64))
            if ends.size:
                return
