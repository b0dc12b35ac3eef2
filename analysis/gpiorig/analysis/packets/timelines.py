"""Timelines: one row per packet, one column per milestone of its round trip, and the steps between them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.packets import path
from gpiorig.analysis.packets.association import Packets
from gpiorig.analysis.packets.path import MILESTONES, Milestone, Source, Step
from gpiorig.analysis.packets.round_trip_milestones import LATE, Columns
from gpiorig.analysis.quantity import NS_PER_S

Samples = NDArray[np.int64]
NONE = -1

COMPLETE, PARTIAL, LOST, ORDER, GAP = range(5)
STATUS = {
    COMPLETE: "timelined, every step known",
    PARTIAL: "timelined, a milestone is missing: only the round trip is used",
    LOST: "no reply reached the initiator's application",
    ORDER: "milestones are out of order",
    GAP: "samples were lost while it was under way",
}


@dataclass(frozen=True, slots=True, eq=False)
class Timelines:
    """Milestones of every packet.

    Parameters
    ----------
    milestones
        The columns, in the order of the path.
    absent
        Names of milestones that most packets lack (no such point or tap); they are no columns.
    ids
        int32[p], sequence numbers, rows in time order.
    samples
        int64[p, m], instant of each milestone, -1 missing.
    status
        uint8[p], keys of `STATUS`.
    initiator, responder
        Names of the nodes.
    samplerate_hz
        Exact samplerate.
    header_samples
        What was subtracted from the rise of the frame time stamp line to get the first bit on the air.
    """

    milestones: tuple[Milestone, ...]
    absent: tuple[str, ...]
    ids: NDArray[np.int32]
    samples: Samples
    status: NDArray[np.uint8]
    initiator: str
    responder: str
    samplerate_hz: Fraction
    header_samples: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.ids)

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

    def counts(self) -> dict[str, int]:
        """Packets of each status, by its text; only those that occur."""
        return {text: n for key, text in STATUS.items() if (n := int(np.count_nonzero(self.status == key)))}

    def detail(self, row: int) -> str:
        """Why a packet is not (fully) timelined, in words; empty for a complete one."""
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
        found = [""] * (end - first)
        for row in np.flatnonzero(self.status[first:end] != COMPLETE).tolist():
            found[row] = self.detail(first + row)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Duration of every step of the complete packets.

    Parameters
    ----------
    steps
        The columns.
    rows
        int64[k], rows of the complete packets in the timelines.
    samples
        int64[k, s], durations; each row adds up to the round-trip time of its packet.
    samplerate_hz
        Exact samplerate.
    """

    steps: tuple[Step, ...]
    rows: Samples
    samples: Samples
    samplerate_hz: Fraction


def build(packets: Packets, *, header_ns: int | tuple[int, int] | None = None) -> Timelines:
    """Find the milestones of every packet.

    On each of the four legs (request sent, received, reply sent, received) a milestone is the latest occurrence
    before the next leg begins; the round trip ends with the first reply that reaches the application. An order that
    this gives and that cannot be is reported, not repaired.

    Parameters
    ----------
    packets
        From `gpiorig.analysis.packets.association.associate`.
    header_ns
        Time from the first bit on the air to the rise of the receiver's frame time stamp line: a fact of the radio
        (``frame_timestamp_ns`` of the board file), rounded to samples once; two of them, for request and reply, where
        the receivers have different radios. None if unknown: then there is no milestone ``air.start``.
    """
    by_direction = header_ns if isinstance(header_ns, tuple) else (header_ns or 0,) * 2
    header = tuple(round(Fraction(each, NS_PER_S) * packets.events.samplerate_hz) for each in by_direction)
    wanted = tuple(m for m in MILESTONES if header_ns is not None or m.source is not Source.AIR)
    columns = Columns(packets, wanted, header)
    present = _present(packets, columns)
    samples = np.empty((len(packets), int(np.count_nonzero(present))), dtype=np.int64)
    for place, column in enumerate(np.flatnonzero(present).tolist()):
        samples[:, place] = columns.instants(column)
    return Timelines(
        milestones=tuple(m for m, here in zip(wanted, present, strict=True) if here),
        absent=tuple(m.name for m, here in zip(wanted, present, strict=True) if not here),
        ids=packets.ids,
        samples=samples,
        status=_status(packets, samples),
        initiator=packets.initiator,
        responder=packets.responder,
        samplerate_hz=packets.events.samplerate_hz,
        header_samples=header,
    )


def steps(timelines: Timelines) -> Steps:
    """Differences of consecutive milestones, for the packets that have them all."""
    rows = np.flatnonzero(timelines.status == COMPLETE)
    durations = np.empty((len(rows), len(timelines.milestones) - 1), dtype=np.int64)
    before = timelines.samples[rows, 0]
    for column in range(durations.shape[1]):
        after = timelines.samples[rows, column + 1]
        durations[:, column] = after - before
        before = after
    pairs = zip(timelines.milestones[:-1], timelines.milestones[1:], strict=True)
    ends = {"initiator": timelines.initiator, "responder": timelines.responder}
    return Steps(
        steps=tuple(path.step(start, end, **ends) for start, end in pairs),
        rows=rows,
        samples=durations,
        samplerate_hz=timelines.samplerate_hz,
    )


def steps_add_up(timelines: Timelines, durations: Steps) -> bool:
    """Whether the steps of every packet are not negative and add up exactly to its round-trip time."""
    sums = durations.samples.sum(axis=1)
    return bool(np.array_equal(sums, timelines.rtt[durations.rows]) and np.all(durations.samples >= 0))


def _present(packets: Packets, columns: Columns) -> NDArray[np.bool_]:
    """bool[m]: milestones that most packets have, the first and the last in any case.

    Without ends of the start command that come, for most packets, only after the receiver has the frame. A driver that
    waits for the end of the transmission returns so late; then its return is no milestone of the path.
    """
    judged = packets.answered if packets.answered.any() else np.ones(len(packets), dtype=bool)
    enough = max(1, int(np.count_nonzero(judged)))
    present = np.zeros(len(columns.wanted), dtype=bool)
    soonest = np.full(len(packets), LATE)
    for column in reversed(range(len(present))):
        at = columns.instants(column)
        known = at != NONE
        present[column] = 2 * int(np.count_nonzero(known & judged)) >= enough
        if columns.wanted[column].event == path.COMMAND_END:
            present[column] &= 2 * int(np.count_nonzero(known & (at > soonest))) <= int(np.count_nonzero(known))
        np.minimum(soonest, at, out=soonest, where=known)
    present[[0, -1]] = True
    return present


def _status(packets: Packets, samples: Samples) -> NDArray[np.uint8]:
    wrong, partial = np.zeros(len(samples), dtype=bool), np.zeros(len(samples), dtype=bool)
    latest = np.full(len(samples), NONE, dtype=np.int64)
    for column in samples.T:
        missing = column == NONE
        partial |= missing
        # Out of order: a known milestone before the latest known one to its left.
        wrong |= ~missing & (column < latest)
        np.maximum(latest, column, out=latest)
    return np.select(
        [packets.in_gap, ~packets.answered, wrong, partial],
        [GAP, LOST, ORDER, PARTIAL],
        default=COMPLETE,
    ).astype(np.uint8)
