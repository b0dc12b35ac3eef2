"""Who had the processor: self-time and residence of the layers, and what ran in the way of a packet.

Both stand on `gpiorig.analysis.processor.ownership`: stretches of a node's time, each with who had the processor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis import path, spans
from gpiorig.analysis.columns import names, ns, table
from gpiorig.analysis.completions import Index
from gpiorig.analysis.event_table import BY_NAME
from gpiorig.analysis.events import Events
from gpiorig.analysis.packets import Packets
from gpiorig.analysis.processor import ownership
from gpiorig.analysis.processor.layerlabels import RECEIVED, SENT, WAYS, LayerLabels, nodes_of, rows_of
from gpiorig.analysis.processor.ownership import Ownership
from gpiorig.analysis.processor.steptimes import StepTimes
from gpiorig.analysis.quantity import NS_PER_S
from gpiorig.analysis.routes import Route

NONE = -1


@dataclass(frozen=True, slots=True, eq=False)
class LayerTimes:
    """How long the layers worked on each packet of a route, and how long the packet was in them.

    Parameters
    ----------
    layers
        (node, layer, direction) of each column, direction ``tx`` or ``rx``, in the order of the path.
    self_samples
        int64[k, l]: the spans of the layer less the spans inside them, of whatever layer or interrupt; what code of
        this layer itself took.
    residence_samples
        int64[k, l]: from the packet's first event of the layer to its first event of the next layer on the path, or to
        the end of the layer's last span if there is none: queueing included.
    """

    layers: tuple[tuple[str, str, str], ...]
    self_samples: NDArray[np.int64]
    residence_samples: NDArray[np.int64]


def _nothing_told() -> NDArray[np.int64]:
    return np.zeros((0, 0), dtype=np.int64)


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
        int64[k, s]: how long something that is not on the packet's path ran within the step; sleep is not counted.
    known
        bool[s]: whether the node of the step showed enough events (scheduler, interrupts) to tell. Where it is a single
        node without ``sched.switch`` and ``task.run``, `preempted_samples` holds interrupts and spans of other packets
        only; of steps over two nodes it is 0.
    own_samples
        int64[k, s]: how long the packet's own work ran: its spans, and the threads and tasks in which an event of the
        packet lies within the step.
    sleep_samples
        int64[k, s]: how long the processor slept.

    Notes
    -----
    What is left of a step, its duration less `own_samples`, `preempted_samples` and `sleep_samples`, is time in which
    nothing was seen, or only spans of no packet.
    """

    occupants: tuple[str, ...]
    mean_samples: NDArray[np.float64]
    preempted_samples: NDArray[np.int64]
    known: NDArray[np.bool_]
    own_samples: NDArray[np.int64] = field(default_factory=_nothing_told)
    sleep_samples: NDArray[np.int64] = field(default_factory=_nothing_told)


def ways(packets: Packets) -> NDArray[np.int8]:
    """int8[n]: of every event `SENT` or `RECEIVED`, what its node does with the packet that it belongs to; -1 none."""
    initiator = packets.events.nodes == packets.events.node(packets.initiator)
    sent = initiator == (packets.direction_of == path.REQUEST)
    return np.where(packets.direction_of < 0, NONE, np.where(sent, SENT, RECEIVED)).astype(np.int8)


def owners(events: Events, packet_of: NDArray[np.int32]) -> dict[str, Ownership]:
    """Who had the processor, of every node with an event; both `layer_times` and `occupancy` take it."""
    index = Index(events)
    pairs = spans.pairs(events, index=index)
    built = [
        ownership.build(events, node, index=index, spans=pairs, packet_of=packet_of)
        for node in range(len(events.node_names))
    ]
    return {each.node: each for each in built if each is not None}


def layer_times(
    events: Events,
    route: Route,
    *,
    packet_of: NDArray[np.int32],
    ways: NDArray[np.int8],
    owned: Mapping[str, Ownership] | None = None,
) -> LayerTimes | None:
    """Self-time and residence of every layer on the way of a route.

    Self-time is the time in which the innermost open span is of the layer and of the packet. A span that is inside
    another takes its time from that, of whatever layer it is; so does an interrupt. Where the node shows its scheduler,
    time in which another thread or task runs, or nobody, is nobody's self-time either: a span that is pre-empted stands
    still. A span without a packet inside one of a packet counts for its own layer and for that packet.

    Parameters
    ----------
    events
        Of the whole recording.
    route
        Its packets.
    packet_of
        int32[n]: of every event the row that `route.steps.rows` counts in, -1 none.
    ways
        int8[n]: of every event `SENT` or `RECEIVED`, see `ways`.
    owned
        From `owners`, where it is there already.

    Returns
    -------
    LayerTimes or None
        None if no span of these packets was seen.
    """
    owned = owners(events, packet_of) if owned is None else owned
    # A broadcast is on other nodes too, which are other routes.
    passed = np.array([name in nodes_of(route) for name in events.node_names], dtype=bool)
    ways = np.where(passed[events.nodes], ways, NONE).astype(np.int8)
    labels = LayerLabels(events, rows_of(route, packet_of), ways, packets=len(route))
    columns = labels.columns
    if not len(route) or not columns:
        return None
    size = len(route) * len(columns)
    self_samples = np.zeros(size, dtype=np.int64)
    for each in owned.values():
        working = np.flatnonzero(each.packet_spans >= 0)
        cells = labels.cells(each.spans[working], each.packet_spans[working])
        counted = cells >= 0
        # Sums of integers below 2^53 are exact in float64.
        sums = np.bincount(cells[counted], weights=each.durations[working][counted], minlength=size)
        self_samples += sums.astype(np.int64)
    return LayerTimes(
        layers=tuple((events.node_names[node], layer, WAYS[way]) for node, layer, way in columns),
        self_samples=self_samples.reshape(len(route), len(columns)),
        residence_samples=labels.residence(),
    )


def occupancy(
    events: Events,
    route: Route,
    *,
    packet_of: NDArray[np.int32],
    owned: Mapping[str, Ownership] | None = None,
) -> Occupancy:
    """What ran on the node of each step while it lasted; see `layer_times` for the parameters."""
    owned = owners(events, packet_of) if owned is None else owned
    instants = route.starts[:, np.newaxis] + np.cumsum(
        np.concatenate([np.zeros((len(route), 1), dtype=np.int64), route.steps.samples], axis=1), axis=1
    )
    nodes = [step.node for step in route.steps.steps]
    occupants = [(node, which) for node in dict.fromkeys(nodes) if node in owned for which in owned[node].names]
    shape = (len(route), len(nodes))
    mean = np.zeros((len(nodes), len(occupants)))
    own, preempted, sleep = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for node in dict.fromkeys(each for each in nodes if each in owned):
        steps = np.array([at for at, each in enumerate(nodes) if each == node])
        part = StepTimes(events, owned[node], route, packet_of, instants=instants, steps=steps)
        mine = part.own()
        own[:, steps], preempted[:, steps], sleep[:, steps] = mine, part.busy() - mine, part.sleep()
        columns = np.array([at for at, (each, _) in enumerate(occupants) if each == node])
        mean[np.ix_(steps, columns)] = part.means()
    return Occupancy(
        occupants=tuple(f"{node}: {which}" for node, which in occupants),
        mean_samples=mean,
        preempted_samples=preempted,
        own_samples=own,
        sleep_samples=sleep,
        known=np.array([node in owned and owned[node].scheduled for node in nodes], dtype=bool),
    )


def queue_lengths(events: Events, *, node: str, instants: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """How many messages waited in each queue of a node just before each instant.

    Posts less fetches; counted from the least that a queue held, because what was in it when the recording began is not
    known. It is counted anew after lost samples.

    Parameters
    ----------
    events
        Of the whole recording.
    node
        Name of the node.
    instants
        int64[k], samples.

    Returns
    -------
    dict
        ``queue 3`` for the queue with id 3: int64[k]. Empty where the node shows no queue.
    """
    post, fetch = BY_NAME["queue.post"].code, BY_NAME["queue.fetch"].code
    mine = np.flatnonzero((events.nodes == events.node(node)) & np.isin(events.codes, (post, fetch)))
    found = {}
    for queue in np.unique(events.ids[mine]).tolist():
        positions = mine[events.ids[mine] == queue]
        samples = events.samples[positions]
        change = np.where(events.codes[positions] == post, 1, -1)
        # Behind each event, and at the begin of each stretch without lost samples.
        begins = np.concatenate([[events.start], events.gaps[:, 1]]) - 1
        at = np.concatenate([samples, begins])
        order = np.argsort(at, kind="stable")
        total = np.cumsum(np.concatenate([change, np.zeros_like(begins)])[order])
        stretch = np.cumsum(order >= len(samples)) - 1
        least = np.full(len(begins), np.iinfo(np.int64).max)
        np.minimum.at(least, stretch, total)
        lengths = total - least[stretch]
        place = np.maximum(np.searchsorted(at[order], instants) - 1, 0)
        found[f"queue {queue}" if queue >= 0 else "queue"] = lengths[place]
    return found


def layers_table(layers: LayerTimes, route: Route) -> pa.Table:
    """One row per packet and layer, in the order of the path."""
    packet, column = np.divmod(np.arange(layers.self_samples.size), max(1, len(layers.layers)))
    columns: dict[str, Any] = {"packet_row": route.steps.rows[packet].astype(np.int32)}
    for name, values in zip(("node", "layer", "direction"), zip(*layers.layers, strict=True), strict=True):
        columns[name] = names(column, dict(enumerate(values)))
    rate = route.steps.samplerate_hz
    for name, times in (("self", layers.self_samples), ("residence", layers.residence_samples)):
        columns |= {f"{name}_samples": times.reshape(-1), f"{name}_ns": ns(times.reshape(-1), rate)}
    return table(columns, rate)


def occupancy_table(found: Occupancy, route: Route) -> pa.Table:
    """One row per step and occupant of its node: means over the packets."""
    steps, occupants = np.nonzero(
        [[name.startswith(f"{step.node}: ") for name in found.occupants] for step in route.steps.steps]
    )
    rate = route.steps.samplerate_hz
    period_ns = float(NS_PER_S / rate)
    in_the_way = found.preempted_samples.mean(axis=0) if len(route) else np.zeros(len(route.steps.steps))
    columns = {
        "step": names(steps, dict(enumerate(step.name for step in route.steps.steps))),
        "node": names(steps, dict(enumerate(step.node for step in route.steps.steps))),
        "occupant": names(occupants, dict(enumerate(name.partition(": ")[2] for name in found.occupants))),
        "mean_ns": found.mean_samples[steps, occupants] * period_ns,
        "step_in_the_way_mean_ns": in_the_way[steps] * period_ns,
        "known": found.known[steps],
    }
    return table(columns, rate)
