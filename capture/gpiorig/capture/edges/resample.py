"""A capture with other sample numbers: shifted, at another samplerate, or on another analyzer's clock."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.waveform import Block, Waveform

Renumber = Callable[[NDArray[np.int64]], NDArray[np.int64]]


def renumbered(waveform: Waveform, renumber: Renumber, *, samplerate_hz: Fraction) -> Waveform:
    """Give every row another sample number.

    Two rows that would share a sample stay two: the later is put one sample on, so that no pulse is lost.

    Parameters
    ----------
    waveform
        The capture.
    renumber
        Takes int64 sample numbers, and gives those in their place; must not decrease.
    samplerate_hz
        Samples per second of the new numbers.
    """

    def read() -> Iterator[Block]:
        old = new = -(2**62)  # the last place so far, and what became of it
        for block in waveform.read():
            # Bounds of gaps are places like those of rows, so that no row falls into a gap.
            bounds = block.gaps.reshape(-1)
            places = np.unique(np.append(block.samples, bounds))
            moved = _increasing(renumber(places), new + int(places.size > 0 and places[0] > old))
            if places.size:
                old, new = int(places[-1]), int(moved[-1])
            end = int(renumber(np.array([block.end], dtype=np.int64))[0])
            yield Block(
                moved[np.searchsorted(places, block.samples)],
                block.levels,
                max(end, new + int(block.end > old)),
                moved[np.searchsorted(places, bounds)].reshape(-1, 2),
            )

    return dataclasses.replace(waveform, samplerate_hz=samplerate_hz, read=read)


def shifted(waveform: Waveform, by: int) -> Waveform:
    """Add a number of samples to every sample number."""
    return renumbered(waveform, lambda samples: samples + by, samplerate_hz=waveform.samplerate_hz)


def rescaled(waveform: Waveform, samplerate_hz: Fraction) -> Waveform:
    """Bring a capture to a multiple of its samplerate, which is exact.

    Raises
    ------
    ValueError
        The new rate is not an integer multiple.
    """
    factor = samplerate_hz / waveform.samplerate_hz
    if factor.denominator != 1:
        raise ValueError(f"{samplerate_hz} Hz is not a multiple of {waveform.samplerate_hz} Hz")
    return renumbered(waveform, lambda samples: samples * int(factor), samplerate_hz=samplerate_hz)


def _increasing(samples: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    """Numbers that do not decrease, as numbers that increase: each after the one before, the first at `least`."""
    steps = np.arange(samples.size, dtype=np.int64)
    return np.maximum(np.maximum.accumulate(samples - steps), least) + steps
