"""The stages of a log line: event, print call, start bit, last stop bit, host read, logged line."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.audit.comparisons import summary
from gpiorig.analysis.audit.inputs import HostLines, NodeRecord, PinLines
from gpiorig.analysis.audit.matching import NONE
from gpiorig.analysis.audit.node_times import lateness
from gpiorig.analysis.audit.packet_lines import PacketTimestamps
from gpiorig.analysis.audit.results import Stage
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.number_text import time_text
from gpiorig.capture.edges.nanoseconds import nearest_ns

TO_PRINT = "event to print call"
TO_START = "print call to start bit"
ON_WIRE = "start bit to last stop bit"
TO_HOST = "last stop bit to host timestamp"
READS = "first read of a line to its last"
TO_LOG = "host timestamp to serial_aggregator's"
TOTAL = "event to host timestamp"
LINES = 128  # codes from here on are levels of a line, not calls of the firmware
PROMPT_NS = 100_000.0  # a line that is printed later than this after its event is a poor measure of it


def way(
    packets: PacketTimestamps, record: NodeRecord, on_pin: NDArray[np.int64] | None, events: Events
) -> tuple[list[Stage], list[str]]:
    """Follow the lines of one node; returns its stages in order, and notes on them.

    The print call has no event of its own. It is assumed at the node's last event before the start bit, at or after the
    event that the line reports: the call came no earlier. Only ``packet`` lines report an event; the stages on the wire
    and to the host are those of all lines.

    Parameters
    ----------
    packets, record
        Packet lines and record of the node.
    on_pin
        int64[h], place of each of the host's lines among those of the pin; None where one of the two is missing.
    events
        Events of the recording.
    """
    delays: dict[str, NDArray[np.int64]] = {}
    notes: list[str] = []
    if record.pins is not None and on_pin is not None:
        delays, notes = _to_the_wire(packets, record.pins, on_pin, events)
    if record.pins is not None:
        delays[ON_WIRE] = _ns(record.pins.ends, events) - _ns(record.pins.starts, events)
    if record.host is not None:
        delays |= _to_the_host(packets, record, record.host, on_pin, events)
        if not record.host.same_zero:
            notes.append(f"{record.node}: delays to the host count from its fastest line: the clocks share no zero.")
    return [
        Stage(name, record.node, summary(delay.astype(np.float64))) for name, delay in delays.items() if len(delay)
    ], notes


def _ns(samples: NDArray[np.int64], events: Events) -> NDArray[np.int64]:
    return nearest_ns(samples, events.samplerate_hz)


def _to_the_wire(
    packets: PacketTimestamps, pins: PinLines, on_pin: NDArray[np.int64], events: Events
) -> tuple[dict[str, NDArray[np.int64]], list[str]]:
    """Delays from the event that a packet line reports to its start bit."""
    node, notes = packets.node, []
    known = np.flatnonzero((packets.reported != NONE) & (on_pin[packets.log.lines] != NONE))
    reported, starts = packets.reported[known], pins.starts[on_pin[packets.log.lines[known]]]
    late = starts < reported
    if late.any():
        notes.append(f"{node}: {np.count_nonzero(late)} lines began before the event that they report; omitted.")
    reported, starts = reported[~late], starts[~late]
    if not len(starts):
        return {}, notes
    places = np.flatnonzero((events.nodes == events.node(node)) & (events.codes < LINES))
    # The event that the line reports is one of them, so that there is one before every start bit.
    at = places[np.searchsorted(events.samples[places], starts, side="right") - 1]
    calls = np.maximum(events.samples[at], reported)
    counted = Counter(BY_CODE[code].name for code in events.codes[at].tolist())
    names = ", ".join(f"{name} ({count} of {len(starts)})" for name, count in counted.most_common(2))
    notes.append(f"{node}: the print call is assumed at {names}.")
    to_print = _ns(calls, events) - _ns(reported, events)
    if np.median(to_print) > PROMPT_NS:
        notes.append(
            f"{node}: its packet lines are printed {time_text(float(np.median(to_print)))} (median) after the event "
            "that they report; host timestamps include this delay."
        )
    return {TO_PRINT: to_print, TO_START: _ns(starts, events) - _ns(calls, events)}, notes


def _to_the_host(
    packets: PacketTimestamps,
    record: NodeRecord,
    host: HostLines,
    on_pin: NDArray[np.int64] | None,
    events: Events,
) -> dict[str, NDArray[np.int64]]:
    """Delays from the last stop bit to the host and the aggregator, and the total; without the pin only the latter."""
    delays: dict[str, NDArray[np.int64]] = {}
    known = packets.reported != NONE
    rows, event_ns = packets.log.lines[known], _ns(packets.reported[known], events)
    if record.pins is not None and on_pin is not None:
        both = np.flatnonzero(on_pin != NONE)
        late_ns = np.full(len(on_pin), NONE, dtype=np.int64)
        ends_ns = _ns(record.pins.ends, events)
        delays[TO_HOST] = late_ns[both] = _delays(record, host, both, ends_ns[on_pin[both]])
        on_pins = on_pin[rows] != NONE
        delays[TOTAL] = ends_ns[on_pin[rows[on_pins]]] - event_ns[on_pins] + late_ns[rows[on_pins]]
    else:
        delays[TOTAL] = _delays(record, host, rows, event_ns)
    delays[READS] = host.timestamps_ns - host.first_ns
    delays[TO_LOG] = (host.aggregator_ns - host.timestamps_ns)[host.aggregator_ns != NONE]
    return delays


def _delays(
    record: NodeRecord, host: HostLines, rows: NDArray[np.int64], since_ns: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Delays from these instants to the lines at the host.

    Where both clocks began together it is the plain difference. Else the fastest line counts as 0, and the rates are
    evened out if the lines determine them: `lateness`.
    """
    late_ns: NDArray[np.int64] = host.timestamps_ns[rows] - since_ns
    if host.same_zero or not len(late_ns):
        return late_ns
    name = f"host, lines of {record.node}"
    late = lateness(host.timestamps_ns[rows], since_ns, host=name, reference=record.reference)
    from_fastest: NDArray[np.int64] = late.delays_ns - late.delays_ns.min()
    return from_fastest
