"""Delays between the edges of any two channels: periods, widths, skews, and how many edges found no partner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges import Edges

Samples = NDArray[np.int64]
Kind = Literal["rise", "fall", "edge"]
OPPOSITE: dict[Kind, Kind] = {"rise": "fall", "fall": "rise"}


@dataclass(frozen=True, slots=True, eq=False)
class Instants:
    """The edges of one kind on one channel.

    Parameters
    ----------
    channel, kind
        Which.
    samples
        int64[n], sorted. A change seen at the end of a gap happened somewhere inside it: it has no instant, so it is
        not here.
    levels
        uint8[n], the level after each edge.
    """

    channel: str
    kind: Kind
    samples: Samples
    levels: NDArray[np.uint8]

    @property
    def name(self) -> str:
        """Such as ``D0 rise``."""
        return f"{self.channel} {self.kind}"


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Delays, and what they were taken from.

    Parameters
    ----------
    name
        What was measured, in words.
    starts
        int64[n], sample at which each delay begins, sorted.
    delays
        int64[n], in samples; only those of a skew may be negative.
    unpaired_from, unpaired_to
        Edges of either side without a partner, those of the next two counts included.
    too_long
        Pairs refused because they are longer than the longest delay allowed.
    across_gaps
        Pairs refused because samples were lost between their edges.
    """

    name: str
    starts: Samples
    delays: Samples
    unpaired_from: int
    unpaired_to: int
    too_long: int
    across_gaps: int


def instants(edges: Edges, channel: str, kind: Kind) -> Instants:
    """All edges of one kind on a channel; raises `CaptureError` with the channels there are."""
    samples, levels = edges.channel(channel)
    wanted = ~np.isin(samples, edges.gaps[:, 1])
    if kind != "edge":
        wanted &= levels == (1 if kind == "rise" else 0)
    return Instants(channel, kind, samples[wanted], levels[wanted])


def between(begin: Instants, end: Instants, *, gaps: Samples, longest: int | None = None, name: str = "") -> Pairs:
    """From each edge to the first edge of the other kind after it, unless another begin comes first.

    An edge that another begin follows before any end is unpaired; so is an end without a begin since the end before it.
    On two channels an end at the same sample counts as after the begin.

    Parameters
    ----------
    begin, end
        Of one capture.
    gaps
        int64[k, 2], lost samples: a pair does not reach over them.
    longest
        Longest delay in samples that is a pair.
    """
    same = begin.channel == end.channel
    place = np.searchsorted(end.samples, begin.samples, side="right" if same else "left")
    found = place < len(end.samples)
    partner = _at(end.samples, np.where(found, place, 0), len(begin.samples))
    following = np.append(begin.samples[1:], np.iinfo(np.int64).max)[: len(begin.samples)]
    found &= partner <= following if same else partner < following
    return _paired(begin, end, partner, found, gaps=gaps, longest=longest, name=name or f"{begin.name} to {end.name}")


def skew(first: Instants, second: Instants, *, gaps: Samples, longest: int | None = None) -> Pairs:
    """From each edge to the nearest edge of the same direction on the other channel, where each is the other's nearest.

    A delay is negative where the second channel is earlier. Of two edges equally near, the earlier is taken.
    """
    partner = np.zeros(len(first.samples), dtype=np.int64)
    found = np.zeros(len(first.samples), dtype=bool)
    for level in (0, 1):
        here, there = first.levels == level, second.levels == level
        a, b = first.samples[here], second.samples[there]
        if len(a) and len(b):
            nearest = _nearest(a, b)
            partner[here] = b[nearest]
            found[here] = _nearest(b, a)[nearest] == np.arange(len(a))
    name = f"skew of {second.channel} against {first.channel}"
    return _paired(first, second, partner, found, gaps=gaps, longest=longest, name=name)


def _paired(
    begin: Instants,
    end: Instants,
    partner: Samples,
    found: NDArray[np.bool_],
    *,
    gaps: Samples,
    longest: int | None,
    name: str,
) -> Pairs:
    stretch = np.searchsorted(gaps[:, 1], begin.samples, side="right")
    whole = stretch == np.searchsorted(gaps[:, 1], partner, side="right")
    delays = partner - begin.samples
    short = np.abs(delays) <= longest if longest is not None else np.ones(len(delays), dtype=bool)
    kept = found & whole & short
    n = int(np.count_nonzero(kept))
    return Pairs(
        name=name,
        starts=begin.samples[kept],
        delays=delays[kept],
        unpaired_from=len(begin.samples) - n,
        unpaired_to=len(end.samples) - n,
        too_long=int(np.count_nonzero(found & whole & ~short)),
        across_gaps=int(np.count_nonzero(found & ~whole)),
    )


def _nearest(a: Samples, b: Samples) -> NDArray[np.intp]:
    """Place in `b` of what is nearest to each of `a`, the earlier of two."""
    after = np.clip(np.searchsorted(b, a), 1, len(b) - 1) if len(b) > 1 else np.zeros(len(a), dtype=np.intp)
    before = np.maximum(after - 1, 0)
    return np.where(np.abs(b[before] - a) <= np.abs(b[after] - a), before, after)


def _at(values: Samples, places: NDArray[np.intp], n: int) -> Samples:
    return values[places] if len(values) else np.zeros(n, dtype=np.int64)
