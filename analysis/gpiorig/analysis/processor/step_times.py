"""Times within steps: how long each occupant of a node had its processor while each step of each packet lasted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.processor.layer_labels import rows_of
from gpiorig.analysis.processor.ownership import IS_LAYER_EVENT, Kind, TimeOf
from gpiorig.analysis.processor.windows import Window

Samples = NDArray[np.int64]
NONE = -1
SCHEDULED = (Kind.THREAD, Kind.TASK)


class StepTimes:
    """The steps of one node.

    Parameters
    ----------
    window
        In which the packets were under way.
    node
        Its name; one whose owner is in the window.
    rows
        int64[k], rows of the packets.
    instants
        int64[k, s + 1], milestones of each packet.
    steps
        int64[t], which steps are the node's.
    """

    def __init__(
        self, window: Window, node: str, *, rows: NDArray[np.int64], instants: Samples, steps: NDArray[np.int64]
    ) -> None:
        owned, packet_of = window.owned[node], window.packet_of
        self._events, self._owned, self._rows = window.events, owned, rows
        self._instants, self._steps = instants, steps
        self._start, self._end = instants[:, steps], instants[:, steps + 1]
        self._kind = owned.kind_of()
        self._packet = np.where(owned.packet_spans >= 0, packet_of[owned.packet_spans], NONE).astype(np.int64)
        self._of_route = rows_of(rows, packet_of)
        used = np.unique(np.concatenate([steps, steps + 1]))
        self._at = instants[:, used]
        self._interval = owned.interval(self._at)
        self._since = self._at - owned.starts[self._interval]
        self._first, self._last = np.searchsorted(used, steps), np.searchsorted(used, steps + 1)

    def sums(self) -> dict[int, Samples]:
        """By key of an occupant int64[t]: its time, over all packets."""
        occupants = self._owned.occupants
        return {key: self._time(occupants == row).sum(axis=0) for row, key in enumerate(self._owned.keys)}

    def sleep(self) -> Samples:
        """int64[k, t]: the processor slept."""
        return self._time(self._kind == Kind.SLEEP)

    def own(self) -> Samples:
        """int64[k, t]: spans of the packet ran, or threads and tasks in which it has an event within the step."""
        until = TimeOf(self._owned, self._packet).until(self._rows[:, np.newaxis], self._at, interval=self._interval)
        of_packet: Samples = until[:, self._last] - until[:, self._first]
        # of no packet, but in a thread that works on it
        bare = np.isin(self._kind, SCHEDULED) & (self._packet < 0)
        if bare.any():
            time = TimeOf(self._owned, np.where(bare, self._owned.occupants, NONE).astype(np.int64))
            cells, occupants = self._threads_of_packets()
            times = time.within(occupants, self._start.reshape(-1)[cells], self._end.reshape(-1)[cells])
            np.add.at(of_packet, np.divmod(cells, len(self._steps)), times)
        return of_packet

    def busy(self) -> Samples:
        """int64[k, t]: a thread, a task, an interrupt or a span of a packet ran."""
        return self._time(np.isin(self._kind, (*SCHEDULED, Kind.INTERRUPT)) | (self._packet >= 0))

    def _time(self, chosen: NDArray[np.bool_]) -> Samples:
        """int64[k, t]: how long any of the chosen intervals lasted within each step."""
        before = np.cumsum(np.where(chosen, self._owned.durations, 0))
        before -= np.where(chosen, self._owned.durations, 0)
        until = before[self._interval] + np.where(chosen[self._interval], self._since, 0)
        times: Samples = until[:, self._last] - until[:, self._first]
        return times

    def _threads_of_packets(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cells (packet times steps plus step) and the threads and tasks in which the packet has an event in them."""
        owned = self._owned
        # Lines and interrupts change whatever thread runs.
        software = IS_LAYER_EVENT[self._events.codes] & (self._events.nodes == self._events.node(owned.node))
        positions = np.flatnonzero(software & (self._of_route >= 0))
        interval = np.searchsorted(owned.positions, positions, side="right") - 1
        row, since = self._of_route[positions], self._events.samples[positions]
        since = since - self._instants[row, 0]
        totals = self._instants[:, -1] - self._instants[:, 0]
        scheduled = np.isin(self._kind[interval], SCHEDULED) & (since >= 0) & (since <= totals[row])
        row, since, occupant = row[scheduled], since[scheduled], owned.occupants[interval[scheduled]].astype(np.int64)
        # All milestones of all packets as one increasing row of numbers. An event on a milestone is of both its steps.
        stride = int(totals.max(initial=0)) + 1
        milestones = (self._instants - self._instants[:, :1] + stride * np.arange(len(totals))[:, np.newaxis]).reshape(
            -1
        )
        sums = []
        for side in ("left", "right"):
            place = np.searchsorted(milestones, row * stride + since, side=side) - 1
            step = np.full(self._instants.shape[1] + 1, NONE)
            step[self._steps] = np.arange(len(self._steps))
            here = step[place - row * self._instants.shape[1]]
            inside = here >= 0
            sums.append((row[inside] * len(self._steps) + here[inside]) * len(owned.keys) + occupant[inside])
        keys = np.sort(np.concatenate(sums))
        keys = keys[np.diff(keys, prepend=NONE) != 0]
        return keys // len(owned.keys), keys % len(owned.keys)
