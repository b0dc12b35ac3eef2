"""The way of a log line, stage by stage: event, print call, start bit, last stop bit, host read, logged line."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.audit.audit import Stage
from gpiorig.analysis.audit.comparisons import summary
from gpiorig.analysis.audit.inputs import HostLines, NodeRecord, PinLines
from gpiorig.analysis.audit.lateness import lateness
from gpiorig.analysis.audit.matching import NONE
from gpiorig.analysis.audit.packet_lines import PacketStamps
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.quantity import time_text
from gpiorig.capture.edges.nanoseconds import nearest_ns

TO_PRINT = "event to print call"
TO_START = "print call to start bit"
ON_WIRE = "start bit to last stop bit"
TO_HOST = "last stop bit to host stamp"
READS = "first read of a line to its last"
TO_LOG = "host stamp to serial_aggregator's"
WHOLE = "event to host stamp"
LINES = 128  # codes from here on are levels of a line, not calls of the firmware
PROMPT_NS = 100_000.0  # a line that is printed later than this after its event stands for it badly


def way(
    stamped: PacketStamps, record: NodeRecord, on_pin: NDArray[np.int64] | None, events: Events, *, reference: str
) -> tuple[list[Stage], list[str]]:
    """Follow the lines of one node; returns the stages there are, in the order of the way, and notes on them.

    The print call has no event of its own. It is taken as the node's last event before the start bit, at or after the
    event that the line tells of: the call came no earlier. Only ``packet`` lines tell of an event; the stages on the
    wire and to the host are those of all lines.

    Parameters
    ----------
    stamped, record
        Of the node.
    on_pin
        int64[h], place of each of the host's lines among those of the pin; None where one of the two is missing.
    events, reference
        Of the recording; the analyzer's name.
    """
    delays: dict[str, NDArray[np.int64]] = {}
    notes: list[str] = []
    if record.pins is not None and on_pin is not None:
        delays, notes = _to_the_wire(stamped, record.pins, on_pin, events)
    if record.pins is not None:
        delays[ON_WIRE] = _ns(record.pins.ends, events) - _ns(record.pins.starts, events)
    if record.host is not None:
        delays |= _to_the_host(stamped, record.host, record.pins, on_pin, events, reference=reference)
        if not record.host.same_zero:
            notes.append(f"{record.node}: delays to the host count from its fastest line: the clocks share no zero.")
    return [
        Stage(name, record.node, summary(delay.astype(np.float64))) for name, delay in delays.items() if len(delay)
    ], notes


def _ns(samples: NDArray[np.int64], events: Events) -> NDArray[np.int64]:
    return nearest_ns(samples, events.samplerate_hz)


def _to_the_wire(
    stamped: PacketStamps, pins: PinLines, on_pin: NDArray[np.int64], events: Events
) -> tuple[dict[str, NDArray[np.int64]], list[str]]:
    """From the event that a packet line tells of to its start bit."""
    node, notes = stamped.node, []
    known = np.flatnonzero((stamped.reported != NONE) & (on_pin[stamped.log.lines] != NONE))
    reported, starts = stamped.reported[known], pins.starts[on_pin[stamped.log.lines[known]]]
    late = starts < reported
    if late.any():
        notes.append(f"{node}: {np.count_nonzero(late)} lines began before the event that they tell of; left out.")
    reported, starts = reported[~late], starts[~late]
    if not len(starts):
        return {}, notes
    places = np.flatnonzero((events.nodes == events.node(node)) & (events.codes < LINES))
    # The event that the line tells of is one of them, so that there is one before every start bit.
    at = places[np.searchsorted(events.samples[places], starts, side="right") - 1]
    calls = np.maximum(events.samples[at], reported)
    counted = Counter(BY_CODE[code].name for code in events.codes[at].tolist())
    names = ", ".join(f"{name} ({count} of {len(starts)})" for name, count in counted.most_common(2))
    notes.append(f"{node}: the print call is taken as {names}.")
    to_print = _ns(calls, events) - _ns(reported, events)
    if np.median(to_print) > PROMPT_NS:
        notes.append(
            f"{node}: its packet lines are printed {time_text(float(np.median(to_print)))} (median) after the event "
            "that they tell of; host stamps have that in them."
        )
    return {TO_PRINT: to_print, TO_START: _ns(starts, events) - _ns(calls, events)}, notes


def _to_the_host(
    stamped: PacketStamps,
    host: HostLines,
    pins: PinLines | None,
    on_pin: NDArray[np.int64] | None,
    events: Events,
    *,
    reference: str,
) -> dict[str, NDArray[np.int64]]:
    """From the last stop bit to the host and the aggregator, and the whole way; without the pin only the latter."""
    delays: dict[str, NDArray[np.int64]] = {}
    packets = stamped.reported != NONE
    rows, event_ns = stamped.log.lines[packets], _ns(stamped.reported[packets], events)
    if pins is not None and on_pin is not None:
        both = np.flatnonzero(on_pin != NONE)
        late_ns = np.full(len(on_pin), NONE, dtype=np.int64)
        ends_ns = _ns(pins.ends, events)
        delays[TO_HOST] = late_ns[both] = _delays(host, both, ends_ns[on_pin[both]], stamped.node, reference)
        there = on_pin[rows] != NONE
        delays[WHOLE] = ends_ns[on_pin[rows[there]]] - event_ns[there] + late_ns[rows[there]]
    else:
        delays[WHOLE] = _delays(host, rows, event_ns, stamped.node, reference)
    delays[READS] = host.stamps_ns - host.first_ns
    delays[TO_LOG] = (host.aggregator_ns - host.stamps_ns)[host.aggregator_ns != NONE]
    return delays


def _delays(
    host: HostLines, rows: NDArray[np.int64], since_ns: NDArray[np.int64], node: str, reference: str
) -> NDArray[np.int64]:
    """How long after these instants the host has the lines.

    Where both clocks began together it is the plain difference. Else the fastest line counts as 0, and the rates are
    evened out if the lines tell them: `lateness`.
    """
    late_ns: NDArray[np.int64] = host.stamps_ns[rows] - since_ns
    if host.same_zero or not len(late_ns):
        return late_ns
    late = lateness(host.stamps_ns[rows], since_ns, host=f"host, lines of {node}", reference=reference)
    from_fastest: NDArray[np.int64] = late.delays_ns - late.delays_ns.min()
    return from_fastest
