"""Packet lines of a node's log and the events on the pins that they report."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.audit.inputs import HostLines, NodeRecord
from gpiorig.analysis.audit.matching import NONE
from gpiorig.analysis.audit.results import Matching
from gpiorig.analysis.clocks.pairing import same_packet
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.logs.node_log import MISSING, NodeLog
from gpiorig.analysis.number_text import NS_PER_S, count_text, number_text, time_text

ROUND_US = 1 << 32
SENT, RECEIVED = "app.tx.enter", "app.rx.enter"
# A node's own time of an interval may be off by its clock (an RC oscillator: 1 %), by its resolution, and by the work
# between timestamp and pin (an interrupt). If it is off by more, in most packets, it is not the same interval.
FOREIGN_SHARE, FOREIGN_NS = 0.01, 200_000.0


@dataclass(frozen=True, slots=True, eq=False)
class PinEvents:
    """All events of one kind at one node, with or without a line in the log.

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
class PacketTimestamps:
    """The packet lines of one node, each with its events on the pins and its host timestamps.

    Parameters
    ----------
    node
        Name of the node.
    log
        Its log; rows below are its rows.
    sent, received
        int64[k], sample of the send call and of the reception on the pins; -1 if the line has no such timestamp, or the
        pins no such event.
    host_rows
        int64[k], place among the host's lines; -1 for none.
    announced_rows
        int64[k], place among the host's lines of the line that was printed when the packet was sent; -1 for none.
    host
        The host's lines.
    epochs
        int32[k], boots of the node before the line, so that no interval spans one.
    calls, arrivals
        Send calls and receptions on the pins.
    """

    node: str
    log: NodeLog
    sent: NDArray[np.int64]
    received: NDArray[np.int64]
    host_rows: NDArray[np.int64]
    announced_rows: NDArray[np.int64]
    host: HostLines | None
    epochs: NDArray[np.int32]
    calls: PinEvents
    arrivals: PinEvents

    @property
    def reported(self) -> NDArray[np.int64]:
        """int64[k]: sample of the event that the line reports, the later of its two; -1 unknown.

        The line of a lost packet is printed after the timeout, so that its timestamp belongs to no event on the pins.
        """
        return np.where(self.log.lost, NONE, self.seen)

    @property
    def seen(self) -> NDArray[np.int64]:
        """int64[k]: the later of the line's two events on the pins, -1 for none."""
        return np.maximum(self.sent, self.received)

    def host_ns(self, timestamps_ns: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[k], a timestamp of the host's lines for each packet line; -1 for none."""
        return _at(timestamps_ns, self.host_rows)

    def announced_ns(self, timestamps_ns: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[k], the same of the lines that were printed when the packets were sent."""
        return _at(timestamps_ns, self.announced_rows)


def _at(timestamps_ns: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    known = rows != NONE
    return np.where(known, timestamps_ns[np.where(known, rows, 0)] if len(timestamps_ns) else NONE, NONE)


def _announced_rows(log: NodeLog) -> NDArray[np.int64]:
    """The line of each packet's announcement, which has the same number and the same timestamp."""
    keys = zip(log.announced.sequences.tolist(), log.announced.sent_us.tolist(), strict=True)
    lines = dict(zip(keys, log.announced.lines.tolist(), strict=True))
    packets = zip(log.sequences.tolist(), log.sent_us.tolist(), strict=True)
    return np.array([lines.get(packet, NONE) for packet in packets], dtype=np.int64)


def match(
    events: Events,
    record: NodeRecord,
    on_pin: NDArray[np.int64] | None,
    round_trips: NDArray[np.bool_] | None = None,
) -> tuple[PacketTimestamps, Matching]:
    """Find the events of each packet line, by packet number and order, between one boot of the node and the next.

    Other nodes may send packets with the same numbers. A line with a send call and a reception reports a round trip, so
    it is matched to the events of round trips first, and the other lines to the remaining events.

    Parameters
    ----------
    events
        Events of all nodes.
    record
        Record of this node.
    on_pin
        int64[h], place of each of the host's lines among those of the pin, -1 if it is not there unchanged: such a line
        was changed in transit, or the analyzer lost samples. None where the pin was not recorded.
    round_trips
        bool[n], events of the packets that make round trips; None if unknown.

    Raises
    ------
    EventError
        The host has fewer lines than the log.
    """
    log, node = record.log, events.node(record.node)
    if record.host is not None and len(log.lines) and int(log.lines[-1]) >= len(record.host.texts):
        raise EventError(
            f"{record.node}: its log has a packet in line {log.lines[-1]}, the host has {len(record.host.texts)} "
            "lines; parse the log from the host's text."
        )
    boots = events.instants("rig.boot", node=record.node)
    epochs = np.searchsorted(log.boot_lines, log.lines).astype(np.int32)
    garbled = np.zeros(len(log.lines), dtype=bool) if on_pin is None else on_pin[log.lines] == NONE
    lines, pins = [], []
    for point, timestamps in ((SENT, log.sent_us), (RECEIVED, log.received_us)):
        places = events.positions(point, node=node)
        pins.append(PinEvents(events.ids[places], events.samples[places]))
        # The last boot is the same one on both sides; an earlier one may have been before the analyzer or host began.
        seen_epochs = np.searchsorted(boots, events.samples[places], side="right") + log.boots - len(boots)
        samples = np.full(len(log.lines), NONE, dtype=np.int64)
        for epoch in np.unique(epochs):
            rows = np.flatnonzero((epochs == epoch) & (timestamps != MISSING) & ~garbled)
            seen = places[seen_epochs == epoch]
            _pair(samples, rows, seen, log, events, round_trips)
        lines.append(samples)
    (sent, received), (calls, arrivals) = lines, pins
    packets = PacketTimestamps(
        node=record.node,
        log=log,
        sent=sent,
        received=received,
        host_rows=log.lines if record.host is not None else np.full(len(log.lines), NONE, dtype=np.int64),
        announced_rows=_announced_rows(log)
        if record.host is not None
        else np.full(len(log.lines), NONE, dtype=np.int64),
        host=record.host,
        epochs=epochs,
        calls=calls,
        arrivals=arrivals,
    )
    nowhere = (packets.seen == NONE) & ~garbled
    return packets, Matching(
        node=record.node,
        what="packet lines of the log, on the pins",
        matched=int(np.count_nonzero(packets.seen != NONE)),
        unmatched={
            "line that is not on the pin unchanged": int(np.count_nonzero(garbled)),
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
    """Write the samples of the events of these lines."""
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
    """float64[n]: from one raw timestamp of a 32-bit timer of 1 MHz to another, in the shorter direction."""
    half = ROUND_US // 2
    return ((second_us - first_us + half) % ROUND_US - half).astype(np.float64) * 1000.0


def pin_interval_ns(first: NDArray[np.int64], second: NDArray[np.int64], events: Events) -> NDArray[np.float64]:
    """float64[n]: from one sample to another."""
    return (second - first).astype(np.float64) * float(NS_PER_S / events.samplerate_hz)


def foreign(packets: PacketTimestamps, events: Events) -> str:
    """Reason why this log cannot be of this recording; empty if it can.

    Its own intervals (from the send call to the reception of the same line, and between lines) are compared with the
    pins': a log of another run has the same packet numbers, but other delays.
    """
    log, lines = packets.log, len(packets.log.lines)
    known = int(np.count_nonzero(packets.seen != NONE))
    if len(packets.calls.ids) + len(packets.arrivals.ids) and 2 * known < lines:
        return (
            f"{number_text(lines - known)} of its {count_text(lines, 'packet line')} are not on the pins, or the "
            "events of their packets are not"
        )
    both = (packets.sent != NONE) & (packets.received != NONE)
    checks = [
        ("send call to reception", packets.sent[both], packets.received[both], log.sent_us[both], log.received_us[both])
    ]
    for what, samples, timestamps in (
        ("send calls", packets.sent, log.sent_us),
        ("receptions", packets.received, log.received_us),
    ):
        rows = np.flatnonzero(samples != NONE)
        rows = rows[np.argsort(samples[rows])]
        a, b = rows[:-1], rows[1:]
        a, b = a[packets.epochs[a] == packets.epochs[b]], b[packets.epochs[a] == packets.epochs[b]]
        checks.append((f"one of its {what} to the next", samples[a], samples[b], timestamps[a], timestamps[b]))
    for what, first, second, first_us, second_us in checks:
        if len(first):
            pins_ns = pin_interval_ns(first, second, events)
            off_ns = float(np.median(np.abs(node_interval_ns(first_us, second_us) - pins_ns)))
            if off_ns > FOREIGN_NS + FOREIGN_SHARE * float(np.median(np.abs(pins_ns))):
                return (
                    f"from {what} its times differ from the pins' by {time_text(off_ns)} or more in half of the packets"
                )
    return ""
