"""Timelines: one row per round trip, one column per milestone, and the steps between them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.packets.path import Milestone
from gpiorig.analysis.packets.steps import Step, Steps, between, durations

Samples = NDArray[np.int64]
NONE = -1

COMPLETE, PARTIAL, LOST, ORDER, GAP, CUT = range(6)
STATUS = {
    COMPLETE: "timelined, every step known",
    PARTIAL: "timelined, a milestone is missing: only the round trip is used",
    LOST: "no reply reached the initiator's application",
    ORDER: "milestones are out of order",
    GAP: "samples were lost while it was under way",
    CUT: "the recording ended before it could be called lost",
}
UNKNOWN = (GAP, CUT)


@dataclass(frozen=True, slots=True, eq=False)
class Timelines:
    """Milestones of every round trip: a view of `gpiorig.analysis.packets.round_trips.RoundTrips`.

    Parameters
    ----------
    milestones
        The columns, in the order of the path.
    absent
        Names of milestones that most packets lack (no such point or tap); they are not columns.
    packets
        int64[p], row of the request among all packets; increasing, rows are in time order.
    ids
        int32[p], sequence numbers.
    samples
        int64[p, m], instant of each milestone, -1 missing.
    status
        uint8[p], keys of `STATUS`.
    nodes, ways, turn
        The path that most round trips took: its nodes, the initiator first and last, the names of its hops, and the
        place of the first hop of the reply, which begins at the responder.
    samplerate_hz
        Exact samplerate.
    header_samples
        What was subtracted from the rise of the frame timestamp line to get the first bit on the air, for each hop.
    """

    milestones: tuple[Milestone, ...]
    absent: tuple[str, ...]
    packets: Samples
    ids: NDArray[np.int32]
    samples: Samples
    status: NDArray[np.uint8]
    nodes: tuple[str, ...]
    ways: tuple[str, ...]
    turn: int
    samplerate_hz: Fraction
    header_samples: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def initiator(self) -> str:
        """Name of the node that sends the requests."""
        return self.nodes[0]

    @property
    def responder(self) -> str:
        """Name of the node that replies."""
        return self.nodes[self.turn]

    @property
    def complete(self) -> Samples:
        """int64[k], rows of the round trips whose every step is known."""
        return np.flatnonzero(self.status == COMPLETE)

    @property
    def timelined(self) -> NDArray[np.bool_]:
        """bool[p]: packets whose round-trip time is used."""
        return self.status <= PARTIAL

    @property
    def rtt(self) -> Samples:
        """int64[p], round-trip time in samples, -1 where the packet is not timelined."""
        return np.where(self.timelined, self.samples[:, -1] - self.samples[:, 0], NONE)

    def column(self, name: str) -> Samples:
        """int64[p], samples of one milestone, by name."""
        return self.samples[:, [milestone.name for milestone in self.milestones].index(name)]

    def step(self, start: int, end: int) -> Step:
        """The step between the milestones of two columns."""
        ends = self.milestones[start], self.milestones[end]
        return between(*ends, nodes=self.nodes, ways=self.ways, turn=self.turn)

    def counts(self) -> dict[str, int]:
        """Packets of each status, by its text; only those that occur."""
        return {text: n for key, text in STATUS.items() if (n := int(np.count_nonzero(self.status == key)))}

    def detail(self, row: int) -> str:
        """Reason, as text, why a packet is not (fully) timelined; empty for a complete one."""
        status, samples = int(self.status[row]), self.samples[row]
        if status == COMPLETE:
            return ""
        known = np.flatnonzero(samples != NONE)
        names = [milestone.name for milestone in self.milestones]
        if status == ORDER:
            wrong = int(np.flatnonzero(np.diff(samples[known]) < 0)[0])
            before, after = known[wrong], known[wrong + 1]
            return f"{names[after]} at {samples[after]} is before {names[before]} at {samples[before]}"
        if status == LOST:
            return f"last seen at {names[known[-1]]}" if len(known) else "never seen"
        missing = ", ".join(names[i] for i in np.flatnonzero(samples == NONE))
        return f"missing: {missing}" if status == PARTIAL else STATUS[status]

    def details(self, part: slice = slice(None)) -> list[str]:
        """`detail` of every packet, or of a part of them."""
        first, end, _ = part.indices(len(self))
        texts = [""] * (end - first)
        for row in np.flatnonzero(self.status[first:end] != COMPLETE).tolist():
            texts[row] = self.detail(first + row)
        return texts


def steps(timelines: Timelines) -> Steps:
    """Differences of consecutive milestones, for the round trips that have them all."""
    rows = timelines.complete
    return Steps(
        steps=tuple(timelines.step(place, place + 1) for place in range(len(timelines.milestones) - 1)),
        rows=timelines.packets[rows],
        samples=durations(timelines.samples, rows),
        samplerate_hz=timelines.samplerate_hz,
    )


def steps_add_up(timelines: Timelines, of_trips: Steps) -> bool:
    """Whether the steps of every packet are not negative and add up exactly to its round-trip time."""
    sums = of_trips.samples.sum(axis=1)
    return bool(np.array_equal(sums, timelines.rtt[timelines.complete]) and np.all(of_trips.samples >= 0))
