"""A power trace that is read block by block, in memory that does not grow with its length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.power.instruments import Instrument

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PowerBlock:
    """The next samples of a power trace.

    Attributes
    ----------
    start
        Number of its first sample; beyond the end of the block before, the samples between were lost.
    volts, amperes
        float64, shape (n,).
    """

    start: int
    volts: Floats
    amperes: Floats


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PowerTrace:
    """A power trace as a stream of blocks.

    Attributes
    ----------
    samplerate_hz
        Samples per second, exact, by the instrument's own clock. Sample k stands for the time from k to k + 1 periods.
    read
        Begins to read, at the first block, each time it is called.
    instrument
        How exact it is.
    step_a
        Step in which the file writes the current; 0 where that is a float.
    pins
        The digital inputs that were sampled with it, in the same sample numbers; None without any.
    source
        What it was read from, as text.
    """

    samplerate_hz: Fraction
    read: Callable[[], Iterator[PowerBlock]]
    instrument: Instrument
    step_a: float = 0.0
    pins: Waveform | None = None
    source: str = ""
