"""Delays between the edges of any two channels: periods, widths, skews, and the number of edges without a partner."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.measure.edge_kinds import Kind
from gpiorig.capture import mapped
from gpiorig.capture.edges import select
from gpiorig.capture.edges.edges import no_gaps
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.mapped import Growing

Samples = NDArray[np.int64]
NEVER = np.iinfo(np.int64).max
_CHUNK = 1 << 18  # begins processed at once


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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PairCounts:
    """Counts of edges and of their pairs.

    Parameters
    ----------
    name
        Description of the measurement.
    unpaired_start, unpaired_end
        Edges of either side without a partner, those of the next two counts included.
    too_long
        Pairs refused because they are longer than the longest delay allowed.
    across_gaps
        Pairs refused because samples were lost between their edges.
    """

    name: str
    unpaired_start: int
    unpaired_end: int
    too_long: int
    across_gaps: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pairs(PairCounts):
    """Delays, and counts of the edges they were computed from.

    Parameters
    ----------
    starts
        int64[n], sample at which each delay begins, sorted.
    delays
        int64[n], in samples; only those of a skew may be negative.
    """

    starts: Samples
    delays: Samples


def instants(
    waveform: Waveform, wanted: Iterable[tuple[str, Kind]]
) -> tuple[dict[tuple[str, Kind], Instants], Samples]:
    """Read a capture once and select the wanted edges, which are mapped where they are many.

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
    parts = {key: (Growing(np.int64), Growing(np.uint8)) for key in kinds}
    gaps = no_gaps()
    for window, gaps_so_far in windows(waveform, kinds):
        gaps = gaps_so_far
        for key, part in window.items():
            parts[key][0].append(part.samples)
            parts[key][1].append(part.levels)
        mapped.relieve()
    return {key: Instants(*key, samples.take(), levels.take()) for key, (samples, levels) in parts.items()}, gaps


def windows(
    waveform: Waveform, wanted: Iterable[tuple[str, Kind]]
) -> Iterator[tuple[dict[tuple[str, Kind], Instants], Samples]]:
    """Yield the edges of a stretch of a capture after the other, and the gaps so far; as `instants`."""
    kinds = dict.fromkeys(wanted)
    picked = select.channels(waveform, [_literal(channel) for channel in dict.fromkeys(name for name, _ in kinds)])
    bits = {channel: np.uint64(bit) for bit, channel in enumerate(picked.channels)}
    gaps, resumed = no_gaps(), np.empty(0, dtype=np.int64)
    held: NDArray[np.uint64] | None = None
    for block in picked.read():
        if len(block.gaps):
            gaps = np.concatenate([gaps, block.gaps])
            resumed = np.concatenate([resumed, block.gaps[:, 1]])
        window = {}
        before = np.concatenate([block.levels[:1] if held is None else held, block.levels[:-1]])
        changes = np.where(np.isin(block.samples, resumed), np.uint64(0), block.levels ^ before[: block.samples.size])
        held = block.levels[-1:] if block.samples.size else held
        for channel, kind in kinds:
            changed = (changes >> bits[channel]) & np.uint64(1) != 0
            if kind != "edge":
                changed &= (block.levels >> bits[channel]) & np.uint64(1) == np.uint64(kind == "rise")
            levels = (block.levels[changed] >> bits[channel]) & np.uint64(1)
            window[channel, kind] = Instants(channel, kind, block.samples[changed], levels.astype(np.uint8))
        resumed = resumed[resumed >= block.end]
        yield window, gaps


class Between:
    """Pairs of the edges of two kinds, of one stretch of a capture after the other: see `between`.

    Parameters
    ----------
    same
        Whether both are of one channel.
    longest
        As of `between`.
    """

    def __init__(self, *, same: bool, longest: int | None) -> None:
        self._same, self._longest = same, longest
        self._open = np.empty(0, dtype=np.int64)  # the last begin, as long as no end is known after it
        self.begins = self.ends = self._pairs = self._too_long = self._across_gaps = 0

    def feed(self, begins: Samples, ends: Samples, gaps: Samples) -> tuple[Samples, Samples]:
        """Take the edges up to a sample, and all gaps up to there; returns starts and delays of the pairs that end."""
        self.begins, self.ends = self.begins + len(begins), self.ends + len(ends)
        begins = np.concatenate((self._open, begins))
        partner = _at(ends, np.searchsorted(ends, begins, side="right" if self._same else "left"))
        following = np.append(begins[1:], np.full(min(1, len(begins)), NEVER))
        paired = (partner != NEVER) & (partner <= following if self._same else partner < following)
        self._open = begins[-1:][partner[-1:] == NEVER]
        starts, delays, too_long, across_gaps = _allowed(begins[paired], partner[paired], gaps, self._longest)
        self._pairs += len(starts)
        self._too_long, self._across_gaps = self._too_long + too_long, self._across_gaps + across_gaps
        return starts, delays

    def counts(self, name: str) -> PairCounts:
        """Counts, where no edge follows."""
        return PairCounts(
            name=name,
            unpaired_start=self.begins - self._pairs,
            unpaired_end=self.ends - self._pairs,
            too_long=self._too_long,
            across_gaps=self._across_gaps,
        )


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
    pairing = Between(same=begin.channel == end.channel, longest=longest)
    starts, delays, at = Growing(np.int64), Growing(np.int64), 0
    for first in range(0, max(1, len(begin.samples)), _CHUNK):
        begins, following = np.split(begin.samples[first:], [_CHUNK])
        stop = int(np.searchsorted(end.samples, following[0])) if len(following) else len(end.samples)
        pairs = pairing.feed(begins, end.samples[at:stop], gaps)
        starts.append(pairs[0])
        delays.append(pairs[1])
        mapped.relieve()
        at = stop
    counts = pairing.counts(name or f"{begin.name} to {end.name}")
    fields = {field.name: getattr(counts, field.name) for field in dataclasses.fields(counts)}
    return Pairs(**fields, starts=starts.take(), delays=delays.take())


def skew(
    first: Instants, second: Instants, *, gaps: Samples, longest: int | None = None, toggling: bool = False
) -> Pairs:
    """From each edge to the nearest edge of the same direction on the other channel, where each is the other's nearest.

    A delay is negative where the second channel is earlier. Of two edges equally near, the earlier is the partner. The
    direction of pins that toggle with each event depends on their first level only: it does not count.
    """
    groups = [
        (levels, _of_levels(first, levels), _of_levels(second, levels))
        for levels in (((0, 1),) if toggling else ((0,), (1,)))
    ]
    starts, delays, too_long, across_gaps = Growing(np.int64), Growing(np.int64), 0, 0
    for at in range(0, len(first.samples), _CHUNK):
        samples, levels = first.samples[at : at + _CHUNK], first.levels[at : at + _CHUNK]
        partner, is_known = np.zeros(len(samples), dtype=np.int64), np.zeros(len(samples), dtype=bool)
        for group, a, b in groups:
            here = np.isin(levels, group)
            if len(a) and len(b):
                partner[here] = b[_nearest(samples[here], b)]
                is_known[here] = a[_nearest(partner[here], a)] == samples[here]
        allowed = _allowed(samples[is_known], partner[is_known], gaps, longest)
        starts.append(allowed[0])
        delays.append(allowed[1])
        too_long, across_gaps = too_long + allowed[2], across_gaps + allowed[3]
        mapped.relieve()
    paired = starts.take()
    return Pairs(
        name=f"skew of {second.channel} against {first.channel}",
        starts=paired,
        delays=delays.take(),
        unpaired_start=len(first.samples) - len(paired),
        unpaired_end=len(second.samples) - len(paired),
        too_long=too_long,
        across_gaps=across_gaps,
    )


def _of_levels(instants: Instants, levels: Sequence[int]) -> Samples:
    """The edges after which the level is one of these."""
    samples = Growing(np.int64)
    for at in range(0, len(instants.samples), _CHUNK):
        part = slice(at, at + _CHUNK)
        samples.append(instants.samples[part][np.isin(instants.levels[part], levels)])
        mapped.relieve()
    return samples.take()


def _allowed(begins: Samples, ends: Samples, gaps: Samples, longest: int | None) -> tuple[Samples, Samples, int, int]:
    """Starts and delays of the pairs that may be; how many are too long, and how many reach over a gap."""
    delays = ends - begins
    within = np.searchsorted(gaps[:, 1], begins, side="right") == np.searchsorted(gaps[:, 1], ends, side="right")
    short = np.abs(delays) <= longest if longest is not None else np.ones(len(delays), dtype=bool)
    allowed = within & short
    too_long, across_gaps = np.count_nonzero(within & ~short), np.count_nonzero(~within)
    return begins[allowed], delays[allowed], int(too_long), int(across_gaps)


def _nearest(a: Samples, b: Samples) -> NDArray[np.intp]:
    """Places in `b` of the nearest to each of `a`, the earlier of two."""
    after = np.minimum(np.searchsorted(b, a), len(b) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(np.abs(b[before] - a) <= np.abs(b[after] - a), before, after)


def _literal(channel: str) -> str:
    """A channel's name as a pattern that matches nothing else."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in channel)


def _at(values: Samples, places: NDArray[np.intp]) -> Samples:
    """Values at these places; `NEVER` after the last."""
    instants = np.full(len(places), NEVER)
    inside = places < len(values)
    instants[inside] = values[places[inside]]
    return instants
