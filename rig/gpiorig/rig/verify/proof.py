"""The wiring proof in edges: which line of a board pulses on which channels, and where its calibration burst is.

The firmware pulses data line i alone, i + 1 times, while the strobe rests; then come `rig.boot` and 32 calibration
events (`gpiorig_wiring_proof`). So the number of pulses names the line, whatever the bench file calls the channel.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.buses.symbol_bus import WIDTHS

Samples = NDArray[np.int64]

CALIBRATIONS = 32
SKEW = 2  # samples: edges of one store, and of lines that touch, are at most this far apart
REST = 3  # times its high time: how long a line is low between two groups at least
ALIKE = 1.6  # ratio of the longest high time of a group to its shortest, at most
RUN_GAPS = 100  # frame gaps: a longer rest is before the proof or after the burst
NOISE_S = 0.005
NOISE_BINS = 8  # a proof, a boot and the answers to commands fill fewer bins


@dataclass(frozen=True, slots=True)
class Proof:
    """What one board showed.

    Attributes
    ----------
    groups
        By data line, the channels that pulsed as it does.
    strobes
        The channels that carry its strobe, by their number of edges in the burst.
    width
        Width of the bus that its image was built with; None: no strobe.
    start, burst, end
        First sample of the proof, of the burst, and of its end.
    """

    groups: dict[int, frozenset[str]] = field(default_factory=dict)
    strobes: frozenset[str] = frozenset()
    width: int | None = None
    start: int = 0
    burst: int = 0
    end: int = 0

    def roles(self, channel: str) -> list[str]:
        """The lines of the board that a channel carries."""
        data = [f"d{line}" for line, channels in self.groups.items() if channel in channels]
        return ["strobe"] * (channel in self.strobes) + data


def symbols_of_burst(width: int) -> int:
    """Symbols, and so strobe edges, of `rig.boot` and the calibration burst (docs/reference/line-code.md)."""
    check = 8 if width == 8 else 4
    return (8 + check) // width + CALIBRATIONS * (24 + check) // width


def noisy(edges: Mapping[str, Samples], *, samplerate_hz: float) -> dict[str, int]:
    """Channels that change alone in many intervals, with the number of their edges: nothing drives them.

    Parameters
    ----------
    edges
        int64, shape (n,), of each channel of one board's bus in the entire capture.
    samplerate_hz
        Samples per second.
    """
    bins = {name: set((samples // int(NOISE_S * samplerate_hz)).tolist()) for name, samples in edges.items()}
    floating = {}
    for name, own in bins.items():
        others = set().union(*(other for channel, other in bins.items() if channel != name))
        # Two that float share intervals: one that is active in far more than the least active is noise, too.
        least = min((len(other) for other in bins.values()), default=0)
        if len(own - others) >= NOISE_BINS or len(own) >= 2 * least + 2 * NOISE_BINS:
            floating[name] = len(edges[name])
    return floating


def find(edges: Mapping[str, Samples], *, frame_gap: float, high: Set[str] = frozenset()) -> Proof | None:
    """The proof and the burst in the edges of one window; None where no channel shows a burst.

    Parameters
    ----------
    edges
        int64, shape (n,), of each channel that is not noise.
    frame_gap
        Of the board's bus, in samples.
    high
        Channels that are high at the beginning; a frame leaves lines as its last symbol was.
    """
    every = np.unique(np.concatenate([np.empty(0, np.int64), *edges.values()]))
    dense = runs(every, frame_gap * RUN_GAPS)
    if not dense:
        return None
    start, end = max(dense, key=lambda run: int(np.sum((every >= run[0]) & (every < run[1]))))
    within = {name: samples[(samples >= start) & (samples < end)] for name, samples in edges.items()}
    lowered = {
        name: samples[int((name in high) ^ (int(np.sum(edges[name] < start)) % 2 == 1)) :]
        for name, samples in within.items()
    }
    groups, burst = _groups(lowered, end)
    strobes, width = _strobes(within, burst)
    if not groups and not strobes:
        return None
    return Proof(groups, strobes, width, start, burst, end)


def joined(edges: Mapping[str, Samples]) -> list[tuple[str, str]]:
    """Pairs of channels that change together, each time."""
    names = [name for name, samples in edges.items() if len(samples) >= 4]
    return [
        (one, other)
        for number, one in enumerate(names)
        for other in names[number + 1 :]
        if len(edges[one]) == len(edges[other]) and np.max(np.abs(edges[one] - edges[other])) <= SKEW
    ]


def runs(every: Samples, rest: float) -> list[tuple[int, int]]:
    """First sample and one past the last of each run of edges without a rest that may be a proof with its burst."""
    if not len(every):
        return []
    bounds = [0, *(np.flatnonzero(np.diff(every) > rest) + 1).tolist(), len(every)]
    return [
        (int(every[first]), int(every[after - 1]) + 1)
        for first, after in pairwise(bounds)
        if after - first >= 2 * CALIBRATIONS
    ]


def _groups(edges: Mapping[str, Samples], end: int) -> tuple[dict[int, frozenset[str]], int]:
    """The channels of each data line, and where the burst begins: at the first edges that are not a group of pulses."""
    groups: dict[int, frozenset[str]] = {}
    at, last, high = min((int(samples[0]) for samples in edges.values() if len(samples)), default=end), 0, 0
    while at < end:
        group = _group(edges, at)
        if group is None:
            break
        pulses, channels, after, width = group
        if pulses <= last or pulses > max(WIDTHS) or (high and not high / ALIKE <= width <= high * ALIKE):
            break
        groups[pulses - 1] = channels
        last, high = pulses, width
        following = [int(samples[samples >= after][0]) for samples in edges.values() if np.any(samples >= after)]
        at = min(following, default=end)
    return groups, at


def _group(edges: Mapping[str, Samples], at: int) -> tuple[int, frozenset[str], int, int] | None:
    """Pulses that begin here, their channels, the sample after them, and how long one is; None: these are symbols."""
    channels = [name for name, samples in edges.items() if np.any((samples >= at) & (samples <= at + SKEW))]
    own = edges[channels[0]]
    own = own[own >= at]
    if len(own) < 2:
        return None
    high = int(own[1] - own[0])
    used = 2
    while used + 1 < len(own) and own[used] - own[used - 1] < REST * high:
        used += 2
    pulses = own[:used]
    highs = pulses[1::2] - pulses[::2]
    after = int(pulses[-1]) + SKEW + 1
    if highs.max() > ALIKE * highs.min():
        return None
    for name, samples in edges.items():
        near = samples[(samples >= at) & (samples < pulses[-1] + REST * highs.min())]
        if name in channels and (len(near) != used or np.max(np.abs(near - pulses)) > SKEW):
            return None
        if name not in channels and len(near):
            return None
    return used // 2, frozenset(channels), after, int(np.median(highs))


def _strobes(edges: Mapping[str, Samples], burst: int) -> tuple[frozenset[str], int | None]:
    """The channels with as many edges as a burst has symbols, and the width of that bus."""
    counts = {name: int(np.sum(samples >= burst)) for name, samples in edges.items()}
    most = max(counts.values(), default=0)
    for width in WIDTHS:
        expected = symbols_of_burst(width)
        if 0.97 * expected <= most <= 1.1 * expected:
            return frozenset(name for name, count in counts.items() if count >= 0.97 * most), width
    return frozenset(), None
