"""Timestamps of the nodes' logs, and of the host for their lines: intervals and round trips by them, and errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.audit.inputs import Clock
from gpiorig.analysis.audit.node_times import NodeTimes
from gpiorig.analysis.audit.packet_lines import node_interval_ns
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantities.events import chosen, packets_at, shown
from gpiorig.analysis.quantities.names import CLOCKS, Quantity, event_of
from gpiorig.analysis.quantities.series import NONE, Recorded, Samples, Series, plain
from gpiorig.capture.edges.nanoseconds import nearest_ns

LOG, HOST, AGGREGATOR = CLOCKS
HOST_CLOCKS: Mapping[str, Clock] = {HOST: "host", AGGREGATOR: "serial_aggregator"}
SENT, RECEIVED = "app.tx", "app.rx"


@dataclass(frozen=True, slots=True, eq=False)
class _Reported:
    """All events of a kind at a node, each with the line that reports it.

    Parameters
    ----------
    samples
        int64[n].
    rows
        int64[n], row of the line among the packet lines of the log, -1 for none.
    times
        The lines on every clock.
    """

    samples: Samples
    rows: Samples
    times: NodeTimes

    def of_lines(self, values: NDArray[np.int64]) -> Samples:
        """int64[n], values of the lines by event, -1 for none."""
        return np.where(self.rows != NONE, np.append(values, NONE)[self.rows], NONE)


def intervals_of(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Intervals of successive events in ns by the clock of a `Kind.INTERVAL_ERROR`; those without are counted."""
    clock = quantity.clock
    by_node = []
    for node, seen in _reported(quantity, recorded, clock).items():
        timestamps = seen.of_lines(_raw_us(seen.times, quantity.subject) if clock == LOG else _host(seen, clock))
        intervals, good = _intervals(seen, timestamps, recorded, in_us=clock == LOG)
        if good.any():
            by_node.append(_series(recorded.events.node_names[node], quantity, recorded, seen, intervals, good))
    return shown(by_node, quantity, recorded, f"two events `{event_of(quantity.subject)}` with a timestamp by {clock}")


def timestamp_errors(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Intervals of the log's timestamps of an event, less the same intervals on the pins."""
    by_node = []
    for node, seen in _reported(quantity, recorded, LOG).items():
        timestamps = seen.of_lines(_raw_us(seen.times, quantity.subject))
        intervals, good = _intervals(seen, timestamps, recorded, in_us=True)
        if good.any():
            on_pins = nearest_ns(np.diff(seen.samples), recorded.events.samplerate_hz)
            name = recorded.events.node_names[node]
            by_node.append(_series(name, quantity, recorded, seen, intervals - on_pins, good))
    return shown(by_node, quantity, recorded, f"two events `{event_of(quantity.subject)}` with a timestamp in the log")


def lateness_of(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """From the instant that the log names as due to the first event of the packet at that node.

    The due instants are brought to the analyzer's clock by the fit of the node's timestamps to their events.
    """
    by_node = []
    for node, seen in _reported(replace(quantity, subject=SENT), recorded, LOG).items():
        due_ns = seen.of_lines(seen.times.on_analyzer_ns(seen.times.packets.log.due_us))
        called = packets_at(recorded, chosen(recorded, event_of(SENT), NONE, node))
        instants = _first_of(quantity.subject, recorded, node, called)
        good = (due_ns != NONE) & (instants != NONE)
        if good.any():
            values = nearest_ns(instants[good], recorded.events.samplerate_hz) - due_ns[good]
            late = plain(
                recorded.events.node_names[node],
                quantity,
                recorded,
                values,
                instants[good],
                packets=called[good],
                lacking=int(np.count_nonzero(~good)),
            )
            by_node.append(replace(late, scale=Fraction(1), lacking_packets=called[~good & (called >= 0)]))
    return shown(by_node, quantity, recorded, f"a packet with `{event_of(quantity.subject)}` and `due_us` in the log")


def on_common_clock(quantity: Quantity, recorded: Recorded, node: int, samples: Samples) -> Samples:
    """int64[k] ns of the events at these samples of a node, by a clock that all nodes share; -1 for none."""
    asked = replace(quantity, node=recorded.events.node_names[node])
    seen = _reported(asked, recorded, quantity.clock).get(node)
    if seen is None or not len(seen.samples):
        return np.full(len(samples), NONE, dtype=np.int64)
    if quantity.clock == LOG:
        instants = seen.of_lines(seen.times.on_analyzer_ns(_raw_us(seen.times, quantity.subject)))
    else:
        instants = seen.of_lines(_host(seen, quantity.clock))
    return instants[np.searchsorted(seen.samples, samples)]


def _reported(quantity: Quantity, recorded: Recorded, clock: str) -> dict[int, _Reported]:
    """The events of each node that has a log."""
    times = recorded.log_times if clock == LOG else recorded.host_times
    if not times:
        what = "no log of a node" if clock == LOG else "no serial record of a node"
        raise QuantityError(f"this recording has {what} that fits its pins.")
    seen = {}
    for node in recorded.nodes(quantity):
        lines = times.get(recorded.events.node_names[node])
        if lines is not None:
            samples = recorded.events.samples[chosen(recorded, event_of(quantity.subject), NONE, node)]
            seen[node] = _Reported(
                samples, _rows(samples, _line_samples(quantity.subject, recorded, node, lines)), lines
            )
    return seen


def _rows(samples: Samples, of_lines: Samples) -> Samples:
    """int64[n], the line of each event."""
    rows = np.full(len(samples), NONE, dtype=np.int64)
    known = np.flatnonzero(of_lines != NONE)
    rows[np.searchsorted(samples, of_lines[known])] = known
    return rows


def _line_samples(event: str, recorded: Recorded, node: int, lines: NodeTimes) -> Samples:
    """int64[k], sample of the event that a timestamp of each line is of, -1 for none."""
    if event in (SENT, RECEIVED):
        return lines.packets.sent if event == SENT else lines.packets.received
    at = chosen(recorded, event_of(SENT), NONE, node)
    sent = lines.packets.sent
    of_lines = np.full(len(sent), NONE, dtype=np.int64)
    known = np.flatnonzero(sent != NONE)
    packets = packets_at(recorded, at[np.searchsorted(recorded.events.samples[at], sent[known])])
    of_lines[known] = _first_of(event, recorded, node, packets)
    return of_lines


def _first_of(event: str, recorded: Recorded, node: int, packets: NDArray[np.int32]) -> Samples:
    """int64[k], sample of the first event of each packet at a node, -1 for none."""
    at = chosen(recorded, event_of(event), NONE, node)
    rows, first = np.unique(packets_at(recorded, at), return_index=True)
    instant = np.full(len(recorded.packets().packets) + 1, NONE, dtype=np.int64)  # the last for no packet
    instant[rows[rows >= 0]] = recorded.events.samples[at[first[rows >= 0]]]
    return instant[packets]


def _raw_us(times: NodeTimes, event: str) -> NDArray[np.int64]:
    log = times.packets.log
    return {SENT: log.sent_us, RECEIVED: log.received_us}.get(event, log.departed_us)


def _host(seen: _Reported, clock: str) -> NDArray[np.int64]:
    """int64[k], when the host received the line of each packet that was printed at these events; -1 for none."""
    times, host_clock = seen.times, HOST_CLOCKS[clock]
    at_sending = np.where(np.isin(times.packets.sent, seen.samples), times.announced[host_clock], NONE)
    return np.where(np.isin(times.packets.reported, seen.samples), times.host[host_clock], at_sending)


def _intervals(
    seen: _Reported, timestamps: Samples, recorded: Recorded, *, in_us: bool
) -> tuple[Samples, NDArray[np.bool_]]:
    """int64[n - 1] intervals in ns, and which are known: not over lost samples or a reset."""
    before, after = timestamps[:-1], timestamps[1:]
    epochs = seen.of_lines(seen.times.packets.epochs.astype(np.int64))
    good = (before != NONE) & (after != NONE) & (epochs[:-1] == epochs[1:])
    good &= ~recorded.events.loses(seen.samples[:-1], seen.samples[1:])
    return (node_interval_ns(before, after).astype(np.int64) if in_us else after - before), good


def _series(
    node: str,
    quantity: Quantity,
    recorded: Recorded,
    seen: _Reported,
    values_ns: Samples,
    good: NDArray[np.bool_],
) -> Series:
    at = chosen(recorded, event_of(quantity.subject), NONE, recorded.events.node(node))[:-1][good]
    series = plain(
        node,
        quantity,
        recorded,
        values_ns[good],
        seen.samples[:-1][good],
        packets=packets_at(recorded, at),
        lacking=int(np.count_nonzero(~good)),
    )
    return replace(series, scale=Fraction(1))


def round_trips(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """From a request's call to its reply in ns, at the nodes that ask; packets without both timestamps are counted."""
    times_of = recorded.log_times if quantity.subject == LOG else recorded.host_times
    by_node = []
    for node in recorded.nodes(quantity):
        name = recorded.events.node_names[node]
        if (times := times_of.get(name)) is None:
            continue
        lines = times.packets
        asked = (lines.sent != NONE) & ((lines.received == NONE) | (lines.sent < lines.received))
        good = asked & (lines.received != NONE)
        if quantity.subject == LOG:
            values = node_interval_ns(lines.log.sent_us, lines.log.received_us).astype(np.int64)
        else:
            clock = HOST_CLOCKS[quantity.subject]
            good &= (lines.reported == lines.received) & (times.announced[clock] != NONE) & (times.host[clock] != NONE)
            values = times.host[clock] - times.announced[clock]
        if good.any():
            calls = chosen(recorded, "app.tx.enter", NONE, node)
            packets = packets_at(recorded, calls[np.searchsorted(recorded.events.samples[calls], lines.sent[good])])
            lacking = int(np.count_nonzero(asked & ~good))
            one = plain(name, quantity, recorded, values[good], lines.sent[good], packets=packets, lacking=lacking)
            by_node.append(replace(one, scale=Fraction(1)))
    if not by_node and quantity.subject != LOG:
        raise QuantityError(
            "this recording has no round trip with a line at sending and one at receiving; set `announce = true` in "
            "the experiment."
        )
    return shown(by_node, quantity, recorded, "a round trip in the log of a node")
