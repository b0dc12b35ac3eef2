"""The analysis of one recording: every stage from its events to the routes of its packets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.errors import EventError
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.ids import EVERYTHING
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.analysis.packets import hop_routes, hops, node_accounts, reordering, round_trips
from gpiorig.analysis.packets.event_packets import EventPackets
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.node_accounts import NodeAccount
from gpiorig.analysis.packets.reordering import Reordering
from gpiorig.analysis.packets.round_trips import RoundTrips
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.timelines import Timelines
from gpiorig.capture import memory


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """Every stage of one recording.

    Parameters
    ----------
    events
        All events, by node.
    hops
        All packets, hop by hop; None if the events show none.
    no_packets
        The reason for no packets.
    round_trips
        Pairs of packets; None where no node's packets are answered, or the events show none.
    routes
        Packets with equal paths: round trips first, then all packets outside round trips, the route with the most
        packets first.
    logs
        Logs by name of the node.
    accounts
        Each node's log compared with the pins.
    reordering
        Reordering between every two nodes.
    """

    events: Events
    hops: Hops | None
    no_packets: str
    round_trips: RoundTrips | None
    routes: tuple[Route, ...]
    logs: Mapping[str, NodeLog]
    accounts: tuple[NodeAccount, ...]
    reordering: tuple[Reordering, ...]

    @property
    def no_packets_sentence(self) -> str:
        """The reason for no packets, with a capital."""
        return f"{self.no_packets[:1].upper()}{self.no_packets[1:]}"

    @property
    def timelines(self) -> Timelines | None:
        """The milestones of all round trips."""
        return None if self.round_trips is None else self.round_trips.timelines

    @property
    def account(self) -> NodeAccount | None:
        """The account of the node whose packets are answered; None without a log that counts or lists packets."""
        initiator = None if self.timelines is None else self.timelines.initiator
        return next((one for one in self.accounts if one.node == initiator and one.is_of_packets), None)

    @property
    def packet_of(self) -> NDArray[np.int32]:
        """int32[n], row of the packet of every event; for a reply that of its request; -1 for none."""
        if self.hops is None:
            return np.full(len(self.events), -1, dtype=np.int32)
        return self.event_packets[EVERYTHING]

    @property
    def event_packets(self) -> EventPackets:
        """The same, looked up for a part of the events at a time; only where there are packets."""
        assert self.hops is not None
        packets = self.hops.visits.packets
        if self.round_trips is not None:
            request_of = self.round_trips.request_of
            packets = np.where(request_of >= 0, request_of, np.arange(len(request_of)))[packets]
        return EventPackets(self.hops.visit_of, packets)

    @property
    def in_round_trips(self) -> NDArray[np.bool_] | None:
        """bool[n], events of packets that make round trips; None without them."""
        if self.hops is None or self.round_trips is None:
            return None
        packet_of = self.hops.packet_of
        paired: NDArray[np.bool_] = self.round_trips.request_of >= 0
        return (packet_of >= 0) & paired[np.maximum(packet_of, 0)]


def analyse(
    events: Events,
    logs: Mapping[str, NodeLog],
    *,
    header_ns: Mapping[str, int],
    destinations: Mapping[str, tuple[str, ...]] | None = None,
    ends: tuple[str, str] | None = None,
    sent: bool = True,
    progress: Callable[[int], object] | None = None,
) -> Analysis:
    """Follow all packets of a recording.

    Parameters
    ----------
    events, logs
        Events and logs of the recording.
    header_ns, destinations
        As in `hops.build`.
    ends
        The node whose packets are answered, and the one that answers; None where packets go one way.
    sent
        Whether the node is known to have sent packets. Otherwise they go one way if it shows no send call.
    progress
        Is called with the number of events when their packets are known.
    """
    try:
        stage = hops.build(events, header_ns=header_ns, destinations=destinations)
    except EventError as error:
        return Analysis(events, None, str(error), None, (), logs, (), ())
    memory.give_back()
    if progress is not None:
        progress(len(events))
    trips, others = None, None
    if ends is not None:
        trips = round_trips.find(stage, initiator=ends[0], responder=ends[1], header_ns=header_ns)
        if len(trips) or sent:
            others = trips.request_of < 0
        else:
            trips = None
    routes = hop_routes.routes(stage, others)
    memory.give_back()
    return Analysis(
        events=events,
        hops=stage,
        no_packets="",
        round_trips=trips,
        routes=routes if trips is None else (round_trips.route(trips), *routes),
        logs=logs,
        accounts=node_accounts.compare(stage, logs, trips),
        reordering=reordering.find(stage),
    )
