"""Edges of a capture, channel by channel, counted while it is read."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import no_gaps
from gpiorig.capture.edges.waveform import Waveform


@dataclass(frozen=True, slots=True)
class ChannelCount:
    """The edges of one channel.

    Attributes
    ----------
    name
        Its name.
    edges
        How many. A level that differs after a gap is not one: when it changed, and how often, is not known.
    across_gaps
        Gaps after which the level differs.
    first_edge, last_edge
        Sample numbers; None where there is no edge.
    initial_level
        Level at the first sample of the capture; None in an empty one.
    """

    name: str
    edges: int
    across_gaps: int
    first_edge: int | None
    last_edge: int | None
    initial_level: int | None


@dataclass(frozen=True, slots=True)
class EdgeCount:
    """Counts of a capture.

    Attributes
    ----------
    samplerate_hz
        Samples per second, exact.
    start, end
        First sample, and one past the last.
    gaps, lost
        Number of gaps, and samples in them, but for those of gaps that separate groups.
    channels
        Each channel that has a name.
    """

    samplerate_hz: Fraction
    start: int
    end: int
    gaps: int
    lost: int
    channels: tuple[ChannelCount, ...]


def count(waveform: Waveform) -> EdgeCount:
    """Read a capture, in constant memory, and count."""
    bits = [bit for bit, name in enumerate(waveform.channels) if name]
    edges, across = dict.fromkeys(bits, 0), dict.fromkeys(bits, 0)
    firsts, lasts = dict.fromkeys(bits), dict.fromkeys(bits)
    start = last = initial = None
    end = gaps = lost = single = 0
    resumed = no_gaps()[:, 1]  # ends of gaps whose row has not come yet
    for block in waveform.read():
        end = max(end, block.end)
        lengths = block.gaps[:, 1] - block.gaps[:, 0]
        gaps, lost, single = gaps + lengths.size, lost + int(lengths.sum()), single + int(np.sum(lengths == 1))
        resumed = np.concatenate([resumed, block.gaps[:, 1]])
        if not block.samples.size:
            continue
        if last is None:
            start, initial = int(block.samples[0]), int(block.levels[0])
            last = block.levels[0]
        changed = np.bitwise_xor(block.levels, np.concatenate([[last], block.levels[:-1]]))
        last = block.levels[-1]
        after_gap = np.isin(block.samples, resumed)
        resumed = resumed[resumed >= block.end]
        for bit, at in _changed(changed[after_gap], bits):
            across[bit] += at.size
        changed[after_gap] = 0
        for bit, at in _changed(changed, bits):
            if firsts[bit] is None:
                firsts[bit] = int(block.samples[at[0]])
            lasts[bit] = int(block.samples[at[-1]])
            edges[bit] += at.size
    return EdgeCount(
        waveform.samplerate_hz,
        end if start is None else start,
        end,
        gaps,
        lost - (single if single < waveform.groups else 0),
        tuple(
            ChannelCount(
                waveform.channels[bit],
                edges[bit],
                across[bit],
                firsts[bit],
                lasts[bit],
                None if initial is None else initial >> bit & 1,
            )
            for bit in bits
        ),
    )


def _changed(changed: NDArray[np.uint64], bits: list[int]) -> list[tuple[int, NDArray[np.intp]]]:
    """The rows at which each bit changed, without the bits that did not."""
    seen = int(np.bitwise_or.reduce(changed))
    return [(bit, np.flatnonzero(changed & np.uint64(1 << bit))) for bit in bits if seen >> bit & 1]
