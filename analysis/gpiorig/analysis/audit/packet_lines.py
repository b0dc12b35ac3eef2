"""Packet lines of a node's log and the events on the pins that they report."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.audit.audit import Matching
from gpiorig.analysis.audit.inputs import HostLines, NodeRecord
from gpiorig.analysis.audit.matching import NONE, same_packet
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.logs.node_log import MISSING, NodeLog
from gpiorig.analysis.quantity import NS_PER_S, time_text

ROUND_US = 1 << 32
SENT, RECEIVED = "app.tx.enter", "app.rx.enter"
# A node's own time of an interval may be off by its clock (an RC oscillator: 1 %), by its resolution, and by what comes
# between stamp and pin (an interrupt). What is off by more, in most packets, is not the same interval.
FOREIGN_SHARE, FOREIGN_NS = 0.01, 200_000.0


@dataclass(frozen=True, slots=True, eq=False)
class PinEvents:
    """All events of one kind at one node, whether the log tells of them or not.

    Parameters
    ----------
    ids
        int32[e], packet numbers.
    samples
        int64[e], increasing.
    """

    ids: NDArray[np.int32]
    samples: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PacketStamps:
    """The packet lines of one node, each with its events on the pins and its host stamps.

    Parameters
    ----------
    node
        Its name.
    log
        What it logged; rows below are its rows.
    sent, received
        int64[k], sample of the send call and of the reception on the pins; -1 if the line has no such stamp, or the
        pins no such event.
    host_rows
        int64[k], place among the host's lines; -1 where there are none.
    host
        The host's lines.
    epochs
        int32[k], boots of the node before the line, so that no interval is taken across one.
    calls, arrivals
        Send calls and receptions on the pins.
    """

    node: str
    log: NodeLog
    sent: NDArray[np.int64]
    received: NDArray[np.int64]
    host_rows: NDArray[np.int64]
    host: HostLines | None
    epochs: NDArray[np.int32]
    calls: PinEvents
    arrivals: PinEvents

    @property
    def reported(self) -> NDArray[np.int64]:
        """int64[k]: sample of the event that the line tells of, the later of its two; -1 unknown.

        That of a lost packet is printed when the wait is over, so that its stamp stands for no event on the pins.
        """
        return np.where(self.log.lost, NONE, self.seen)

    @property
    def seen(self) -> NDArray[np.int64]:
        """int64[k]: the later of the line's two events on the pins, -1 if there is none."""
        return np.maximum(self.sent, self.received)

    def host_ns(self, stamps_ns: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[k], a stamp of the host's lines for each packet line; -1 where there is none."""
        known = self.host_rows != NONE
        return np.where(known, stamps_ns[np.where(known, self.host_rows, 0)] if len(stamps_ns) else NONE, NONE)


def match(
    events: Events,
    record: NodeRecord,
    on_pin: NDArray[np.int64] | None,
    round_trips: NDArray[np.bool_] | None = None,
) -> tuple[PacketStamps, Matching]:
    """Find the events of each packet line, by packet number and order, between one boot of the node and the next.

    Others may send packets with the same numbers. A line that tells of a sending and a reception is about a round trip,
    so it is looked for among the events of those first; what is left is for the other lines.

    Parameters
    ----------
    events
        Of all nodes.
    record
        Of this node.
    on_pin
        int64[h], place of each of the host's lines among those of the pin, -1 if it is not there as it came: such a
        line was changed on its way, or the analyzer lost samples. None where the pin was not recorded.
    round_trips
        bool[n], events of the packets that make round trips; None where that is not known.

    Raises
    ------
    EventError
        The host has fewer lines than the log.
    """
    log, node = record.log, events.node(record.node)
    if record.host is not None and len(log.lines) and int(log.lines[-1]) >= len(record.host.texts):
        raise EventError(
            f"{record.node}: its log has a packet in line {log.lines[-1]}, the host has {len(record.host.texts)} "
            "lines; parse the log from what the host got."
        )
    boots = events.samples[(events.codes == BY_NAME["rig.boot"].code) & (events.nodes == node)]
    epochs = np.searchsorted(log.boot_lines, log.lines).astype(np.int32)
    garbled = np.zeros(len(log.lines), dtype=bool) if on_pin is None else on_pin[log.lines] == NONE
    lines, pins = [], []
    for point, stamps in ((SENT, log.sent_us), (RECEIVED, log.received_us)):
        places = np.flatnonzero((events.codes == BY_NAME[point].code) & (events.nodes == node))
        pins.append(PinEvents(events.ids[places], events.samples[places]))
        # The last boot is the same one on both sides; an earlier one may have been before the analyzer or host began.
        seen_epochs = np.searchsorted(boots, events.samples[places], side="right") + log.boots - len(boots)
        samples = np.full(len(log.lines), NONE, dtype=np.int64)
        for epoch in np.unique(epochs):
            rows = np.flatnonzero((epochs == epoch) & (stamps != MISSING) & ~garbled)
            seen = places[seen_epochs == epoch]
            _pair(samples, rows, seen, log, events, round_trips)
        lines.append(samples)
    (sent, received), (calls, arrivals) = lines, pins
    stamped = PacketStamps(
        node=record.node,
        log=log,
        sent=sent,
        received=received,
        host_rows=log.lines if record.host is not None else np.full(len(log.lines), NONE, dtype=np.int64),
        host=record.host,
        epochs=epochs,
        calls=calls,
        arrivals=arrivals,
    )
    nowhere = (stamped.seen == NONE) & ~garbled
    return stamped, Matching(
        node=record.node,
        what="packet lines of the log, on the pins",
        matched=int(np.count_nonzero(stamped.seen != NONE)),
        unmatched={
            "line that is not on the pin as it came": int(np.count_nonzero(garbled)),
            "no such event on the pins": int(np.count_nonzero(nowhere)),
            "line that is malformed": len(log.malformed),
            "event on the pins without a line": sum(len(pin.samples) for pin in pins)
            - sum(int(np.count_nonzero(samples != NONE)) for samples in lines),
        },
    )


def _pair(
    samples: NDArray[np.int64],
    rows: NDArray[np.int64],
    seen: NDArray[np.int64],
    log: NodeLog,
    events: Events,
    round_trips: NDArray[np.bool_] | None,
) -> None:
    """Write the sample of the event of each of these lines."""
    both = (log.sent_us[rows] != MISSING) & (log.received_us[rows] != MISSING)
    groups = (
        [(rows, seen)]
        if round_trips is None or not both.any()
        else [(rows[both], seen[round_trips[seen]]), (rows[~both], seen)]
    )
    used = np.zeros(0, dtype=np.int64)
    for lines, all_events in groups:
        free = all_events[~np.isin(all_events, used)]
        at = same_packet(log.sequences[lines], events.ids[free])
        used = free[at[at != NONE]]
        samples[lines[at != NONE]] = events.samples[used]


def node_interval_ns(first_us: NDArray[np.int64], second_us: NDArray[np.int64]) -> NDArray[np.float64]:
    """float64[n]: from one raw stamp of a 32-bit timer of 1 MHz to another, the shorter way round its dial."""
    half = ROUND_US // 2
    interval_ns: NDArray[np.float64] = ((second_us - first_us + half) % ROUND_US - half).astype(np.float64) * 1000.0
    return interval_ns


def pin_interval_ns(first: NDArray[np.int64], second: NDArray[np.int64], events: Events) -> NDArray[np.float64]:
    """float64[n]: from one sample to another."""
    interval_ns: NDArray[np.float64] = (second - first).astype(np.float64) * float(NS_PER_S / events.samplerate_hz)
    return interval_ns


def foreign(stamped: PacketStamps, events: Events) -> str:
    """Why this log cannot be of this recording; empty if it can.

    Its own intervals (from the send call to the reception of the same line, and between lines) are held against the
    pins': a log of another run has the same packet numbers, but other delays.
    """
    log, lines = stamped.log, len(stamped.log.lines)
    known = int(np.count_nonzero(stamped.seen != NONE))
    if len(stamped.calls.ids) + len(stamped.arrivals.ids) and 2 * known < lines:
        return (
            f"{lines - known} of its {lines} packet lines are not on the pins, or the events of their packets are not"
        )
    both = (stamped.sent != NONE) & (stamped.received != NONE)
    checks = [
        ("send call to reception", stamped.sent[both], stamped.received[both], log.sent_us[both], log.received_us[both])
    ]
    for what, samples, stamps in (
        ("send calls", stamped.sent, log.sent_us),
        ("receptions", stamped.received, log.received_us),
    ):
        rows = np.flatnonzero(samples != NONE)
        rows = rows[np.argsort(samples[rows])]
        a, b = rows[:-1], rows[1:]
        a, b = a[stamped.epochs[a] == stamped.epochs[b]], b[stamped.epochs[a] == stamped.epochs[b]]
        checks.append((f"one of its {what} to the next", samples[a], samples[b], stamps[a], stamps[b]))
    for what, first, second, first_us, second_us in checks:
        if len(first):
            pins_ns = pin_interval_ns(first, second, events)
            off_ns = float(np.median(np.abs(node_interval_ns(first_us, second_us) - pins_ns)))
            if off_ns > FOREIGN_NS + FOREIGN_SHARE * float(np.median(np.abs(pins_ns))):
                return (
                    f"from {what} its times differ from the pins' by {time_text(off_ns)} or more in half of the packets"
                )
    return ""
