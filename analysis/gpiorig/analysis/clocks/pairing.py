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
    ids, samples = events.ids[here].astype(np.int64), events.samples[here]
    numbers = log.sequences[rows].astype(np.int64)
    first, second = _common(_keys(numbers), _keys(ids))
    order = np.argsort(samples[second], kind="stable")
    rows, first = rows[first][order], order
    runs = np.searchsorted(log.boot_lines, log.lines[rows])
    return Pairs(
        timestamps=timestamps[rows],
        samples=samples[second][order],
        rows=rows,
        what=point,
        unmatched_timestamps=len(numbers) - len(rows),
        unmatched_samples=len(ids) - len(rows),
        boots=tuple((np.flatnonzero(np.diff(runs) > 0) + 1).tolist()),
    )


def _keys(ids: Integers) -> list[tuple[int, int]]:
    """Each id, unwrapped, with the number of its earlier occurrences."""
    if not len(ids):
        return []
    steps = (np.diff(ids) + IDS // 2) % IDS - IDS // 2
    seen: dict[int, int] = {}
    keys = []
    for number in (ids[0] + np.concatenate(([0], np.cumsum(steps)))).tolist():
        seen[number] = seen.get(number, -1) + 1
        keys.append((number, seen[number]))
    return keys


def _common(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> tuple[Integers, Integers]:
    """Places of the keys that are in both."""
    places = {key: at for at, key in enumerate(second)}
    shared = [(at, places[key]) for at, key in enumerate(first) if key in places]
    pairs = np.array(shared, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _aligned(records: Integers, numbers: Integers, pins: Integers) -> Integers:
    """Place on the pins of each record, -1 for none."""
    places = np.full(len(records), -1, dtype=np.int64)
    at, shift = 0, None
    while at < len(records):
        shifted = _search(
            records[at : at + WINDOW], numbers[at : at + WINDOW] - numbers[at], pins, shift, int(numbers[at])
        )
        if shifted is None:
            at += 1
            continue
        shift = shifted - int(numbers[at])
        expected = numbers[at:] + shift
        same = (expected < len(pins)) & (pins[np.minimum(expected, len(pins) - 1)] == records[at:])
        run = len(same) if same.all() else int(np.argmin(same))
        places[at : at + run] = expected[:run]
        at += run
    return places


def _search(records: Integers, steps: Integers, pins: Integers, shift: int | None, number: int) -> int | None:
    """Place at which the pins show these records: nearest to the one by the shift so far, or anywhere at first."""
    reach = int(steps[-1]) + 1
    low, high = 0, len(pins) - reach + 1
    if shift is not None:
        low, high = max(low, number + shift - NEAR), min(high, number + shift + NEAR)
    if high <= low:
        return None
    starts = np.arange(low, high)
    for record, step in zip(records.tolist(), steps.tolist(), strict=True):
        starts = starts[pins[starts + step] == record]
    if not len(starts):
        return None
    return int(starts[np.argmin(np.abs(starts - number - (shift or 0)))])
