"""Delays between the edges of any two channels: periods, widths, skews, and the number of edges without a partner."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.measure.edge_kinds import Kind
from gpiorig.capture.edges import select
from gpiorig.capture.edges.edges import no_gaps
from gpiorig.capture.edges.waveform import Waveform

Samples = NDArray[np.int64]
NEVER = np.iinfo(np.int64).max
_CHUNK = 1 << 20  # begins processed at once


@dataclass(frozen=True, slots=True, eq=False)
class Instants:
    """The edges of one kind on one channel.

    Parameters
    ----------
    channel, kind
        Channel and kind of the edges.
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
    """Delays, and counts of the edges they were computed from.

    Parameters
    ----------
    name
        Description of the measurement.
    starts
        int64[n], sample at which each delay begins, sorted.
    delays
        int64[n], in samples; only those of a skew may be negative.
    unpaired_start, unpaired_end
        Edges of either side without a partner, those of the next two counts included.
    too_long
        Pairs refused because they are longer than the longest delay allowed.
    across_gaps
        Pairs refused because samples were lost between their edges.
    """

    name: str
    starts: Samples
    delays: Samples
    unpaired_start: int
    unpaired_end: int
    too_long: int
    across_gaps: int


def instants(
    waveform: Waveform, wanted: Iterable[tuple[str, Kind]]
) -> tuple[dict[tuple[str, Kind], Instants], Samples]:
    """Read a capture once and select the wanted edges: 9 bytes of memory for each, for any capture.

    Parameters
    ----------
    waveform
        The capture.
    wanted
        Channels and kinds; a channel may be there with several.

    Returns
    -------
    instants
        By channel and kind.
    gaps
        int64[k, 2], lost samples.

    Raises
    ------
    CaptureError
        A channel is not there; the capture is damaged.
    """
    kinds = dict.fromkeys(wanted)
    picked = select.channels(waveform, [_literal(channel) for channel in dict.fromkeys(name for name, _ in kinds)])
    bits = {channel: np.uint64(bit) for bit, channel in enumerate(picked.channels)}
    instants_of: dict[tuple[str, Kind], list[tuple[Samples, NDArray[np.uint8]]]] = {key: [] for key in kinds}
    gaps, resumed = [no_gaps()], np.empty(0, dtype=np.int64)
    held: NDArray[np.uint64] | None = None
    for block in picked.read():
        gaps.append(block.gaps)
        resumed = np.concatenate([resumed, block.gaps[:, 1]])
        if block.samples.size:
            before = np.concatenate([block.levels[:1] if held is None else held, block.levels[:-1]])
            changes = np.where(np.isin(block.samples, resumed), np.uint64(0), block.levels ^ before)
            held = block.levels[-1:]
            for channel, kind in kinds:
                changed = (changes >> bits[channel]) & np.uint64(1) != 0
                if kind != "edge":
                    changed &= (block.levels >> bits[channel]) & np.uint64(1) == np.uint64(kind == "rise")
                levels = (block.levels[changed] >> bits[channel]) & np.uint64(1)
                instants_of[channel, kind].append((block.samples[changed], levels.astype(np.uint8)))
        resumed = resumed[resumed >= block.end]
    return {key: Instants(*key, *_joined(instants_of.pop(key))) for key in kinds}, np.concatenate(gaps)


def between(begin: Instants, end: Instants, *, gaps: Samples, longest: int | None = None, name: str = "") -> Pairs:
    """From each edge to the first edge of the other kind after it, unless another begin comes first.

    An edge that another begin follows before any end is unpaired; so is an end without a begin since the end before it.
    On two channels an end at the same sample counts as after the start.

    Parameters
    ----------
    begin, end
        Edges of one capture.
    gaps
        int64[k, 2], lost samples: a pair does not reach over them.
    longest
        Longest delay in samples that is a pair.
    """
    same = begin.channel == end.channel

    def partners(part: slice) -> tuple[Samples, NDArray[np.bool_]]:
        begins = begin.samples[part]
        following = begin.samples[part.start + 1 : part.stop + 1]
        following = np.append(following, np.full(len(begins) - len(following), NEVER))
        place = np.searchsorted(end.samples, begins, side="right" if same else "left")
        partner = _at(end.samples, place)
        return partner, (partner != NEVER) & (partner <= following if same else partner < following)

    return _paired(begin, end, partners, gaps=gaps, longest=longest, name=name or f"{begin.name} to {end.name}")


def skew(
    first: Instants, second: Instants, *, gaps: Samples, longest: int | None = None, toggling: bool = False
) -> Pairs:
    """From each edge to the nearest edge of the same direction on the other channel, where each is the other's nearest.

    A delay is negative where the second channel is earlier. Of two edges equally near, the earlier is the partner. The
    direction of pins that toggle with each event depends on their first level only: it does not count.
    """
    partner = np.zeros(len(first.samples), dtype=np.int64)
    known = np.zeros(len(first.samples), dtype=bool)
    for levels in ((0, 1),) if toggling else ((0,), (1,)):
        here, there = np.isin(first.levels, levels), np.isin(second.levels, levels)
        a, b = first.samples[here], second.samples[there]
        if len(a) and len(b):
            nearest = _nearest(a, b)
            partner[here] = b[nearest]
            known[here] = _nearest(b, a)[nearest] == np.arange(len(a))
    name = f"skew of {second.channel} against {first.channel}"
    return _paired(first, second, lambda part: (partner[part], known[part]), gaps=gaps, longest=longest, name=name)


def _paired(
    begin: Instants,
    end: Instants,
    partners: Callable[[slice], tuple[Samples, NDArray[np.bool_]]],
    *,
    gaps: Samples,
    longest: int | None,
    name: str,
) -> Pairs:
    """Pairs by `partners`: samples of the partners of a slice of the begins, and whether they exist."""
    starts, delays = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    too_long = across_gaps = 0
    for first in range(0, len(begin.samples), _CHUNK):
        begins = begin.samples[first : first + _CHUNK]
        partner, paired = partners(slice(first, first + len(begins)))
        begins, partner = begins[paired], partner[paired]
        complete = np.searchsorted(gaps[:, 1], begins, side="right") == np.searchsorted(
            gaps[:, 1], partner, side="right"
        )
        delay = partner - begins
        short = np.abs(delay) <= longest if longest is not None else np.ones(len(delay), dtype=bool)
        starts.append(begins[complete & short])
        delays.append(delay[complete & short])
        too_long += int(np.count_nonzero(complete & ~short))
        across_gaps += int(np.count_nonzero(~complete))
    n = sum(map(len, starts))
    return Pairs(
        name=name,
        starts=np.concatenate(starts),
        delays=np.concatenate(delays),
        unpaired_start=len(begin.samples) - n,
        unpaired_end=len(end.samples) - n,
        too_long=too_long,
        across_gaps=across_gaps,
    )


def _nearest(a: Samples, b: Samples) -> NDArray[np.intp]:
    """Places in `b` of the nearest to each of `a`, the earlier of two."""
    after = np.minimum(np.searchsorted(b, a), len(b) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(np.abs(b[before] - a) <= np.abs(b[after] - a), before, after)


def _joined(parts: list[tuple[Samples, NDArray[np.uint8]]]) -> tuple[Samples, NDArray[np.uint8]]:
    samples = np.concatenate([np.empty(0, dtype=np.int64), *(part[0] for part in parts)])
    return samples, np.concatenate([np.empty(0, dtype=np.uint8), *(part[1] for part in parts)])


def _literal(channel: str) -> str:
    """A channel's name as a pattern that matches nothing else."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in channel)


def _at(values: Samples, places: NDArray[np.intp]) -> Samples:
    """Values at these places; `NEVER` after the last."""
    instants = np.full(len(places), NEVER)
    inside = places < len(values)
    instants[inside] = values[places[inside]]
    return instants
