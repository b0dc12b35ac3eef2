"""The showings of rows on a line: each is announced by eight pulses (firmware-gpio-probes/reference/certify/main.c)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import Edges

Samples: TypeAlias = NDArray[np.int64]

# Limits of what main.c shows, in us: the quiet before a code, the low after a bit, a long bit at least and at most. A
# board's timer_spin takes up to 60 us more, and a clock is off by up to a tenth.
QUIET_US, BETWEEN_US, LONG_US, LONGEST_US = 850, 150, 120, 400
BITS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Showing:
    """A row that was shown.

    Attributes
    ----------
    code
        Of the row.
    rises, falls
        int64, shape (n,): the samples of its pulses.
    """

    code: int
    rises: Samples
    falls: Samples


@dataclass(frozen=True, slots=True, eq=False)
class Showings:
    """All that a line has shown between its first code and its last, whose pulses may be cut off; damaged codes."""

    showings: tuple[Showing, ...]
    damaged: int


def read(edges: Edges, channel: str) -> Showings:
    """The showings on a channel; those that a gap in the capture touches are left out."""
    samples, levels = edges.channel(channel)
    rises, falls = samples[levels == 1], samples[levels == 0]
    falls = falls[np.searchsorted(falls, rises[0]) :] if len(rises) else falls[:0]
    count = min(len(rises), len(falls))
    rises, falls = rises[:count], falls[:count]
    heads = _heads(rises, falls, float(edges.samplerate_hz) / 1e6)
    cut = [int(start) for start, _ in edges.gaps]
    showings, damaged = [], 0
    for head, following in pairwise(heads):
        code = _code(falls[head : head + BITS] - rises[head : head + BITS], float(edges.samplerate_hz) / 1e6)
        if code is None or any(rises[head] <= start < rises[following] for start in cut):
            damaged += 1
            continue
        showings.append(Showing(code, rises[head + BITS : following], falls[head + BITS : following]))
    return Showings(tuple(showings), damaged)


def _heads(rises: Samples, falls: Samples, per_us: float) -> list[int]:
    """Numbers of the pulses that begin a code: after a quiet, and with seven others close behind."""
    if len(rises) < BITS:
        return []
    lows = rises[1:] - falls[:-1]
    close = np.lib.stride_tricks.sliding_window_view((lows < BETWEEN_US * per_us).astype(np.int8), BITS - 1)
    short = np.lib.stride_tricks.sliding_window_view((falls - rises < LONGEST_US * per_us).astype(np.int8), BITS)
    quiet = np.concatenate([[True], lows > QUIET_US * per_us])[: len(close)]
    return np.flatnonzero(quiet & close.all(axis=1) & short[: len(close)].all(axis=1)).tolist()


def _code(widths: Samples, per_us: float) -> int | None:
    """The number that eight pulses state; None: their parity is wrong."""
    bits = (widths > LONG_US * per_us).astype(int).tolist()
    return int("".join(map(str, bits[:-1])), 2) if sum(bits) % 2 else None
