"""Timestamps of a node's own timer paired with the instants at which the analyzer saw the same events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks import node_clock as nodeclock
from gpiorig.analysis.clocks.node_clock import NodeClock
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.logs.node_log import MISSING, NodeLog
from gpiorig.capture.edges.nanoseconds import nearest_ns

Integers = NDArray[np.int64]

NODE_TICK_HZ = Fraction(10**6)
TIMER = 1 << 32
IDS = 1 << 16
WINDOW = 16  # records of an event log that must agree with the pins where the log continues
NONE = -1
NEAR = 4096  # events within which they are searched for, after the first
SLACK_NS = 10_000_000  # between the timestamp and the pin: interrupts


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Timestamps and instants of the same events, in the order of the instants.

    Parameters
    ----------
    timestamps
        int64[n], the node's timer as logged, not unwrapped.
    samples
        int64[n], of the analyzer, increasing.
    rows
        int64[n], origin of each timestamp: row of the packet lines of `NodeLog`, or record of its event log.
    what
        Kind of events that were paired.
    unmatched_timestamps, unmatched_samples
        Timestamps without an event on the pins, events without a timestamp.
    boots
        Indices of pairs before which, by the log, the node booted.
    """

    timestamps: Integers
    samples: Integers
    rows: Integers
    what: str
    unmatched_timestamps: int
    unmatched_samples: int
    boots: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.timestamps)


def sent(events: Events, log: NodeLog) -> Pairs:
    """The timestamps of send calls (``tx_us`` of packet lines) and ``app.tx.enter`` on the pins."""
    return _by_id(events, log, log.sent_us, "app.tx.enter")


def received(events: Events, log: NodeLog) -> Pairs:
    """The timestamps of arrivals (``rx_us`` of packet lines) and ``app.rx.enter`` on the pins."""
    return _by_id(events, log, log.received_us, "app.rx.enter")


def recorded(events: Events, log: NodeLog) -> Pairs:
    """The event log in the node's memory, and the same events on its symbol bus.

    The log numbers its records, so the event that belongs to a record is known from the one before; wherever code
    or id differ, the next place at which 16 records agree is searched for. Records that agree nowhere are omitted.
    """
    what = "event log"
    if log.event_log is None or log.node not in events.node_names:
        return _nothing(what, 0 if log.event_log is None else len(log.event_log))
    codes = {event.code for name, event in BY_NAME.items() if not name.startswith("tap.")}
    here = (events.nodes == events.node(log.node)) & np.isin(events.codes, sorted(codes))
    pins = events.codes[here].astype(np.int64) << 32 | (events.ids[here].astype(np.int64) & 0xFFFF_FFFF)
    records = log.event_log.codes.astype(np.int64) << 32 | (log.event_log.ids.astype(np.int64) & 0xFFFF_FFFF)
    places = _aligned(records, log.event_log.numbers - log.event_log.numbers[0], pins)
    rows = np.flatnonzero(places >= 0)
    return Pairs(
        timestamps=log.event_log.ticks[rows],
        samples=events.samples[here][places[rows]],
        rows=rows,
        what=what,
        unmatched_timestamps=len(records) - len(rows),
        unmatched_samples=len(pins) - len(rows),
    )


def best(events: Events, log: NodeLog) -> Pairs:
    """The pairs of the event log, of the send calls or of the arrivals: the largest set."""
    return max((recorded(events, log), sent(events, log), received(events, log)), key=len)


def node_clock(pairs: Pairs, *, node: str, samplerate_hz: Fraction, breaks: Sequence[int] = ()) -> NodeClock:
    """The clock of a node, whose timer has 32 bits of microseconds, against that of the analyzer.

    `breaks` are the samples at which known breaks of either clock have passed.
    """
    return nodeclock.node_clock(
        node,
        pairs.timestamps % TIMER,
        nearest_ns(pairs.samples, samplerate_hz),
        reference="analyzer",
        tick_hz=NODE_TICK_HZ,
        modulus=TIMER,
        boots=pairs.boots,
        breaks=np.searchsorted(pairs.samples, breaks).tolist(),
        late=False,
        slack_ns=SLACK_NS,
    )


def _nothing(what: str, timestamps: int = 0) -> Pairs:
    none = np.empty(0, dtype=np.int64)
    return Pairs(none, none, none, what, timestamps, 0)


def _by_id(events: Events, log: NodeLog, timestamps: Integers, point: str) -> Pairs:
    """Pairs of equal ids of 16 bits, unwrapped, in the order in which they come."""
    rows = np.flatnonzero(timestamps != MISSING)
    if log.node not in events.node_names:
        return _nothing(point, len(rows))
    here = (events.codes == BY_NAME[point].code) & (events.nodes == events.node(log.node)) & (events.ids >= 0)
    samples, logged = events.samples[here], len(rows)
    places = same_packet(log.sequences[rows], events.ids[here])
    rows, places = rows[places != NONE], places[places != NONE]
    order = np.argsort(samples[places], kind="stable")
    rows = rows[order]
    runs = np.searchsorted(log.boot_lines, log.lines[rows])
    return Pairs(
        timestamps=timestamps[rows],
        samples=samples[places][order],
        rows=rows,
        what=point,
        unmatched_timestamps=logged - len(rows),
        unmatched_samples=len(samples) - len(rows),
        boots=tuple((np.flatnonzero(np.diff(runs) > 0) + 1).tolist()),
    )


def same_packet(logged: NDArray[np.int32], seen: NDArray[np.int32]) -> Integers:
    """The place in `seen` of each packet number of `logged`; both may lack some, and be out of order by some.

    Numbers are unwrapped from their 16 bits, each to the nearest of the one before, so that equal numbers of different
    rounds are different packets. The first of both lie within half a round. Of several equal ones the first belongs to
    the first.

    Returns
    -------
    numpy.ndarray
        int64[len(logged)], -1 for none.
    """
    if not len(logged) or not len(seen):
        return np.full(len(logged), NONE, dtype=np.int64)
    numbers, seen_numbers = _unwrapped(logged), _unwrapped(seen)
    seen_numbers += numbers[0] + _nearest(seen_numbers[0] - numbers[0]) - seen_numbers[0]
    low, high = min(numbers.min(), seen_numbers.min()), max(numbers.max(), seen_numbers.max())
    span = high - low + 1
    numbers, seen_numbers = (
        numbers - low + span * _occurrence(numbers),
        seen_numbers - low + span * _occurrence(seen_numbers),
    )
    order = np.argsort(seen_numbers)
    at = np.minimum(np.searchsorted(seen_numbers[order], numbers), len(seen_numbers) - 1)
    return np.where(seen_numbers[order][at] == numbers, order[at], NONE)


def _nearest(steps: Integers) -> Integers:
    """Steps modulo a round of packet numbers, from -32768 to 32767."""
    half = IDS // 2
    return (steps + half) % IDS - half


def _unwrapped(ids: NDArray[np.int32]) -> Integers:
    wide = ids.astype(np.int64)
    return np.concatenate((wide[:1], wide[:1] + np.cumsum(_nearest(np.diff(wide)))))


def _occurrence(values: Integers) -> Integers:
    """int64[n]: how many equal values come before each."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    group_starts = np.searchsorted(ordered, ordered)
    occurrence = np.empty(len(values), dtype=np.int64)
    occurrence[order] = np.arange(len(values)) - group_starts
    return occurrence


def _aligned(records: Integers, numbers: Integers, pins: Integers) -> Integers:
    """Place on the pins of each record, -1 for none."""
    places = np.full(len(records), -1, dtype=np.int64)
    at, free, shift = 0, 0, None
    while at < len(records):
        window = slice(at, at + WINDOW)
        shifted = _search(records[window], numbers[window] - numbers[at], pins, shift, int(numbers[at]), free=free)
        if shifted is None:
            at += 1
            continue
        shift = shifted - int(numbers[at])
        expected = numbers[at:] + shift
        same = (expected < len(pins)) & (pins[np.minimum(expected, len(pins) - 1)] == records[at:])
        run = len(same) if same.all() else int(np.argmin(same))
        places[at : at + run] = expected[:run]
        at, free = at + run, int(expected[run - 1]) + 1
    return places


def _search(
    records: Integers, steps: Integers, pins: Integers, shift: int | None, number: int, *, free: int = 0
) -> int | None:
    """Place at which the pins show these records: nearest to the one by the shift so far, or anywhere at first.

    The places before `free` belong to earlier records.
    """
    reach = int(steps[-1]) + 1
    low, high = free, len(pins) - reach + 1
    if shift is not None:
        low, high = max(low, number + shift - NEAR), min(high, number + shift + NEAR)
    starts = np.arange(low, high)
    for record, step in zip(records.tolist(), steps.tolist(), strict=True):
        starts = starts[pins[starts + step] == record]
    if not len(starts):
        return None
    return int(starts[np.argmin(np.abs(starts - number - (shift or 0)))])
