"""The baud rate of a line, from its pulses."""

from __future__ import annotations

import numpy as np

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.errors import CaptureError

# Rates in use: termios.h, those of IoT-LAB's and TelosB's serial adapters, and powers of two of 115200.
BAUDRATES = (
    1200,
    2400,
    4800,
    9600,
    19200,
    38400,
    57600,
    115200,
    230400,
    250000,
    460800,
    500000,
    921600,
    1000000,
    1500000,
    2000000,
    3000000,
)
FITS = 0.2  # of a bit: how far a pulse may be from complete bits
ENOUGH = 0.98  # of the pulses must fit
WIDEST_BITS = 10  # a longer pulse holds idle time


def estimate_baudrate(edges: Edges, channel: str) -> int:
    """Return the usual baud rate that fits the pulses on a line.

    The line rests at the level that it has for longer; all pulses of the other one are an integer number of bits
    long. At twice the true rate they are so as well, so the lowest rate that fits is returned: a line that carries
    nothing but characters whose pulses are all even is taken for half its rate.

    Raises
    ------
    CaptureError
        There are too few pulses, or no usual rate fits them.
    """
    samples, levels = edges.channel(channel)
    lengths = np.diff(samples)
    high = levels[:-1] == 1
    rests_high = lengths[high].sum() >= lengths[~high].sum()
    widths = lengths[high != rests_high].astype(np.float64)
    for baudrate in BAUDRATES:
        bits = widths * (baudrate / float(edges.samplerate_hz))
        bits = bits[bits < WIDEST_BITS]
        if bits.size < WIDEST_BITS:
            continue
        rounded = np.round(bits)
        if np.mean((np.abs(bits - rounded) < FITS) & (rounded >= 1)) >= ENOUGH:
            return baudrate
    raise CaptureError(
        f"no usual baud rate fits the {widths.size} pulses of channel {channel!r}", remedy="give the baud rate"
    )
