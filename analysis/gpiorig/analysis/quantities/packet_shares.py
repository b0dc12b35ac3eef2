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
from gpiorig.analysis.packets import delivery, hop_routes, timelines
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.routes import ROUND_TRIP, Route
from gpiorig.analysis.quantities.delays import main_route
from gpiorig.analysis.quantities.kinds import Kind
from gpiorig.analysis.quantities.names import Quantity
from gpiorig.analysis.quantities.series import NONE, Recorded, Series

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
        return [_Sent(ends, lines.packets, lost, lines.status != timelines.GAP)]
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


def _between(recorded: Recorded, origin: int, to: int) -> _Sent:
    hops, names = recorded.packets(), recorded.events.node_names
    packets, stays = hops.packets, hops.visits
    rows = np.flatnonzero(packets.accounted & (packets.origins == origin))
    arrived = hop_routes.deliveries(hops)
    got = np.zeros(len(packets), dtype=bool)
    got[stays.packets[arrived if to == NONE else arrived[stays.nodes[arrived] == to]]] = True
    unclear = packets.in_gap | (packets.status == delivery.UNCLEAR)
    name = names[origin] if to == NONE else f"{names[origin]} > {names[to]}"
    return _Sent(name, rows, (~got & ~unclear)[rows], (got | ~unclear)[rows])


def _retried(quantity: Quantity, recorded: Recorded) -> Series:
    """Packets of which some node, or the one asked for, sent a frame again; of round trips in either direction."""
    hops = recorded.packets()
    route = _some_route(recorded)
    senders = recorded.nodes(quantity)
    again = (hops.retries > 0) & np.isin(hops.senders, senders)
    of = hops.packet_rows.astype(np.int64)
    trips = recorded.analysis.round_trips
    if route.name == ROUND_TRIP and trips is not None:
        rows, of = trips.requests, trips.request_of[of]
    else:
        packets = hops.packets
        rows = np.flatnonzero(packets.accounted)
        if quantity.node:
            rows = np.intersect1d(rows, of[np.isin(hops.senders, senders)])
        else:
            origin = recorded.events.node_names.index(route.name.split(" > ")[0])
            rows = rows[packets.origins[rows] == origin]
    return _series(quantity, hops, quantity.node or route.name, rows, np.isin(rows, of[again]))


def _foreign(quantity: Quantity, recorded: Recorded) -> Series:
    """Packets whose wait for the radio, at any node or at the one asked for, met a frame of another sender."""
    hops, route = recorded.packets(), _some_route(recorded)
    air = frame_owners.for_route(recorded.events, route, header_ns=recorded.header_ns)
    recorded.nodes(quantity)
    waits = [air[step.name] for step in route.steps.steps if step.name in air and quantity.node in ("", step.node)]
    if not waits:
        raise QuantityError(
            "no line shows the frames on the air during a wait for the radio; the receiver needs `tap.frame_timestamp`."
        )
    met = np.logical_or.reduce([np.isfinite(one.wait.others) | one.hidden for one in waits])
    unknown = ~met & np.logical_or.reduce([_doubtful(one) for one in waits])
    lacking = route.lost + route.partial
    return _series(quantity, hops, quantity.node or route.name, route.steps.rows, met, unknown=unknown, lacking=lacking)


def _doubtful(air: Air) -> Flags:
    doubtful: Flags = air.unseen | air.unclear
    return doubtful


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
