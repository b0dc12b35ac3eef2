"""Processor occupancy: self-time and residence of the layers, and the activities that pre-empted a packet.

Both stand on `gpiorig.analysis.processor.ownership`: intervals of a node's time, each with its occupant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis.columns import flattened, names, ns, table
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.layers import WAYS
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.ordered_pool import in_order
from gpiorig.analysis.packets.event_packets import EventPackets
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.processor import layer_labels, ownership
from gpiorig.analysis.processor.extents import Column, PacketsByRow, Places
from gpiorig.analysis.processor.step_times import step_times
from gpiorig.analysis.processor.windows import EVENTS, Window, Windows
from gpiorig.capture import mapped, memory

NONE = -1
Counts = NDArray[np.int32] | NDArray[np.int64]  # samples: of 32 bits where that is enough


@dataclass(frozen=True, slots=True, eq=False)
class LayerTimes:
    """How long the layers worked on each packet of a route, and how long the packet was in them.

    Parameters
    ----------
    layers
        (node, layer, direction) of each column, direction ``tx`` or ``rx``, in the order of the path.
    self_samples
        int[k, l]: the spans of the layer less the spans inside them, of whatever layer or interrupt; what code of
        this layer itself took.
    residence_samples
        int[k, l]: from the packet's first event of the layer to its first event of the next layer on the path, or to
        the end of the layer's last span if there is none: queueing included.
    """

    layers: tuple[tuple[str, str, str], ...]
    self_samples: Counts
    residence_samples: Counts


@dataclass(frozen=True, slots=True, eq=False)
class Occupancy:
    """What else ran on the node of a step while the step lasted.

    Parameters
    ----------
    occupants
        Names, such as ``initiator: isr.uart``, ``initiator: task 9``, ``initiator: thread 3``, ``initiator: sleep``.
    mean_samples
        float64[s, o]: how long each ran within each step, mean over the packets.
    preempted_samples
        int[k, s]: how long something that is not on the packet's path ran within the step; sleep is not counted.
    known
        bool[s]: whether the node of the step showed enough events (scheduler, interrupts) to tell. Where it is a single
        node without ``sched.switch`` and ``task.run``, `preempted_samples` holds interrupts and spans of other packets
        only; of steps over two nodes it is 0.

    Notes
    -----
    The rest of a step is the packet's own work (its spans, and the threads and tasks in which an event of the packet
    lies within the step), sleep, and time in which nothing was seen, or only spans of no packet.
    """

    occupants: tuple[str, ...]
    mean_samples: NDArray[np.float64]
    preempted_samples: Counts
    known: NDArray[np.bool_]

    def select(self, packets: NDArray[np.int64]) -> Occupancy:
        """The same with only some of its packets, int64[r] of the k; means are still those of all."""
        return replace(self, preempted_samples=self.preempted_samples[packets])


def for_routes(
    events: Events,
    routes: Sequence[Route],
    *,
    packet_of: NDArray[np.int32] | EventPackets,
    ways: NDArray[np.int8],
    progress: Callable[[int], object] | None = None,
    window: int = EVENTS,
) -> tuple[tuple[LayerTimes | None, Occupancy], ...]:
    """Self-time and residence of every layer on the way of each route, and what ran while its steps lasted.

    Self-time is the time in which the innermost open span is of the layer and of the packet. A span that is inside
    another takes its time from that, of whatever layer it is; so does an interrupt. Where the node shows its scheduler,
    time in which another thread or task runs, or the processor is idle, counts for no layer: a span that is pre-empted
    stands still. A span without a packet inside one of a packet counts for its own layer and for that packet.

    Parameters
    ----------
    events
        Of the complete recording.
    routes
        Their packets. No layers where no span of them was seen.
    packet_of
        int32[n]: of every event the row that `route.steps.rows` counts in, -1 none.
    ways
        int8[n]: of every event `SENT` or `RECEIVED`, see `ways`.
    progress
        Is called with the number of packets done since the call before.
    window
        Events to look at at once, about; it changes nothing but memory and time.
    """
    windows = Windows(events, packet_of, ways, routes=routes, size=window)
    sums = [_Sums(events, route, columns, windows) for route, columns in zip(routes, windows.columns, strict=True)]
    memory.give_back()  # what the search for spans took

    def window_times(number: int) -> tuple[Window, list[_Times]]:
        seen = windows[number]
        return seen, [total.window(seen) for total in sums]

    for seen, times in in_order(window_times, range(len(windows))):
        for total, time in zip(sums, times, strict=True):
            total.add(time)
        mapped.relieve()
        if progress:
            progress(seen.rows[1] - seen.rows[0])
    return tuple((total.layers(), total.occupancy()) for total in sums)


@dataclass(frozen=True, slots=True, eq=False)
class _Times:
    """Those of some packets of a route: as in `LayerTimes` and `Occupancy`, and samples per step by occupant."""

    packets: NDArray[np.int64] | slice
    self_samples: NDArray[np.int64]
    residence: NDArray[np.int64]
    preempted: NDArray[np.int64]
    ran: dict[tuple[str, int], NDArray[np.int64]]


class _Sums:
    """The times of one route, window after window."""

    def __init__(self, events: Events, route: Route, columns: tuple[Column, ...], windows: Windows) -> None:
        self._events, self._route, self._columns, self._windows = events, route, columns, windows
        self._packets = PacketsByRow(route.steps.rows)
        self._nodes = [step.node for step in route.steps.steps]
        widths = (len(columns), len(columns), len(self._nodes))
        self._self, self._residence, self._preempted = (_nothing((len(route), width)) for width in widths)
        self._ran: dict[tuple[str, int], NDArray[np.int64]] = {}

    def window(self, window: Window) -> _Times:
        """The times of the packets of a window."""
        packets = self._packets.within(*window.rows)
        rows, samples = self._route.steps.rows[packets], self._route.steps.samples[packets]
        places = Places.of(rows)
        instants = np.empty((len(rows), len(self._nodes) + 1), dtype=np.int64)
        instants[:, 0] = self._route.starts[packets]
        np.cumsum(samples, axis=1, out=instants[:, 1:])
        instants[:, 1:] += instants[:, :1]
        preempted, ran = np.zeros(samples.shape, dtype=np.int64), {}
        for node in dict.fromkeys(node for node in self._nodes if node in window.owned):
            steps = np.array([at for at, name in enumerate(self._nodes) if name == node])
            times = step_times(window, node, places=places, instants=instants, steps=steps)
            preempted[:, steps] = times.busy - times.own
            for key, sums in times.sums.items():
                ran[node, key] = np.zeros(len(self._nodes), dtype=np.int64)
                ran[node, key][steps] = sums
        layers = layer_labels.LayerTimes(window, places, len(rows), self._columns)
        return _Times(packets, layers.self_times(), layers.residence(), preempted, ran)

    def add(self, times: _Times) -> None:
        """Add those of a window."""
        self._self = _stored(self._self, times.packets, times.self_samples)
        self._residence = _stored(self._residence, times.packets, times.residence)
        self._preempted = _stored(self._preempted, times.packets, times.preempted)
        for key, ran in times.ran.items():
            self._ran[key] = self._ran.get(key, 0) + ran

    def layers(self) -> LayerTimes | None:
        """What the layers took; None if no span of these packets was seen."""
        if not len(self._route) or not self._columns:
            return None
        names = self._events.node_names
        return LayerTimes(
            layers=tuple((names[node], layer, WAYS[way]) for node, layer, way in self._columns),
            self_samples=self._self,
            residence_samples=self._residence,
        )

    def occupancy(self) -> Occupancy:
        """What ran while the steps lasted."""
        order = {node: at for at, node in enumerate(dict.fromkeys(self._nodes))}
        ran = sorted(
            (runner for runner in self._ran if self._ran[runner].any()),
            key=lambda runner: (order[runner[0]], runner[1]),
        )
        sums = np.array([self._ran[runner] for runner in ran], dtype=np.float64).reshape(len(ran), len(self._nodes))
        return Occupancy(
            occupants=tuple(f"{node}: {ownership.name_of(key)}" for node, key in ran),
            mean_samples=sums.T / max(1, len(self._route)),
            preempted_samples=self._preempted,
            known=np.array([self._windows.scheduled(node) for node in self._nodes], dtype=bool),
        )


def _nothing(shape: tuple[int, int]) -> Counts:
    return mapped.zeros(shape, np.int32)


def _stored(counts: Counts, rows: NDArray[np.int64] | slice, new: NDArray[np.int64]) -> Counts:
    """Put rows into an array, which is of 64 bits from the first number on that needs them."""
    if new.max(initial=0) > np.iinfo(counts.dtype).max:
        short, counts = counts, mapped.zeros(counts.shape, np.int64)
        counts[...] = short
    counts[rows] = new
    return counts


def layers_table(layers: LayerTimes, route: Route, *, part: slice = slice(None)) -> pa.Table:
    """One row per packet and layer, in the order of the path; `part` of them."""
    rows, column = flattened(route.steps.rows, len(layers.layers), part)
    columns: dict[str, Any] = {"packet_row": rows.astype(np.int32)}
    for name, values in zip(("node", "layer", "direction"), zip(*layers.layers, strict=True), strict=True):
        columns[name] = names(column, dict(enumerate(values)))
    rate = route.steps.samplerate_hz
    for name, times in (("self", layers.self_samples), ("residence", layers.residence_samples)):
        samples = times.reshape(-1)[part].astype(np.int64)
        columns |= {f"{name}_samples": samples, f"{name}_ns": ns(samples, rate)}
    return table(columns, rate)


def occupancy_table(occupancy: Occupancy, route: Route) -> pa.Table:
    """One row per step and occupant of its node: means over the packets."""
    steps, occupants = np.nonzero(
        [[name.startswith(f"{step.node}: ") for name in occupancy.occupants] for step in route.steps.steps]
    )
    rate = route.steps.samplerate_hz
    period_ns = float(NS_PER_S / rate)
    in_the_way = occupancy.preempted_samples.mean(axis=0) if len(route) else np.zeros(len(route.steps.steps))
    columns = {
        "step": names(steps, dict(enumerate(step.name for step in route.steps.steps))),
        "node": names(steps, dict(enumerate(step.node for step in route.steps.steps))),
        "occupant": names(occupants, dict(enumerate(name.partition(": ")[2] for name in occupancy.occupants))),
        "mean_ns": occupancy.mean_samples[steps, occupants] * period_ns,
        "step_in_the_way_mean_ns": in_the_way[steps] * period_ns,
        "known": occupancy.known[steps],
    }
    return table(columns, rate)
