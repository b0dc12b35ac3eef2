"""What each node's log says it sent and received, held against what the pins show."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.analysis.packets import journeys
from gpiorig.analysis.packets.hop_routes import deliveries
from gpiorig.analysis.packets.hops import Hops

NO_BUFFER = "queue"  # the application had no buffer or its queue was full: such a packet may have no send call
OK = "ok"


@dataclass(frozen=True, slots=True)
class NodeAccount:
    """One node's packets, by its log and by the pins.

    Parameters
    ----------
    node
        Its name.
    sent, received
        Packets that the firmware counted, None if it reported no numbers.
    seen_sent, seen_received
        Send calls and deliveries to the application on the pins.
    outcomes
        Of the packets that it sent and both know: how many had each outcome in the log and each status on the pins, by
        (outcome, status).
    not_seen
        Packets in its log without a send call on the pins, by their outcome.
    not_logged
        Send calls on the pins without a line in its log, if it logs what it sends.
    received_not_seen, received_not_logged
        The same of the packets that it received, if it logs them.
    late
        Of the deliveries on the pins, those of packets that it had given up: replies after its time-out.
    """

    node: str
    sent: int | None
    received: int | None
    seen_sent: int
    seen_received: int
    outcomes: dict[tuple[str, str], int]
    not_seen: dict[str, int]
    not_logged: int
    received_not_seen: int
    received_not_logged: int
    late: int

    def problems(self) -> list[str]:
        """Where the two differ, a sentence each; empty when all is accounted for."""
        found = []
        unsent = self.not_seen.get(NO_BUFFER, 0)
        if self.sent is not None and self.sent - unsent != self.seen_sent:
            found.append(
                f"Node {self.node} says it sent {self.sent} packets"
                + (f", {unsent} of them without a buffer" if unsent else "")
                + f"; the pins show {self.seen_sent} send calls."
            )
        if self.received is not None and self.received != self.seen_received - self.late:
            found.append(
                f"Node {self.node} says it received {self.received} packets; "
                f"the pins show {self.seen_received - self.late} deliveries."
            )
        others = sum(self.not_seen.values()) - unsent
        for number, what in (
            (others, "packets in the log of node {} have no send call on the pins"),
            (self.not_logged, "packets that node {} sent are not in its log"),
            (self.received_not_seen, "packets that node {} logged as received were not delivered on the pins"),
            (self.received_not_logged, "packets that were delivered at node {} are not in its log"),
        ):
            if number:
                found.append(f"{number} {what.format(self.node)}: is it the log of this run?")
        return found


def compare(hops: Hops, logs: dict[str, NodeLog]) -> tuple[NodeAccount, ...]:
    """An account of every node that has a log; a node that was reset counts anew and is left out.

    Packets are matched line by line, unless the node says that lines were lost, or some cannot be read.
    """
    names = hops.events.node_names
    return tuple(
        _account(hops, names.index(node), log) for node, log in logs.items() if node in names and log.boots <= 1
    )


def _account(hops: Hops, node: int, log: NodeLog) -> NodeAccount:
    travels, stays = hops.journeys, hops.visits
    called = np.flatnonzero(travels.called & (travels.origins == node))
    got = deliveries(hops)
    got = got[stays.nodes[got] == node]
    got = got[np.argsort(stays.deliveries[got], kind="stable")]
    sent_lines, received_lines = np.flatnonzero(log.sent_us >= 0), np.flatnonzero(log.received_us >= 0)
    logged, seen = _match(log.sequences[sent_lines], travels.ids[called])
    outcomes = Counter(
        (log.outcomes[sent_lines[line]], journeys.STATUS[int(travels.status[called[row]])])
        for line, row in zip(logged.tolist(), seen.tolist(), strict=True)
    )
    whole = not log.done.get("uart_dropped") and not log.malformed
    unseen = np.setdiff1d(np.arange(len(sent_lines)), logged)
    got_ids = travels.ids[stays.packets[got]]
    received_logged, received_seen = _match(log.sequences[received_lines], got_ids)
    unlogged = np.setdiff1d(np.arange(len(got)), received_seen)
    late = len(_match(log.sequences[log.lost & (log.received_us < 0)], got_ids[unlogged])[0])
    return NodeAccount(
        node=log.node,
        sent=log.done.get("sent"),
        received=log.done.get("received"),
        seen_sent=len(called),
        seen_received=len(got),
        outcomes=dict(outcomes),
        not_seen=dict(Counter(log.outcomes[sent_lines[line]] for line in unseen.tolist())),
        not_logged=len(called) - len(seen) if len(sent_lines) and whole else 0,
        received_not_seen=len(received_lines) - len(received_logged),
        received_not_logged=len(unlogged) - late if len(received_lines) and whole else 0,
        late=late,
    )


def _match(logged: NDArray[np.int32], seen: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of the packets that are in both, paired: equal ids of the same round, in order."""
    first, second = _with_occurrence(_unwrapped(logged)), _with_occurrence(_unwrapped(seen))
    _, rows, others = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    return rows, others


def _unwrapped(ids: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64[k], ids that go on counting after 65535, if each is less than half a round from the one before."""
    if not len(ids):
        return np.zeros(0, dtype=np.int64)
    ahead = (np.diff(ids).astype(np.int64) + (1 << 15) & 0xFFFF) - (1 << 15)
    return int(ids[0]) + np.concatenate([[0], np.cumsum(ahead)])


def _with_occurrence(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[k], a number for each number and how often it came before, all different."""
    order = np.argsort(numbers, kind="stable")
    arranged = numbers[order]
    begins = np.searchsorted(arranged, arranged)
    found = np.empty(len(numbers), dtype=np.int64)
    found[order] = (arranged << 24) + np.arange(len(numbers)) - begins
    return found
