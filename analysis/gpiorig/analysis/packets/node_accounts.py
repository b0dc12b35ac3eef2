"""Accounts: what each node's log contains of the packets it sent and received, compared with the pins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.analysis.packets import delivery, timelines
from gpiorig.analysis.packets.holders import READ
from gpiorig.analysis.packets.hop_routes import deliveries
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.round_trips import RoundTrips

NO_BUFFER = "queue"  # the application had no buffer or its queue was full: such a packet may have no send call
OK = "ok"
NOT_ON_PINS = "no send call was seen on the pins"
NO_REPLY_ON_PINS = "the firmware has its reply, the pins do not show it"
NOT_LOGGED = "the firmware counted it, its log line is missing"
ARRIVED = (
    timelines.STATUS[timelines.COMPLETE],
    timelines.STATUS[timelines.PARTIAL],
    delivery.STATUS[delivery.DELIVERED],
)


@dataclass(frozen=True, slots=True)
class NodeAccount:
    """One node's packets, by its log and by the pins.

    Parameters
    ----------
    node
        Its name.
    sent, received
        Packets that the firmware counted, None if it reported no numbers.
    listed
        Packets in its log.
    seen_sent, seen_received
        Send calls and deliveries to the application on the pins.
    outcomes
        Of the packets that it sent and both know: how many had each outcome in the log and each status on the pins, by
        (outcome, status); the status is that of the round trip where the packet is answered.
    extra
        Send calls on the pins that its log does not have.
    not_seen
        Packets in its log without a send call on the pins, by their outcome.
    not_logged
        Send calls on the pins without a line in its log, if it logs what it sends.
    received_not_seen, received_not_logged
        The same of the packets that it received, if it logs them.
    late
        Of the deliveries on the pins, those of packets that it had given up: replies after its time-out.
    others
        Deliveries of other nodes' packets at the ends of round trips, whose application takes and logs those of the
        other end only; not in `seen_received`.
    unknown
        Deliveries of frames whose transmission is not known, and so not their sender; not in `seen_received`. Firmware
        counts and logs them if they are for its application.
    again
        Further deliveries of the same packets: a stack without a filter for duplicates (GNRC of RIOT) hands a frame up
        that was sent again. Firmware counts and logs them, or does not.
    """

    node: str
    sent: int | None
    received: int | None
    listed: int
    seen_sent: int
    seen_received: int
    outcomes: dict[tuple[str, str], int]
    not_seen: dict[str, int]
    not_logged: int
    received_not_seen: int
    received_not_logged: int
    late: int
    others: int
    unknown: int
    again: int
    extra: int
    round_trips: bool

    @property
    def is_of_packets(self) -> bool:
        """Whether the node's log counts or lists packets; that of an application with other lines does neither."""
        return self.sent is not None or self.listed > 0

    @property
    def total(self) -> int:
        """Packets that it sent: as its firmware counted them, without a count as its log lists them."""
        return self.listed if self.sent is None else self.sent

    @property
    def arrived(self) -> int:
        """Packets that arrived on the pins; of answered packets those with a round-trip time."""
        return sum(n for (_, status), n in self.outcomes.items() if status in ARRIVED)

    @property
    def given_up(self) -> int:
        """Packets that arrived although the firmware had given them up."""
        return sum(n for (outcome, status), n in self.outcomes.items() if status in ARRIVED and outcome != OK)

    @property
    def lost(self) -> dict[str, int]:
        """Packets that the firmware gave up and that did not arrive, by its reason."""
        losses = Counter({outcome: n for outcome, n in self.not_seen.items() if outcome != OK})
        for (outcome, status), n in self.outcomes.items():
            if status not in ARRIVED and outcome != OK:
                losses[outcome] += n
        return dict(sorted(losses.items()))

    @property
    def not_arrived(self) -> dict[str, int]:
        """Packets that arrived by the log and not on the pins, by the reason."""
        reasons = {timelines.STATUS[timelines.LOST]: NO_REPLY_ON_PINS}
        by_reason: Counter[str] = Counter()
        for (outcome, status), n in self.outcomes.items():
            if status not in ARRIVED and outcome == OK:
                by_reason[reasons.get(status, status)] += n
        by_reason[NOT_ON_PINS] += self.not_seen.get(OK, 0)
        by_reason[NOT_LOGGED] += max(0, self.total - self.listed)
        return {reason: n for reason, n in sorted(by_reason.items()) if n}

    @property
    def unaccounted(self) -> int:
        """Packets that neither arrived nor are lost; 0 when every packet is accounted for."""
        return self.total - self.arrived - sum(self.lost.values())

    def problems(self) -> list[str]:
        """Where the two differ, a sentence each; empty when every packet is accounted for."""
        sentences = []
        unsent = self.not_seen.get(NO_BUFFER, 0)
        if self.sent is not None and self.sent - unsent != self.seen_sent:
            sentences.append(
                f"Node {self.node} reports {self.sent} packets sent"
                + (f", {unsent} of them without a buffer" if unsent else "")
                + f"; the pins show {self.seen_sent} send calls."
            )
        in_time = self.seen_received - self.late
        if self.received is not None and not in_time <= self.received <= in_time + self.again + self.unknown:
            sentences.append(
                f"Node {self.node} reports {self.received} packets received; the pins show {in_time} deliveries."
            )
        others = sum(self.not_seen.values()) - unsent
        for number, what in (
            (others, "packets in the log of node {} have no send call on the pins"),
            (self.not_logged, "packets that node {} sent are not in its log"),
            (self.received_not_seen, "packets that node {} logged as received were not delivered on the pins"),
            (self.received_not_logged, "packets that were delivered at node {} are not in its log"),
        ):
            if number:
                sentences.append(f"{number} {what.format(self.node)}: is it the log of this run?")
        if self.round_trips and self.unaccounted:
            sentences.append(f"{self.unaccounted} packets are neither timelined nor lost.")
        return sentences


def compare(hops: Hops, logs: Mapping[str, NodeLog], round_trips: RoundTrips | None = None) -> tuple[NodeAccount, ...]:
    """An account of every node that has a log; a node that was reset counts again from zero and is omitted.

    Packets are matched line by line, unless the node reports that lines were lost, or some cannot be read.
    """
    names = hops.events.node_names
    return tuple(
        _account(hops, names.index(node), log, round_trips)
        for node, log in logs.items()
        if node in names and log.boots <= 1
    )


def _account(hops: Hops, node: int, log: NodeLog, round_trips: RoundTrips | None) -> NodeAccount:
    packets, stays = hops.packets, hops.visits
    called = np.flatnonzero(packets.called & (packets.origins == node))
    fates, texts = packets.status[called], delivery.STATUS
    answered = round_trips is not None and round_trips.timelines.initiator == log.node
    if round_trips is not None and answered:
        fates, texts = round_trips.timelines.status, timelines.STATUS
    got = deliveries(hops)
    got = got[stays.nodes[got] == node]
    got = got[np.argsort(stays.deliveries[got], kind="stable")]
    expected = _expected(packets.origins[stays.packets[got]], node, hops, round_trips)
    others, got = int(np.count_nonzero(~expected)), got[expected]
    sent_lines, received_lines = np.flatnonzero(log.sent_us >= 0), np.flatnonzero(log.received_us >= 0)
    logged, seen = _match(log.sequences[sent_lines], packets.ids[called])
    outcomes = Counter(
        (log.outcomes[sent_lines[line]], texts[int(fates[row])])
        for line, row in zip(logged.tolist(), seen.tolist(), strict=True)
    )
    complete_log = not log.done.get("uart_dropped") and not log.malformed
    unseen = np.setdiff1d(np.arange(len(sent_lines)), logged)
    got_ids = packets.ids[stays.packets[got]]
    every = np.repeat(np.arange(len(got)), 1 + stays.again[got])
    received_logged, received_seen = _match(log.sequences[received_lines], got_ids[every])
    received_seen = np.unique(every[received_seen])
    unlogged = np.setdiff1d(np.arange(len(got)), received_seen)
    strange = np.flatnonzero((stays.kinds[stays.packets] == READ) & (stays.nodes == node) & (stays.deliveries >= 0))
    lines_left = np.delete(log.sequences[received_lines], received_logged)
    of_strange = len(_match(lines_left, packets.ids[stays.packets[strange]])[0])
    late = len(_match(log.sequences[log.lost & (log.received_us < 0)], got_ids[unlogged])[0])
    return NodeAccount(
        node=log.node,
        sent=log.done.get("sent"),
        received=log.done.get("received"),
        listed=len(sent_lines),
        seen_sent=len(called),
        seen_received=len(got),
        outcomes=dict(outcomes),
        not_seen=dict(Counter(log.outcomes[sent_lines[line]] for line in unseen.tolist())),
        not_logged=len(called) - len(seen) if len(sent_lines) and complete_log else 0,
        received_not_seen=len(received_lines) - len(received_logged) - of_strange,
        received_not_logged=len(unlogged) - late if len(received_lines) and complete_log else 0,
        late=late,
        others=others,
        unknown=len(strange),
        again=len(every) - len(got),
        extra=len(called) - len(seen),
        round_trips=answered,
    )


def _expected(origins: NDArray[np.int64], node: int, hops: Hops, round_trips: RoundTrips | None) -> NDArray[np.bool_]:
    """bool[k], whether a node's application takes packets: at the ends of round trips those of the two ends."""
    names = hops.events.node_names
    ends = () if round_trips is None else (round_trips.timelines.initiator, round_trips.timelines.responder)
    if names[node] not in ends:
        return np.ones(len(origins), dtype=bool)
    return np.isin(origins, [names.index(end) for end in ends])


def _match(logged: NDArray[np.int32], seen: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of the packets that are in both, paired: equal ids of the same round, in order."""
    first, second = _with_occurrence(_unwrapped(logged)), _with_occurrence(_unwrapped(seen))
    _, rows, others = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    return rows, others


def _unwrapped(ids: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64[k], ids that continue after 65535, if each is less than half a round from the one before."""
    if not len(ids):
        return np.zeros(0, dtype=np.int64)
    ahead = (np.diff(ids).astype(np.int64) + (1 << 15) & 0xFFFF) - (1 << 15)
    return int(ids[0]) + np.concatenate([[0], np.cumsum(ahead)])


def _with_occurrence(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[k], a number for each number and how often it came before, all different."""
    order = np.argsort(numbers, kind="stable")
    arranged = numbers[order]
    begins = np.searchsorted(arranged, arranged)
    numbered = np.empty(len(numbers), dtype=np.int64)
    numbered[order] = (arranged << 24) + np.arange(len(numbers)) - begins
    return numbered
