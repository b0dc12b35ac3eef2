"""Quantities of shares and rates: processor occupancy, self-times, time of spans and of the radio, delivered data."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.attribution import airtime
from gpiorig.analysis.energy import states
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.events.ids import code_set
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.packets import delivery
from gpiorig.analysis.processor import occupancy, ownership
from gpiorig.analysis.processor.ownership import NUMBERS, Ownership, TimeOf
from gpiorig.analysis.quantities import milestones
from gpiorig.analysis.quantities.kinds import Kind
from gpiorig.analysis.quantities.names import RADIO, Quantity
from gpiorig.analysis.quantities.series import Recorded, Samples, Series, number_of, plain, single

_IS_RIG = code_set(code for code, event in BY_CODE.items() if event.layer == "rig" or code >= 128)


def processor(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Uninterrupted runs of an occupant of a processor (`Kind.RUN`), or its share of the time (`Kind.SHARE`)."""
    events = recorded.events
    by_node, occupants = [], dict[str, None]()
    for node in recorded.nodes(quantity):
        owned = states.occupants(recorded.events, recorded.index, node)
        occupant = _occupant(quantity)
        names = [ownership.name_of(key) for key in owned.keys]
        occupants |= dict.fromkeys(name for name, key in zip(names, owned.keys, strict=True) if key // NUMBERS > 0)
        if occupant not in names:
            continue
        is_running = owned.occupants == names.index(occupant)
        start, end, lost = active(recorded, node)
        if quantity.kind is Kind.SHARE:
            begins = np.clip(owned.starts, start, end)
            ends = np.clip(owned.starts + owned.durations, start, end)
            ran = int((ends - begins)[is_running].sum())
            by_node.append(single(events.node_names[node], quantity, ran, Fraction(1, end - start - lost), start))
        else:
            starts, ends = _joined(owned, is_running)
            by_node.append(plain(events.node_names[node], quantity, recorded, ends - starts, starts))
    if not by_node:
        occupant_names = ", ".join(f"`{name}`" for name in occupants) or "no occupant"
        raise QuantityError(
            f"no node shows that `{quantity.text}` ran; the recording has {occupant_names} (docs/guide/occupancy.md)."
        )
    return tuple(by_node)


def times_within(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Time for which an occupant ran on the processor of a node between two milestones of each packet at that node.

    Raises
    ------
    QuantityError
        The milestones are not at one node, or it does not show the occupant.
    """
    events = recorded.events
    by_node = []
    for window in milestones.between(quantity, recorded):
        if window.node not in events.node_names:
            raise QuantityError(f"`{window.node}` are two nodes; a processor is of one: name milestones of one node.")
        owned = states.occupants(events, recorded.index, events.node(window.node))
        names = [ownership.name_of(key) for key in owned.keys]
        if _occupant(quantity) in names:
            label = np.full(len(window.values), names.index(_occupant(quantity)))
            time_of = TimeOf(owned, owned.occupants.astype(np.int64))
            values = time_of.within(label, window.starts, window.starts + window.values)
            by_node.append(dataclasses.replace(window, values=values))
    if not by_node:
        raise QuantityError(
            f"no node of the milestones shows that `{_occupant(quantity)}` ran (docs/guide/occupancy.md)."
        )
    return tuple(by_node)


def duties(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """The share of time in which a span is open on a node, or the radio of a node is on.

    Raises
    ------
    QuantityError
        No node shows it; of a radio, the pins do not show when it listens.
    """
    events = recorded.events
    by_node = []
    for node in recorded.nodes(quantity):
        open_ = (
            _radio_on(recorded, node)
            if quantity.subject == RADIO
            else states.opened(events, recorded.index, quantity.subject, node)
        )
        if open_ is not None and len(open_):
            start, end, lost = active(recorded, node)
            share = Fraction(1, end - start - lost)
            busy = covered(np.clip(open_, start, end))
            by_node.append(single(events.node_names[node], quantity, busy, share, start))
    if by_node:
        return tuple(by_node)
    if quantity.subject == RADIO:
        raise QuantityError(
            f"the pins do not show when a receiver listens: no node has spans `{states.SLOTS[0]}` "
            f"(`events_slot = true`), or both `{states.LISTENING}` and `{states.IDLE}`. A receiver that is always on "
            "has none of them."
        )
    raise QuantityError(f"this recording does not show a span `{quantity.subject}` with enter and exit.")


def goodput(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Payload bits that reached the application of a node, by origin, per second.

    Each packet counts once per node, whatever was repeated (goodput of RFC 2647, section 3.17). The time
    runs from the first send call of the origin to the last delivery at the node.

    Raises
    ------
    QuantityError
        The recording has no packets, or the payload of the origin is not among the parameters.
    """
    hops = recorded.packets()
    visits, packets, names = hops.visits, hops.packets, recorded.events.node_names
    arrived = delivery.arrivals(visits, packets.origins.astype(np.int64))
    arrived = arrived[visits.deliveries[arrived] >= 0]
    origins = packets.origins[visits.packets[arrived]]
    chosen = set(recorded.nodes(quantity))
    by_node = []
    for origin, node in sorted(set(zip(origins.tolist(), visits.nodes[arrived].tolist(), strict=True))):
        if origin not in chosen:
            continue
        delivered = arrived[(origins == origin) & (visits.nodes[arrived] == node)]
        delivered = delivered[packets.starts[visits.packets[delivered]] >= recorded.begin]
        sent = np.flatnonzero((packets.origins == origin) & packets.called & (packets.starts >= recorded.begin))
        if not len(sent) or not len(delivered):
            continue
        start = int(packets.starts[sent].min())
        time = int(recorded.events.samples[visits.deliveries[delivered]].max()) - start
        bits = 8 * number_of(recorded, names[origin], "payload") * len(delivered)
        scale = recorded.events.samplerate_hz / time
        name = f"{names[origin]} > {names[node]}"
        by_node.append(single(name, quantity, bits, scale, start, lacking=int(packets.lost[sent].sum())))
    if not by_node:
        raise QuantityError("no packet of a send call reached an application.")
    return tuple(by_node)


def covered(intervals: Samples) -> int:
    """Number of samples in at least one of the intervals int64[k, 2]."""
    merged = airtime.union(airtime.Intervals(*intervals.T))
    return int((merged.ends - merged.starts).sum())


def active(recorded: Recorded, node: int) -> tuple[int, int, int]:
    """First and last sample of a node's activity without the rig's own events, and the samples lost between.

    Raises
    ------
    QuantityError
        All of it was before `Recorded.begin`.
    """
    events = recorded.events
    samples = events.samples[(events.nodes == node) & ~_IS_RIG[events.codes]]
    start, end = max(int(samples[0]), recorded.begin), int(samples[-1])
    if start > end:
        raise QuantityError(f"{events.node_names[node]} shows nothing after the warm-up.")
    inside = np.clip(events.gaps, start, end)
    return start, max(end, start + 1), int((inside[:, 1] - inside[:, 0]).sum())


def _occupant(quantity: Quantity) -> str:
    """The name of the occupant as `ownership.name_of` has it."""
    return f"{quantity.subject} {quantity.number}" if quantity.number >= 0 else quantity.subject


def _joined(owned: Ownership, is_running: NDArray[np.bool_]) -> tuple[Samples, Samples]:
    """Starts and ends of the runs of an occupant: adjacent intervals are one."""
    edges = np.diff(is_running.astype(np.int8), prepend=0, append=0)
    starts = owned.starts[np.flatnonzero(edges[:-1] == 1)]
    run_ends = np.flatnonzero(edges == -1) - 1
    return starts, owned.starts[run_ends] + owned.durations[run_ends]


def _radio_on(recorded: Recorded, node: int) -> Samples | None:
    """int64[k, 2], when the radio receives or sends; None where the pins do not show when it receives.

    A slotted MAC shows it by its spans. Others show when the receiver is switched on and off; then a transmission is
    from its command to its end.
    """
    events, index = recorded.events, recorded.index
    receiving = states.listening(events, index, node)
    if len(index.positions(f"{states.SLOTS[0]}.enter", node=node)):
        return np.concatenate([states.opened(events, index, point, node) for point in states.SLOTS])
    if receiving is None or recorded.analysis.hops is None:
        return receiving
    sent = recorded.analysis.hops.transmissions
    of_node = sent.nodes == node
    return np.concatenate([receiving, np.stack([sent.begins[of_node], sent.ends[of_node]], axis=1)])


def self_times(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Self-times of a layer, of the packets of every route whose steps are known; of both ways unless one is named.

    Raises
    ------
    QuantityError
        No node shows the layer with its enter and its exit.
    """
    hops, analysis = recorded.packets(), recorded.analysis
    chosen = {recorded.events.node_names[node] for node in recorded.nodes(quantity)}
    asked, _, way = quantity.subject.partition(" ")
    routes = [route for route in analysis.routes if len(route)]
    times = occupancy.for_routes(recorded.events, routes, packet_of=analysis.event_packets, ways=hops.ways)
    by_node: dict[str, list[tuple[np.ndarray, ...]]] = {}
    layer_names = dict[str, None]()
    for route, (layers, _) in zip(routes, times, strict=True):
        columns = layers.layers if layers is not None else ()
        layer_names |= dict.fromkeys(f"{layer} {direction}" for _, layer, direction in columns)
        for node in dict.fromkeys(node for node, *_ in columns if node in chosen):
            of_layer = [
                column
                for column, (at, layer, direction) in enumerate(columns)
                if at == node and layer == asked and way in ("", direction)
            ]
            if of_layer and layers is not None:
                samples = layers.self_samples[:, of_layer].sum(axis=1, dtype=np.int64)
                by_node.setdefault(node, []).append((route.starts, samples, route.steps.rows.astype(np.int32)))
    if not by_node:
        raise QuantityError(
            f"no node shows `{quantity.subject}`; the layers are {', '.join(layer_names) or 'not shown'}."
        )
    series = []
    for node, parts in by_node.items():
        starts, samples, rows = (np.concatenate(part) for part in zip(*parts, strict=True))
        order = np.argsort(starts, kind="stable")
        series.append(plain(node, quantity, recorded, samples[order], starts[order], packets=rows[order]))
    return tuple(series)
