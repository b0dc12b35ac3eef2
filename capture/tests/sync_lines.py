"""Sync lines with known instants."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.sync import sync_line

RATE_HZ = 1_000_000
PERIOD = 10_000  # samples


SHORT, LONG = 100, 200


def line(first: int, count: int, *, ppm: float = 0, offset: int = 5_000) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rising and falling edges of pulses first, first + 1 and so on, seen by a clock that is `ppm` fast."""
    numbers = np.arange(count)
    wide = sync_line.code()[(first + numbers) % sync_line.LENGTH] == 1
    stretch = 1 + ppm * 1e-6
    rises = np.rint(offset + numbers * PERIOD * stretch).astype(np.int64)
    return rises, rises + np.where(wide, LONG, SHORT)


def recording(rises: NDArray[np.int64], falls: NDArray[np.int64]) -> Edges:
    """One channel, `sync`, that is low at first."""
    samples = np.concatenate([[0], rises, falls])
    levels = np.concatenate([[0], np.ones(len(rises)), np.zeros(len(falls))]).astype(np.uint64)
    order = np.argsort(samples, kind="stable")
    end = int(samples.max()) + 10
    return Edges.from_blocks(
        [(samples[order], levels[order])], samplerate_hz=Fraction(RATE_HZ), channels=("sync",), end=end
    )
