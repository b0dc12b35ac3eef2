"""Shares of packets: lost, delivered, sent again, held up by another sender; 0 or 1 for each packet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.attribution import frame_owners
from gpiorig.analysis.attribution.on_air import Air
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.packets import hop_routes, timelines
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.quantities.delays import main_route
from gpiorig.analysis.quantities.kinds import Kind
from gpiorig.analysis.quantities.names import Quantity
from gpiorig.analysis.quantities.series import NONE, Recorded, Series

ALL = "all nodes"

Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Sent:
    """Packets that were sent from one node to another, or round trips.

    Parameters
    ----------
    node
        Such as ``initiator > responder``.
    rows
        int64[k], rows of the packets; of a round trip that of its request.
    lost, known
        bool[k], whether each was lost, and whether that is known.
    """

    node: str
    rows: Rows
    lost: Flags
    known: Flags


def flags(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """A series of 0 and 1 for each origin and destination; of the main packets unless a node is asked for.

    Raises
    ------
    QuantityError
        The recording has no such packets, or no line shows the frames on the air.
    """
    hops = recorded.packets()
    if quantity.kind is Kind.DELIVERY_OF_ALL:
        return (_fate(quantity, hops, _all(quantity, recorded)),)
    if quantity.kind in (Kind.LOSS, Kind.DELIVERY):
        fates = _of_node(quantity, recorded) if quantity.node else _main(recorded)
        return tuple(_fate(quantity, hops, sent) for sent in fates)
    return (_RETRIED_OR_FOREIGN[quantity.kind](quantity, recorded),)


def _fate(quantity: Quantity, hops: Hops, sent: _Sent) -> Series:
    """Whether each packet was lost, or was delivered; a packet of unknown fate is not lost, and lacks a delivery."""
    if quantity.kind is Kind.LOSS:
        return _series(quantity, hops, sent.node, sent.rows, sent.lost)
    return _series(quantity, hops, sent.node, sent.rows, ~sent.lost, unknown=~sent.known)


def _main(recorded: Recorded) -> list[_Sent]:
    """The round trips; without them the packets between the ends of the route that most of them took."""
    route, lines = main_route(recorded.analysis), recorded.analysis.timelines
    if route is None:
        raise QuantityError("no packet was sent by a call.")
    if lines is not None:
        lost = lines.status == timelines.LOST
        ends = f"{lines.initiator} > {lines.responder}"
        return [_Sent(ends, lines.packets, lost, ~np.isin(lines.status, timelines.UNKNOWN))]
    origin, *_, to = route.name.split(" > ")
    nodes = recorded.events.node_names
    return [_between(recorded, nodes.index(origin), nodes.index(to) if to in nodes else NONE)]


def _of_node(quantity: Quantity, recorded: Recorded) -> list[_Sent]:
    """The packets of one origin, for each node that they are for."""
    (origin,) = recorded.nodes(quantity)
    packets = recorded.packets().packets
    if not (packets.accounted & (packets.origins == origin)).any():
        raise QuantityError(f"{quantity.node} sent no packet of its own.")
    return [_between(recorded, origin, to) for to in packets.destinations.get(origin, (NONE,))]


def _all(quantity: Quantity, recorded: Recorded) -> _Sent:
    """The packets of all origins together, for each node that they are for, in the order of their rows."""
    if quantity.node:
        raise QuantityError(f"it is of all nodes together; ask for `{Kind.DELIVERY.value} at {quantity.node}`.")
    packets = recorded.packets().packets
    ends = [
        (int(origin), to)
        for origin in np.unique(packets.origins[packets.accounted])
        for to in packets.destinations.get(int(origin), (NONE,))
    ]
    if not ends:
        raise QuantityError("no node sent a packet of its own.")
    sent = [_between(recorded, origin, to) for origin, to in ends]
    rows = np.concatenate([of_pair.rows for of_pair in sent])
    lost, known = (np.concatenate([getattr(of_pair, name) for of_pair in sent]) for name in ("lost", "known"))
    order = np.argsort(rows, kind="stable")
    return _Sent(ALL, rows[order], lost[order], known[order])


def _between(recorded: Recorded, origin: int, to: int) -> _Sent:
    hops, names = recorded.packets(), recorded.events.node_names
    packets, stays = hops.packets, hops.visits
    rows = np.flatnonzero(packets.accounted & (packets.origins == origin))
    arrived = hop_routes.deliveries(hops)
    got = np.zeros(len(packets), dtype=bool)
    got[stays.packets[arrived if to == NONE else arrived[stays.nodes[arrived] == to]]] = True
    unclear = packets.unknown
    name = names[origin] if to == NONE else f"{names[origin]} > {names[to]}"
    return _Sent(name, rows, (~got & ~unclear)[rows], (got | ~unclear)[rows])


def _retried(quantity: Quantity, recorded: Recorded) -> Series:
    """Packets of which some node, or the one asked for, sent a frame again; of round trips in either direction.

    A frame is sent again if its driver commands it again, a receiver reads it again, or a line shows it on the air
    while the packet waits for the radio. Where lines show waits, packets whose wait they do not explain lack a value.
    """
    hops, route = recorded.packets(), _some_route(recorded)
    senders = recorded.nodes(quantity)
    again = ((hops.retries > 0) | (hops.duplicates > 0)) & np.isin(hops.senders, senders)
    rows, of_hops = _route_packets(quantity, recorded, route, senders)
    retried = np.isin(rows, of_hops[again])
    waits = _waits(quantity, recorded, route)
    unknown = None
    if waits:
        retried |= np.isin(rows, route.steps.rows[_any([one.wait.repeated for one in waits])])
        clear = ~_any([one.unclear for one in waits])
        unknown = ~retried & ~np.isin(rows, route.steps.rows[clear])
    return _series(quantity, hops, quantity.node or route.name, rows, retried, unknown=unknown)


def _route_packets(quantity: Quantity, recorded: Recorded, route: Route, senders: list[int]) -> tuple[Rows, Rows]:
    """Rows of the packets to be judged, and of every hop the row that it counts for, -1 for none."""
    hops, trips = recorded.packets(), recorded.analysis.round_trips
    of_hops = hops.packet_rows.astype(np.int64)
    if trips is not None:
        return trips.requests, trips.request_of[of_hops]
    rows = np.flatnonzero(hops.packets.accounted)
    if quantity.node:
        return np.intersect1d(rows, of_hops[np.isin(hops.senders, senders)]), of_hops
    origin = recorded.events.node_names.index(route.name.split(" > ")[0])
    return rows[hops.packets.origins[rows] == origin], of_hops


def _foreign(quantity: Quantity, recorded: Recorded) -> Series:
    """Packets whose wait for the radio, at any node or at the one asked for, met a frame of another sender."""
    hops, route = recorded.packets(), _some_route(recorded)
    recorded.nodes(quantity)
    waits = _waits(quantity, recorded, route)
    if not waits:
        raise QuantityError(
            "no line shows the frames on the air during a wait for the radio; the receiver needs `tap.frame_timestamp`."
        )
    met = _any([np.isfinite(one.wait.others) | one.hidden for one in waits])
    unknown = ~met & _any([one.unseen | one.unclear for one in waits])
    lacking = route.lost + route.partial
    return _series(quantity, hops, quantity.node or route.name, route.steps.rows, met, unknown=unknown, lacking=lacking)


def _waits(quantity: Quantity, recorded: Recorded, route: Route) -> list[Air]:
    """The frames around each wait for the radio, at any node or at the one asked for; none without a line."""
    air = frame_owners.for_route(recorded.events, route, header_ns=recorded.header_ns)
    return [air[step.name] for step in route.steps.steps if step.name in air and quantity.node in ("", step.node)]


def _any(flags_of: list[Flags]) -> Flags:
    any_of_them: Flags = np.logical_or.reduce(flags_of)
    return any_of_them


_RETRIED_OR_FOREIGN: Mapping[Kind, Callable[[Quantity, Recorded], Series]] = {
    Kind.RETRIED: _retried,
    Kind.FOREIGN: _foreign,
}


def _some_route(recorded: Recorded) -> Route:
    route = main_route(recorded.analysis)
    if route is None:
        raise QuantityError("no packet was sent by a call.")
    return route


def _series(
    quantity: Quantity,
    hops: Hops,
    node: str,
    rows: Rows,
    values: Flags,
    *,
    unknown: Flags | None = None,
    lacking: int = 0,
) -> Series:
    known = np.ones(len(rows), dtype=bool) if unknown is None else ~unknown
    return Series(
        node=node,
        quantity=quantity,
        values=values[known].astype(np.int64),
        scale=Fraction(1),
        starts=hops.packets.starts[rows[known]],
        packets=rows[known].astype(np.int32),
        lacking=int(np.count_nonzero(~known)) + lacking,
        lacking_packets=rows[~known].astype(np.int32),
    )
