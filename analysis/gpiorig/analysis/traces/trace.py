"""A recording as a trace: slices, instants and counters on tracks, for the viewers of performance traces.

A node is a process; a layer is a thread of it, and so is a thread of its kernel. A packet's way through layers and
nodes is a flow, numbered as the packet's row. Slices of one track nest: those that do not, because spans of several
packets overlap, go to a further lane.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.packets.timelines import NONE
from gpiorig.capture.edges.nanoseconds import nearest_ns


@dataclass(frozen=True, slots=True)
class Track:
    """A track: the place of slices or of the values of a counter.

    Attributes
    ----------
    process, name
        Such as ("initiator", "udp").
    unit
        Unit of a counter; None: the track has slices and instants.
    """

    process: str
    name: str
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Slice:
    """Something that lasts, or (`end` is `start` and `instant`) that happens.

    Attributes
    ----------
    track
        Index of its track.
    start, end
        Samples.
    name
        Name shown in the viewer.
    flow
        Row of the packet whose flow passes through it, -1 none.
    facts
        Further facts, by name.
    instant
        It has no length.
    category
        What it is a kind of: a kind of steps, a layer.
    """

    track: int
    start: int
    end: int
    name: str
    flow: int = NONE
    facts: dict[str, int | str] = field(default_factory=dict)
    instant: bool = False
    category: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Counter:
    """A value over time.

    Attributes
    ----------
    track
        Index of its track.
    samples, values
        int64, shape (n,): the value from each sample on.
    """

    track: int
    samples: NDArray[np.int64]
    values: NDArray[np.int64]


@dataclass(slots=True, eq=False)
class Trace:
    """A trace, as `tracebuild.build` makes it.

    Attributes
    ----------
    samplerate_hz, start
        Exact samplerate, and the sample that is time 0.
    note
        Note on all its numbers, such as that they are from a virtual bench.
    tracks, slices, counters
        Its content; slices of a track nest, in the order of their starts, the longer first.
    """

    samplerate_hz: Fraction
    start: int
    note: str = ""
    tracks: list[Track] = field(default_factory=list)
    slices: list[Slice] = field(default_factory=list)
    counters: list[Counter] = field(default_factory=list)

    def ns(self, samples: Iterable[int]) -> list[int]:
        """Samples as ns from the start, to the nearest."""
        relative = np.fromiter(samples, dtype=np.int64) - self.start
        times_ns: list[int] = nearest_ns(relative, self.samplerate_hz).tolist()
        return times_ns

    def flow_ends(self) -> dict[int, tuple[Slice, Slice]]:
        """First and last slice of every flow that has two at least, by packet row."""
        on_flow: dict[int, list[Slice]] = {}
        for part in self.slices:
            if part.flow != NONE:
                on_flow.setdefault(part.flow, []).append(part)
        return {
            flow: (min(parts, key=_start), max(parts, key=_start)) for flow, parts in on_flow.items() if len(parts) > 1
        }


def _start(part: Slice) -> int:
    return part.start


def window(trace: Trace, start: int, end: int) -> Trace:
    """Return what reaches into [start, end) samples, uncut; times are unchanged."""
    within = [part for part in trace.slices if part.start < end and (part.end > start or part.start >= start)]
    counters = []
    for counter in trace.counters:
        first, last = (int(place) for place in np.searchsorted(counter.samples, (start, end)))
        counters.append(Counter(counter.track, counter.samples[first:last], counter.values[first:last]))
    return Trace(trace.samplerate_hz, trace.start, trace.note, trace.tracks, within, counters)


def ordered(trace: Trace) -> list[tuple[int, Slice, bool]]:
    """Begin (False) and end (True) of every slice with its time in ns, so that begins and ends of each track pair.

    An instant has a begin only.
    """
    moments: list[tuple[int, Slice, bool]] = []
    by_track: dict[int, list[Slice]] = {}
    for part in trace.slices:
        by_track.setdefault(part.track, []).append(part)
    for slices in by_track.values():
        open_slices: list[Slice] = []
        for part in slices:
            while open_slices and open_slices[-1].end <= part.start:
                moments.append((0, open_slices.pop(), True))
            moments.append((0, part, False))
            if not part.instant:
                open_slices.append(part)
        moments += [(0, part, True) for part in reversed(open_slices)]
    times = trace.ns(part.end if ends else part.start for _, part, ends in moments)
    order = np.argsort(np.array(times, dtype=np.int64), kind="stable").tolist()
    return [(times[place], *moments[place][1:]) for place in order]


def processes(tracks: Sequence[Track]) -> list[str]:
    """The processes, in the order of their tracks."""
    return list(dict.fromkeys(track.process for track in tracks))
