"""Steps: what lies between consecutive milestones of a path, and how long each took."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import slices
from gpiorig.analysis.packets.path import (
    BACKOFF,
    COMMAND_END,
    FIRST,
    REPEATED_BY,
    STEPS,
    TURN_AROUND,
    Kind,
    Milestone,
    Source,
)
from gpiorig.capture import mapped

Samples = NDArray[np.int64]
Durations = NDArray[np.int32] | NDArray[np.int64]
NONE = -1
LATE = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Step:
    """What lies between two consecutive milestones.

    Parameters
    ----------
    way
        The hop, such as ``request`` or ``hop 2``; ``turn-around`` between request and reply; may be empty.
    short
        What is done, such as ``udp to ipv6``.
    start, end
        Its milestones.
    kind
        What it is spent on.
    nodes
        Where: one node, or sender and receiver for the time on the air.
    """

    way: str
    short: str
    start: Milestone
    end: Milestone
    kind: Kind
    nodes: tuple[str, ...]

    @property
    def name(self) -> str:
        """Readable and unique on its path, such as ``request: udp to ipv6``."""
        return f"{self.way}: {self.short}" if self.way else self.short

    @property
    def node(self) -> str:
        """Its nodes as text, such as ``sender > receiver``."""
        return " > ".join(self.nodes)

    @property
    def turn_around(self) -> bool:
        """Whether it holds the time between request and reply."""
        return self.way == TURN_AROUND

    @property
    def is_backoff(self) -> bool:
        """Whether it is a backoff that the MAC reported itself."""
        return self.kind is Kind.RADIO_WAIT and self.start.point == BACKOFF

    @property
    def ends_on_air(self) -> bool:
        """Whether it is the wait that ends with the first bit on the air."""
        return self.kind is Kind.RADIO_WAIT and self.end.source is Source.AIR


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Duration of every step of the packets whose every step is known.

    Parameters
    ----------
    steps
        The columns.
    rows
        int64[k], rows of the packets; of a round trip that of its request.
    samples
        int32[k, s] (int64 where a step is longer than that holds), durations; each row adds up to the total delay of
        its packet.
    samplerate_hz
        Exact samplerate.
    """

    steps: tuple[Step, ...]
    rows: Samples
    samples: Durations
    samplerate_hz: Fraction

    def column(self, place: int) -> Samples:
        """int64[k], the durations of one step."""
        return self.samples[:, place].astype(np.int64)

    def columns(self) -> Iterator[Samples]:
        """Those of one step after the other."""
        return map(self.column, range(len(self.steps)))


def durations(instants: Samples, rows: Samples) -> Durations:
    """[k, m - 1], the times between consecutive milestones int64[p, m] of some rows int64[k]."""
    times: Durations = mapped.zeros((len(rows), instants.shape[1] - 1), np.int32)
    for part in slices(len(rows)):
        took = np.diff(instants[rows[part]], axis=1)
        if max(took.max(initial=0), -took.min(initial=0)) > np.iinfo(times.dtype).max:
            times = times.astype(np.int64)
        times[part] = took
    return times


def between(
    start: Milestone, end: Milestone, *, nodes: Sequence[str], ways: Sequence[str], turn: int | None = None
) -> Step:
    """The step between two milestones of a path; one that skips a missing milestone is named after its ends.

    Parameters
    ----------
    start, end
        Milestones; their `direction` is the place of their hop.
    nodes
        Names of all nodes of the path, in order; of a round trip the initiator comes first and last.
    ways
        Name of each hop.
    turn
        Place of the first hop of the reply; None for a one-way path. At a relay a step is of the hop that it leads to.
    """
    sender, receiver = nodes[start.direction], nodes[end.direction + 1]
    here, there = (nodes[one.direction + one.received] for one in (start, end))
    points = (start.point.removesuffix(FIRST), end.point.removesuffix(FIRST))
    if start.point == f"{end.point}{FIRST}":
        short = f"retransmission by {REPEATED_BY[points[1]]}"
        return Step(ways[end.direction], short, start, end, Kind.RETRANSMISSION, (sender,))
    if turn is not None and start.direction < turn <= end.direction:
        short = f"{points[0]} to {points[1]}"
        # Where the responder's own milestones are missing, the step holds a part of the request or of the reply, too.
        if start.received and not end.received and here == there:
            return Step(TURN_AROUND, short, start, end, Kind.APPLICATION, (here,))
        ends = (nodes[turn], receiver) if start.received else (sender, nodes[turn])
        return Step(TURN_AROUND, short, start, end, Kind.UNDIVIDED, ends)
    is_turned = start.direction == end.direction and sender == receiver  # within the node, not on the air
    merged = Kind.SOFTWARE if is_turned else _merged_kind(start, end)
    short, kind = STEPS.get(points, (f"{points[0]} to {points[1]}", merged))
    if kind is Kind.RADIO_WAIT:
        place: tuple[str, ...] = (sender,)  # although its end is seen at the receiver
    elif here != there or start.source is Source.AIR:
        place = (sender, there)
    else:
        place = (here,)
    return Step(ways[end.direction], short, start, end, kind, place)


def _merged_kind(start: Milestone, end: Milestone) -> Kind:
    """Kind of a step that skips milestones; one that holds both radio wait and air is neither."""
    if start.source is Source.AIR:
        return Kind.AIR
    if end.received and not start.received:
        return Kind.UNDIVIDED
    driver = start.event.startswith("driver.") or end.event.startswith("driver.")
    return Kind.DRIVER if driver else Kind.SOFTWARE


def present(
    milestones: Sequence[Milestone], instants: Callable[[int], Samples], judged: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """bool[m]: milestones that most packets have.

    Without ends of the start command that come, for most packets, only after the receiver has the frame. A driver that
    waits for the end of the transmission returns so late; then its return is not a milestone of the path. With a first
    attempt where any packet was repeated: of each hop the highest point that the application passed again, and that of
    the MAC.

    Parameters
    ----------
    milestones
        All that the path could have.
    instants
        int64[p] of a column, -1 missing.
    judged
        bool[p], the packets that count.
    """
    enough = max(1, int(np.count_nonzero(judged)))
    usual = np.zeros(len(milestones), dtype=bool)
    soonest = np.full(len(judged), LATE)
    for column in reversed(range(len(milestones))):
        if milestones[column].point.endswith(FIRST):
            continue
        at = instants(column)
        known = at != NONE
        usual[column] = 2 * int(np.count_nonzero(known & judged)) >= enough
        if milestones[column].event == COMMAND_END:
            usual[column] &= 2 * int(np.count_nonzero(known & (at > soonest))) <= int(np.count_nonzero(known))
        np.minimum(soonest, at, out=soonest, where=known)
    repeated: set[tuple[int, str]] = set()
    for column, milestone in enumerate(milestones[:-1]):
        if not milestone.point.endswith(FIRST) or not usual[column + 1]:
            continue
        key = (milestone.direction, REPEATED_BY[milestone.point.removesuffix(FIRST)])
        first, latest = instants(column), instants(column + 1)
        if key not in repeated and ((first != NONE) & (first < latest) & judged).any():
            usual[column] = True
            repeated.add(key)
    return usual
