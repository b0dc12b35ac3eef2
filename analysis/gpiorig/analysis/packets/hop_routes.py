"""Routes of packets over any number of hops: those with equal paths, from the call at the origin to the delivery."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import SLICE_EVENTS
from gpiorig.analysis.packets import delivery, path
from gpiorig.analysis.packets import steps as steps_module
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.occurrences import NONE, Positions
from gpiorig.analysis.packets.passages import column
from gpiorig.analysis.packets.path import PATH
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.steps import Step, Steps

NOWHERE = "?"
Path = tuple[int, ...]


def deliveries(hops: Hops, among: NDArray[np.bool_] | None = None) -> Positions:
    """Rows of the visits at which packets that count were delivered, the first of each packet at a node.

    `among` are the packets that count, bool[p]; all without it.
    """
    stays, packets = hops.visits, hops.packets
    every = delivery.arrivals(stays, packets.origins)
    counted = packets.accounted if among is None else packets.accounted & among
    rows, start = [np.zeros(0, dtype=np.int64)], 0
    while start < len(every):
        # As many as a slice, and those of its last packet.
        end = np.searchsorted(stays.packets, stays.packets[every[min(start + SLICE_EVENTS, len(every)) - 1]], "right")
        end = int(np.searchsorted(every, end))
        arrived = every[start:end]
        arrived = arrived[counted[stays.packets[arrived]]]
        order = np.argsort(stays.deliveries[arrived], kind="stable")
        place = stays.packets[arrived].astype(np.int64) * len(hops.events.node_names) + stays.nodes[arrived]
        first = np.unique(place[order], return_index=True)[1]
        rows.append(np.sort(arrived[order[first]]))
        start = end
    return np.concatenate(rows)


def routes(hops: Hops, among: NDArray[np.bool_] | None = None) -> tuple[Route, ...]:
    """One route for each path that packets were delivered over, those with the most packets first.

    The steps of a packet add up to the time from its call at the origin to its delivery, exactly. A packet that reached
    several nodes is in the route of each. One that was lost counts for the most used route from its origin to the node
    it was for; if nothing ever got there, for a route without steps. `among` are the packets that count, bool[p].
    """
    every = [_route(hops, nodes, chains) for nodes, chains in _paths(hops, among).items()]
    every.sort(key=lambda route: (-len(route[1]) - route[1].partial, route[1].name))
    lost = _lost(hops, among)
    lost_only = []
    for nodes, route in every:
        ends = (nodes[0], nodes[-1])
        counts = [lost.pop(ends, (0, 0)), lost.pop((nodes[0], NONE), (0, 0))]
        lost_only.append(_with_lost(route, *np.sum(counts, axis=0).tolist()))
    names = hops.events.node_names
    for (origin, to), (missing, in_gaps) in sorted(lost.items()):
        if missing + in_gaps:
            name = f"{names[origin]} > {names[to] if to != NONE else NOWHERE}"
            lost_only.append(_with_lost(_empty(hops, name), missing, in_gaps))
    return tuple(lost_only)


def covariates(hops: Hops, route: Route) -> dict[str, NDArray[np.float64]]:
    """Of every packet of a route that is in its steps, counts over all hops: what the delay may depend on.

    float64[k] each: ``attempts`` (transmissions), ``retries`` (those that repeat a frame), ``frames``, ``no_ack``,
    ``busy``, and ``duplicates`` (frames read again, which the radio's own repetitions show as).
    """
    names = hops.events.node_names
    for nodes, visits in _paths(hops).items():
        if " > ".join(names[node] for node in nodes) == route.name:
            chains = visits[np.searchsorted(hops.visits.packets[visits[:, 0]], route.steps.rows)]
            rows = _rows_of_visits(hops)[chains[:, 1:]]
            counts = ("attempts", "retries", "frames", "no_ack", "busy", "duplicates")
            return {name: getattr(hops, name)[rows].sum(axis=1).astype(np.float64) for name in counts}
    return {}


def _rows_of_visits(hops: Hops) -> Positions:
    """int64[v], row of the hop that led to each visit, -1 for none."""
    rows = np.full(len(hops.visits), NONE, dtype=np.int64)
    arriving = np.flatnonzero(hops.visits_to >= 0)
    rows[hops.visits_to[arriving]] = arriving
    return rows


def _paths(hops: Hops, among: NDArray[np.bool_] | None = None) -> dict[Path, NDArray[np.int64]]:
    """Of every path of nodes the visits of each packet along it: int64[k, nodes], in the order of sending."""
    stays, arrived = hops.visits, deliveries(hops, among)
    paths: dict[Path, NDArray[np.int64]] = {}
    for count in np.unique(stays.hops[arrived]).tolist():
        chain = [arrived[stays.hops[arrived] == count]]
        for _ in range(count):
            chain.append(stays.parents[chain[-1]].astype(np.int64))
        visits = np.column_stack(chain[::-1])
        nodes, group = np.unique(stays.nodes[visits], axis=0, return_inverse=True)
        for number, node in enumerate(nodes.tolist()):
            paths[tuple(node)] = visits[group.reshape(-1) == number]
    return paths


def _route(hops: Hops, nodes: Path, visits: NDArray[np.int64]) -> tuple[Path, Route]:
    names = tuple(hops.events.node_names[node] for node in nodes)
    row_of_visit = _rows_of_visits(hops)
    ways = path.ways(len(nodes) - 1)
    wanted = [path.milestone(way, place, point) for place, way in enumerate(ways) for point in PATH]
    rows = [row_of_visit[visits[:, hop]] for hop in range(1, len(nodes))]

    def instants(place: int) -> Positions:
        hop, point = divmod(place, len(PATH))
        return column(hops.samples, PATH[point].name)[rows[hop]]

    shown = steps_module.present(wanted, instants, np.ones(len(visits), dtype=bool))
    milestones = [milestone for milestone, here in zip(wanted, shown, strict=True) if here]
    samples = np.column_stack([instants(column) for column in np.flatnonzero(shown).tolist()])
    packets = hops.visits.packets[visits[:, 0]]
    good = np.all(samples != NONE, axis=1) & np.all(np.diff(samples, axis=1) >= 0, axis=1)
    good &= ~hops.packets.in_gap[packets]
    steps: tuple[Step, ...] = tuple(
        steps_module.between(start, end, nodes=names, ways=ways) for start, end in pairwise(milestones)
    )
    route = Route(
        name=" > ".join(names),
        steps=Steps(
            steps=steps,
            rows=packets[good].astype(np.int64),
            samples=steps_module.durations(samples, np.flatnonzero(good)),
            samplerate_hz=hops.events.samplerate_hz,
        ),
        ids=hops.packets.ids[packets[good]],
        starts=samples[good, 0],
        lost=0,
        partial=int(np.count_nonzero(~good)),
    )
    return nodes, route


def _lost(hops: Hops, among: NDArray[np.bool_] | None) -> dict[tuple[int, int], tuple[int, int]]:
    """Packets that count and did not arrive, by origin and the node they were for: lost, and not known."""
    packets, stays = hops.packets, hops.visits
    arrived = deliveries(hops, among)
    counted = packets.accounted if among is None else packets.accounted & among
    counts: dict[tuple[int, int], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for origin in np.unique(packets.origins[counted]).tolist():
        sent = counted & (packets.origins == origin)
        for node in packets.destinations.get(origin, (NONE,)):
            got = np.zeros(len(packets), dtype=bool)
            got[stays.packets[arrived if node == NONE else arrived[stays.nodes[arrived] == node]]] = True
            missing = sent & ~got
            unclear = int(np.count_nonzero(missing & packets.unknown))
            counts[origin, node] = (int(np.count_nonzero(missing)) - unclear, unclear)
    return counts


def _with_lost(route: Route, lost: int, in_gaps: int) -> Route:
    return Route(
        name=route.name,
        steps=route.steps,
        ids=route.ids,
        starts=route.starts,
        lost=lost,
        partial=route.partial + in_gaps,
    )


def _empty(hops: Hops, name: str) -> Route:
    none = np.zeros(0, dtype=np.int64)
    steps = Steps(steps=(), rows=none, samples=none.reshape(0, 0), samplerate_hz=hops.events.samplerate_hz)
    return Route(name=name, steps=steps, ids=none.astype(np.int32), starts=none, lost=0, partial=0)
