"""The three-clock audit on built recordings, whose every clock and delay is known."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from madeevents import events_of_rows

from gpiorig.analysis.audit import stages
from gpiorig.analysis.audit.auditor import audit
from gpiorig.analysis.audit.comparisons import added_jitter
from gpiorig.analysis.audit.inputs import HostLines, NodeRecord, PinLines
from gpiorig.analysis.audit.results import Audit, Comparison, Matching
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.tables import evaluation as tables

NODES = ("a", "b", "c")
RATE = Fraction(10**9)  # a sample is a ns, so that expected values are exact
MS, US = 1_000_000, 1_000
PRINT, WIRE = 40 * US, 1100 * US  # from an event to the start bit, and to the last stop bit


@dataclass
class Bench:
    """Events and lines of up to three nodes, put together by hand."""

    events: list[tuple[int, int, str, int]] = field(default_factory=list)
    lines: dict[str, list[tuple[str, int, int, int]]] = field(default_factory=dict)  # text, start, end, host timestamp
    ppm: dict[str, float] = field(default_factory=dict)
    offset_us: dict[str, int] = field(default_factory=dict)
    boots_ns: dict[str, list[int]] = field(default_factory=dict)

    def timestamp(self, node: str, ns: int) -> int:
        """The node's raw 32-bit microseconds at an instant; its clock restarts at a boot."""
        since = max((at for at in self.boots_ns.get(node, []) if at <= ns), default=0)
        return (int((ns - since) * (1 + self.ppm.get(node, 0.0) / 1e6)) // US + self.offset_us.get(node, 0)) % 2**32

    def event(self, node: str, ns: int, point: str, id_: int = -1) -> int:
        self.events.append((ns, NODES.index(node), point, id_))
        return ns

    def print(self, node: str, text: str, start: int, *, late: int, wire: int = WIRE) -> None:
        """A line on the pin from `start` on, and at the host `late` after its last stop bit."""
        self.lines.setdefault(node, []).append((text, start, start + wire, start + wire + late))

    def boot(self, node: str, ns: int) -> None:
        self.event(node, ns, "rig.boot")
        self.boots_ns.setdefault(node, []).append(ns)
        self.print(node, "boot board=x firmware=reference", ns + MS, late=0, wire=300 * US)

    def round_trip(self, id_: int, at: int, *, there: int, back: int, late: tuple[int, int] = (0, 0)) -> None:
        """Round trips from a to b; a prints at its reception, b when it has replied."""
        sent = self.event("a", at, "app.tx.enter", id_)
        received = self.event("b", at + there, "app.rx.enter", id_)
        replied = self.event("b", received + 20 * US, "app.tx.enter", id_)
        done = self.event("a", replied + back, "app.rx.enter", id_)
        marks = f"rx_us={self.timestamp('b', received)} tx_us={self.timestamp('b', replied)}"
        self.print("b", f"packet seq={id_} {marks} status=ok", replied + PRINT, late=late[1])
        marks = f"tx_us={self.timestamp('a', sent)} rx_us={self.timestamp('a', done)}"
        self.print("a", f"packet seq={id_} {marks} status=ok", done + PRINT, late=late[0])

    def events_on_pins(self) -> Events:
        return events_of_rows(self.events, NODES, end=max(self.events)[0] + 1, rate_hz=RATE)

    def record(self, node: str, *, same_zero: bool = True, pins: bool = True) -> NodeRecord:
        lines = self.lines.get(node, [])
        texts = tuple(text for text, _, _, _ in lines)
        timestamps = np.array([timestamp for _, _, _, timestamp in lines], dtype=np.int64)
        return NodeRecord(
            node_log.parse("".join(f"{text}\n" for text in texts), node=node),
            HostLines(timestamps, timestamps, np.full(len(lines), -1, dtype=np.int64), texts, same_zero),
            PinLines(
                np.array([start for _, start, _, _ in lines], dtype=np.int64),
                np.array([end for _, _, end, _ in lines], dtype=np.int64),
                texts,
            )
            if pins
            else None,
        )

    def audit(self, *nodes: str) -> Audit:
        return audit(self.events_on_pins(), [self.record(node) for node in nodes])


# At random, which excludes a beat; the smallest is 1 ms and the largest 8 ms.
LATE = [MS * late for late in np.random.default_rng(1).integers(1, 9, 40).tolist()]
THERE = [3 * MS + 300 * US * level for level in np.random.default_rng(2).integers(4, size=40).tolist()]


def round_trips(n: int = 40, **clocks: Any) -> Bench:
    """Round trips every 20 ms, of 7.02 ms and up to 0.9 ms more; lines at a are late by `LATE`, at b by 1 ms."""
    bench = Bench(**clocks)
    for k in range(n):
        bench.round_trip(k + 1, 20 * MS * (k + 1), there=THERE[k], back=4 * MS, late=(LATE[k], MS))
    return bench


def comparison(audited: Audit, quantity: str, clock: str) -> Comparison:
    (one,) = (row for row in audited.comparisons if (row.quantity, row.clock) == (quantity, clock))
    return one


def stage(audited: Audit, node: str, name: str):
    (one,) = (row.delay for row in audited.stages if (row.node, row.name) == (node, name))
    return one


def later(record: NodeRecord, ns: int) -> NodeRecord:
    """The same with a host whose clock has another zero than the analyzer's."""
    assert record.host is not None
    timestamps = {"timestamps_ns": record.host.timestamps_ns + ns, "first_ns": record.host.first_ns + ns}
    return dataclasses.replace(record, host=dataclasses.replace(record.host, same_zero=False, **timestamps))


def matching(audited: Audit, node: str, what: str) -> Matching:
    (one,) = (row for row in audited.matchings if row.node == node and row.what.startswith(what))
    return one


def test_a_perfect_node_clock_has_no_error():
    """All instants are integer microseconds, so that the node's timestamps equal the pins."""
    audited = round_trips().audit("a", "b")
    for quantity in ("round trip, a", "turn-around, b", "interval between receptions, a"):
        one = comparison(audited, quantity, "node")
        assert (one.n > 0, 0, 0.0, 0.0) == (True, one.unmatched, one.error.min_ns, one.error.max_ns)
    assert 40 == comparison(audited, "round trip, a", "node").n
    assert (min(LATE), max(LATE)) == (MS, 8 * MS)
    assert (7.02e6, 7.92e6) == (
        comparison(audited, "round trip, a", "node").pins.min_ns,
        comparison(audited, "round trip, a", "node").pins.max_ns,
    )
    assert 0.0 == comparison(audited, "round trip, a", "node").added_jitter_ns.value


def test_a_fast_node_clock_shows_as_skew():
    """A clock that is 1000 ppm fast makes 20 ms 20 us longer, to the microsecond of its timestamps."""
    audited = round_trips(ppm={"a": 1000.0}).audit("a", "b")
    one = comparison(audited, "interval between send calls, a", "node")
    assert 20_000.0 == one.skew_ns.value
    (fit,) = (fit for fit in audited.fits if fit.clock == "node a")
    assert fit.segments[0].ppm.low <= 1000.0 <= fit.segments[0].ppm.high


def test_the_wrap_of_the_nodes_timer_is_not_an_error():
    """Its 32 bits run over in the middle of the run."""
    audited = round_trips(offset_us={"a": 2**32 - 400_000}).audit("a", "b")
    for quantity in ("round trip, a", "interval between send calls, a", "interval between receptions, a"):
        assert 0.0 == comparison(audited, quantity, "node").error.peak_to_peak_ns
    assert (0, 0) == next((fit.resets, fit.backsteps) for fit in audited.fits if fit.clock == "node a")


def test_host_stamps_carry_the_lateness_of_their_lines():
    """Interval errors are the differences of successive latenesses; they add to the jitter what those spread."""
    one = comparison(round_trips().audit("a", "b"), "interval between receptions, a", "host")
    assert np.diff(LATE).tolist() == one.errors_ns.tolist()
    intervals = 20 * MS + np.diff(THERE)
    assert float(np.ptp(intervals + np.diff(LATE)) - np.ptp(intervals)) == one.added_jitter_ns.value


def test_a_line_stands_for_the_last_event_it_reports():
    """The initiator's one line is printed at the reception: the host has no round trip, and a note explains it."""
    audited = round_trips().audit("a", "b")
    assert {"node"} == {row.clock for row in audited.comparisons if row.quantity == "round trip, a"}
    (note,) = (note for note in audited.notes if note.startswith("Not by host timestamps"))
    assert "round trip, a" in note


def test_a_line_printed_at_sending_gives_the_host_the_round_trip():
    """The initiator's `sent` line has the send call, its `packet` line the reception: the error is their difference."""
    bench, late = Bench(), np.random.default_rng(5).integers(300 * US, 2000 * US, (40, 2)).tolist()
    for k, (first, second) in enumerate(late):
        at, done = 20 * MS * (k + 1), 20 * MS * (k + 1) + 7 * MS
        bench.event("a", at, "app.tx.enter", k)
        bench.event("a", done, "app.rx.enter", k)
        bench.print("a", f"sent seq={k} tx_us={at // US}", at + PRINT, late=first)
        bench.print("a", f"packet seq={k} tx_us={at // US} rx_us={done // US} status=ok", done + PRINT, late=second)
    audited = bench.audit("a")
    host = comparison(audited, "round trip, a", "host")
    assert [second - first for first, second in late] == host.errors_ns.tolist()
    assert 39 == comparison(audited, "interval between send calls, a", "host").n
    assert not any("Not by host" in note for note in audited.notes)


def with_line_at_sending(n: int = 200) -> tuple[Bench, list[int], list[int]]:
    """An application that prints at sending and at receiving, as the method of the serial aggregator needs."""
    bench, chance = Bench(), np.random.default_rng(3)
    first, second = (chance.integers(300 * US, 2000 * US, n).tolist() for _ in range(2))
    for k, rtt in enumerate((7 * MS + chance.integers(5, size=n) * 200 * US).tolist()):
        at = 20 * MS * (k + 1)
        bench.event("a", at, "app.tx.enter", k)
        bench.event("a", at + rtt, "app.rx.enter", k)
        bench.print("a", f"packet seq={k} tx_us={at // US} status=ok", at + PRINT, late=first[k])
        bench.print("a", f"packet seq={k} rx_us={(at + rtt) // US} status=ok", at + rtt + PRINT, late=second[k])
    return bench, first, second


def test_a_round_trip_by_host_timestamps():
    """With a line for each of its two events, its error is the difference of their latenesses."""
    bench, first, second = with_line_at_sending()
    audited = bench.audit("a")
    host = comparison(audited, "round trip, a", "host")
    errors = np.subtract(second, first)
    assert errors.tolist() == host.errors_ns.tolist()
    assert np.median(errors) == host.skew_ns.value
    assert host.skew_ns.low <= host.skew_ns.value <= host.skew_ns.high
    added = host.added_jitter_ns
    assert host.other.peak_to_peak_ns - host.pins.peak_to_peak_ns == added.value
    assert added.low <= added.value <= added.high
    assert 0.0 == comparison(audited, "round trip, a", "node").error.max_ns


@pytest.mark.parametrize(("scale", "shift"), [(4.0, 0.0), (1.0, 5000.0), (0.5, -250.0)])
def test_added_jitter_scales_and_does_not_shift(scale: float, shift: float):
    """In other units it is the same; a constant delay on either side adds no jitter."""
    chance = np.random.default_rng(4)
    pins, other = chance.integers(0, 4000, 300).astype(float), chance.integers(0, 9000, 300).astype(float)
    one, two = added_jitter(pins, other), added_jitter(pins * scale, other * scale + shift)
    assert (one.value * scale, one.low * scale, one.high * scale) == (two.value, two.low, two.high)


def test_added_jitter_against_a_plain_bootstrap():
    """Resampled one by one, packets of little dependence: the same ends within the spread of 1000 resamples."""
    chance = np.random.default_rng(5)
    pins, other = chance.normal(0, 1, 400), chance.normal(0, 3, 400)
    jitter = added_jitter(pins, other)
    drawn = [chance.integers(0, 400, 400) for _ in range(1000)]
    plain = np.array([np.ptp(other[rows]) - np.ptp(pins[rows]) for rows in drawn])
    assert jitter.low >= plain.min() and jitter.high <= plain.max()
    assert np.ptp(other) - np.ptp(pins) == jitter.value


def test_the_stages_of_the_serial_path():
    """Each stage has its known delay; they add up from the event to the host."""
    audited = round_trips().audit("a", "b")
    assert (0.0, 0.0) == (stage(audited, "a", stages.TO_PRINT).min_ns, stage(audited, "a", stages.TO_PRINT).max_ns)
    assert PRINT == stage(audited, "a", stages.TO_START).median_ns
    assert (40, WIRE, WIRE) == (
        stage(audited, "a", stages.ON_WIRE).n,
        stage(audited, "a", stages.ON_WIRE).min_ns,
        stage(audited, "a", stages.ON_WIRE).max_ns,
    )
    to_host = stage(audited, "a", stages.TO_HOST)
    assert (np.median(LATE), min(LATE), max(LATE)) == (to_host.median_ns, to_host.min_ns, to_host.max_ns)
    total = PRINT + WIRE + np.array(LATE)
    assert (total.mean(), 40) == (stage(audited, "a", stages.TOTAL).mean_ns, stage(audited, "a", stages.TOTAL).n)


def test_without_a_common_zero_the_fastest_line_counts_as_none():
    """A host's clock and an analyzer's do not begin together; a note states what the delays count from."""
    bench = round_trips()
    audited = audit(bench.events_on_pins(), [later(bench.record("a"), 10**18)])
    to_host = stage(audited, "a", stages.TO_HOST)
    assert (0.0, 7.0 * MS) == (to_host.min_ns, to_host.max_ns)
    assert any("fastest line" in note for note in audited.notes)


def broadcasts(n: int = 40) -> Bench:
    """Packets from a to b and c, which receive them 10 us apart; c's lines are later by 0 to 5 ms."""
    bench = Bench(ppm={"b": 30.0, "c": -20.0}, offset_us={"c": 5_000_000})
    for k in range(1, n + 1):
        at = 40 * MS * k
        bench.event("a", at, "app.tx.enter", k)
        bench.print("a", f"packet seq={k} tx_us={at // US} done_us={at // US + 3000} status=ok", at + 3 * MS, late=MS)
        for node, delay, late in (("b", 5000 * US, MS), ("c", 5010 * US, MS + k % 6 * MS)):
            received = bench.event(node, at + delay, "app.rx.enter", k)
            text = f"packet seq={k} from=1 radio_us=0 rx_us={bench.timestamp(node, received)} status=ok"
            bench.print(node, text, received + PRINT, late=late)
    return bench


def test_the_spread_of_receptions():
    """10 us by the pins; by the host as much as its lines are apart; by the fitted node clocks within their steps."""
    audited = broadcasts().audit("a", "b", "c")
    name = "reception spread over 2 nodes, sent by a"
    host, node = comparison(audited, name, "host"), comparison(audited, name, "node")
    assert (10_000.0, 0.0) == (host.pins.median_ns, host.pins.peak_to_peak_ns)
    assert [k % 6 * MS for k in range(1, 41)] == host.errors_ns.tolist()
    assert 40 == node.n
    assert node.error.max_ns <= 2_000.0


def test_whose_packet_it_was_is_not_guessed():
    """A and c use the same numbers, and c's packet 5 alone arrives: it may be either's, so that it is unmatched."""
    bench = Bench()
    for k in range(1, 11):
        for node, at in (("a", 40 * MS * k), ("c", 40 * MS * k + 20 * MS)):
            bench.event(node, at, "app.tx.enter", k)
            bench.print(node, f"packet seq={k} tx_us={at // US} done_us={at // US} status=ok", at + PRINT, late=MS)
            if (node, k) != ("a", 5):
                bench.event("b", at + 5 * MS, "app.rx.enter", k)
                marks = f"from=1 radio_us=0 rx_us={(at + 5 * MS) // US}"
                bench.print("b", f"packet seq={k} {marks} status=ok", at + 5 * MS + PRINT, late=MS)
    audited = bench.audit("a", "b", "c")
    for sender in ("a", "c"):
        one = comparison(audited, f"send call to reception, {sender} to b", "node")
        assert (9, 1, 5.0 * MS, 0.0) == (one.n, one.unmatched, one.pins.max_ns, one.error.max_ns)


def test_a_log_of_another_run_is_flagged_and_omitted():
    """The same packet numbers at the same rate, but other delays."""
    bench, other = round_trips(), Bench()
    for k in range(40):
        other.round_trip(k + 1, 20 * MS * (k + 1), there=6 * MS - k % 5 * 400 * US, back=4 * MS)
    audited = audit(bench.events_on_pins(), [other.record("a", pins=False), bench.record("b")])
    assert any("a: this log is not of this recording" in note for note in audited.foreign)
    assert {"turn-around, b"} == {row.quantity for row in audited.comparisons if "interval" not in row.quantity}
    assert not any(row.quantity.endswith(", a") for row in audited.comparisons)


def test_a_log_with_other_packets_is_flagged():
    bench, other = round_trips(), Bench()
    for k in range(40):
        other.round_trip(k + 20_000, 20 * MS * (k + 1), there=3 * MS, back=4 * MS)
    # Its first packet is another one, which the pins do not show; numbers are then counted from there.
    audited = audit(bench.events_on_pins(), [other.record("a", pins=False)])
    assert any("or the events of their packets are not" in note for note in audited.foreign)
    assert () == audited.comparisons


def test_logs_of_two_nodes_swapped():
    bench = round_trips()
    swapped = [
        dataclasses.replace(bench.record(one), log=dataclasses.replace(bench.record(other).log, node=one), pins=None)
        for one, other in (("a", "b"), ("b", "a"))
    ]
    audited = audit(bench.events_on_pins(), swapped)
    assert 2 == sum("this log is not of this recording" in note for note in audited.foreign)
    assert () == audited.comparisons


def test_a_log_that_is_not_of_the_hosts_lines():
    """Then lines cannot be identified: the error states what to do."""
    bench = round_trips()
    record = bench.record("a", pins=False)
    assert record.host is not None
    short = dataclasses.replace(record.host, texts=record.host.texts[:10])
    with pytest.raises(
        EventError, match=r"a: its log has a packet in line 39, the host has 10 lines; parse the log from"
    ):
        audit(bench.events_on_pins(), [dataclasses.replace(record, host=short)])


def test_pins_without_the_applications_events():
    """The log need not be of another run; there is nothing to compare."""
    bench = round_trips()
    record = bench.record("a")
    bench.events = [(at, node, "isr.radio.enter", -1) for at, node, _, _ in bench.events]
    audited = audit(bench.events_on_pins(), [record])
    assert "a: the pins show no send call and no reception of it, so its timer is not compared." in audited.notes
    assert ((), ()) == (audited.comparisons, audited.fits)


def test_a_truncated_log():
    """The lines of such a log are compared; the rest is counted."""
    bench = round_trips()
    bench.lines["a"] = bench.lines["a"][:25]
    audited = bench.audit("a", "b")
    one = matching(audited, "a", "packet lines")
    assert (25, 30) == (one.matched, one.unmatched["event on the pins without a line"])
    one = comparison(audited, "round trip, a", "node")
    assert (25, 15) == (one.n, one.unmatched)


def test_an_interval_is_between_events_that_follow_each_other():
    """Intervals over a missing line, or over an event that is not on the pins, are omitted and counted."""
    bench = round_trips()
    del bench.lines["a"][9:12], bench.lines["a"][20]
    tenth = next(row for row in bench.events if row[1:] == (0, "app.tx.enter", 31))
    bench.events.remove(tenth)
    audited = bench.audit("a", "b")
    sends, receptions = (
        comparison(audited, f"interval between {what}, a", "node") for what in ("send calls", "receptions")
    )
    # 39 events are 38 intervals: 4 and 2 lack a line, and the apparent one over the missing event does not count.
    assert (31, 7, 20.0 * MS, 0.0) == (sends.n, sends.unmatched, sends.pins.max_ns, sends.pins.peak_to_peak_ns)
    assert (33, 6) == (receptions.n, receptions.unmatched)
    assert receptions.pins.max_ns < 21 * MS


def test_missing_and_garbled_lines():
    """A line that another one broke, one whose timestamp was changed in transit, and one that is missing."""
    bench = round_trips()
    complete = bench.record("a")
    assert complete.host is not None
    texts = list(complete.host.texts)
    texts[10] = texts[10][:20] + texts[11]
    texts[20] = texts[20].replace("tx_us=4", "tx_us=5")
    del texts[30]
    timestamps = np.delete(complete.host.timestamps_ns, 30)
    host = HostLines(timestamps, timestamps, np.full(39, -1, dtype=np.int64), tuple(texts), True)
    log = node_log.parse("".join(f"{text}\n" for text in texts), node="a")
    audited = audit(bench.events_on_pins(), [NodeRecord(log, host, complete.pins), bench.record("b")])
    lines, packets = matching(audited, "a", "lines at the host"), matching(audited, "a", "packet lines")
    assert (37, 2, 3) == (lines.matched, *lines.unmatched.values())
    assert (37, 1, 0, 1, 6) == (packets.matched, *packets.unmatched.values())
    assert 0.0 == comparison(audited, "round trip, a", "node").error.peak_to_peak_ns


def test_a_reboot_in_between():
    """Numbers and clock restart; nothing is matched or measured across it."""
    bench = Bench()
    bench.boot("a", 5 * MS)
    for k in range(20):
        bench.round_trip(k + 1, 20 * MS * (k + 1), there=3 * MS, back=4 * MS)
    bench.boot("a", 500 * MS)
    for k in range(20):
        bench.round_trip(k + 1, 600 * MS + 20 * MS * k, there=3 * MS + k * 10 * US, back=4 * MS)
    audited = bench.audit("a", "b")
    assert 40 == comparison(audited, "round trip, a", "node").n
    assert 38 == comparison(audited, "interval between send calls, a", "node").n
    assert 0.0 == comparison(audited, "interval between send calls, a", "node").error.peak_to_peak_ns
    assert 1 == next(fit.resets for fit in audited.fits if fit.clock == "node a")
    assert any(note.startswith("a: 2 boots in its log, 2 on the pins") for note in audited.notes)


@pytest.mark.slow
def test_a_clock_that_restarts_without_a_boot_line():
    """A timer of 16 bits of microseconds, and a reset that is not in the log: flagged, with a likely cause."""
    short, reset = round_trips(), round_trips()
    for lines in (short.lines["a"], reset.lines["a"]):
        for row, (text, *ends) in enumerate(lines):
            if lines is short.lines["a"]:
                text = re.sub(r"_us=(\d+)", lambda match: f"_us={int(match[1]) % 2**16}", text)
            elif row >= 20:
                text = re.sub(r"_us=(\d+)", lambda match: f"_us={int(match[1]) - 400_000}", text)
            lines[row] = (text, *ends)
    for bench, flag in (
        (short, "a: its clock restarted 12 times without a boot line: none of its timestamps reaches 65536"),
        (reset, "a: its clock restarted once without a boot line: it was reset, or"),
    ):
        assert any(note.startswith(flag) for note in bench.audit("a", "b").flags)
    assert () == round_trips().audit("a", "b").flags


@pytest.mark.parametrize("step", [MS * 1000, -MS * 1000, 30 * MS])
def test_a_host_whose_clock_is_set(step: int):
    """A set clock is named with instant and size; the fit to the fastest lines restarts there."""
    bench, at = round_trips(), 20 * MS * 24
    undisturbed = comparison(bench.audit("a"), "interval between receptions, a", "host, minimum delay")
    bench.lines["a"] = [
        (text, start, end, timestamp + step * (start > at)) for text, start, end, timestamp in bench.lines["a"]
    ]
    audited = bench.audit("a")
    (note,) = audited.flags
    assert note.startswith("a: from 487 ms on the host's timestamps")
    assert ("later" if step > 0 else "earlier") in note
    host = comparison(audited, "interval between receptions, a", "host")
    assert abs(step) - 8 * MS < np.abs(host.errors_ns).max() < abs(step) + 8 * MS
    # In both parts the fastest line counts as on time, so that one interval may be off by what they differ by.
    least = comparison(audited, "interval between receptions, a", "host, minimum delay")
    assert np.abs(least.errors_ns - undisturbed.errors_ns).max() <= max(LATE) - min(LATE)


@pytest.mark.parametrize("ppm", [0.0, 30.0])
def test_delays_that_only_vary_are_not_a_step(ppm: float):
    """Random, falling in one saw tooth and a half as after an adapter's timer, growing as of a host that is fast."""
    for late in (LATE, [(16 * MS - k * 16 * MS // 27) % (16 * MS) for k in range(40)], [k * MS for k in range(40)]):
        bench = round_trips()
        bench.lines["a"] = [
            (text, start, end, end + delay + int(start * ppm / 1e6))
            for (text, start, end, _), delay in zip(bench.lines["a"], late, strict=True)
        ]
        assert () == bench.audit("a").flags


def test_a_rate_that_lines_cannot_determine_is_not_subtracted():
    """40 lines late by 1 to 8 ms give the rate to some 1000 ppm: the delay counts from the fastest line."""
    audited = round_trips().audit("a", "b")
    assert any("cannot be determined from its lines to better than ±50 ppm" in note for note in audited.notes)
    host = comparison(audited, "send call to reception, b to a", "host, minimum delay")
    # The fastest line of a, and b's, which are all alike, count as on time.
    assert np.subtract(LATE, min(LATE)).tolist() == host.errors_ns.tolist()


def with_event_log(bench: Bench, node: str, *, keep: slice = slice(None)) -> None:
    """Let a node send its event log at the end: one record a line, with the node's timestamps 5 us before the pins."""
    codes = {name: BY_NAME[name].code for _, _, name, _ in bench.events}
    own_events = [(at, codes[name], id_) for at, index, name, id_ in sorted(bench.events) if NODES[index] == node]
    lines = [
        f"log lost=00000000 {number % 256:02x}{code + 128 * (id_ >= 0):02x}"
        f"{f'{id_:04x}' if id_ >= 0 else ''}{bench.timestamp(node, at - 5 * US):08x}"
        for number, (at, code, id_) in enumerate(own_events)
    ]
    for line in lines[keep]:
        bench.print(node, line, own_events[-1][0] + MS, late=0)


def test_every_record_of_the_event_log_is_found_on_the_pins():
    """80 events, logged a constant 5 us early: no interval is off, and the clocks are 5 us apart."""
    bench = round_trips()
    with_event_log(bench, "a")
    audited = bench.audit("a", "b")
    one = matching(audited, "a", "records of the event log")
    assert (80, [0, 0, 0]) == (one.matched, list(one.unmatched.values()))
    steps = comparison(audited, "interval between logged events, a", "node")
    assert (79, 0.0, 0.0) == (steps.n, steps.error.min_ns, steps.error.max_ns)
    (fit,) = (fit for fit in audited.fits if fit.clock == "node a, event log")
    assert -5 * US == fit.segments[0].origin_clock_ns + fit.segments[0].offset_ns.value - fit.segments[0].centre_ns


def simulated(noise_us: dict[str, np.ndarray]) -> Bench:
    """Round trips on clocks of such phases; events are on the analyzer's own clock, that of ``analyzer``."""
    bench = Bench()
    for k in range(len(noise_us["analyzer"])):
        for node in "ab":
            bench.offset_us[node] = 10_000 + round(float(noise_us[node][k] - noise_us["analyzer"][k]))
        bench.round_trip(k + 1, 20 * MS * (k + 1), there=3 * MS, back=4 * MS)
    return bench


@pytest.mark.slow
def test_the_hat_gives_each_of_three_simulated_clocks_its_own():
    """White frequency noise of the analyzer and of a, whose ADEV is step / tau, and white phase noise of b."""
    chance = np.random.default_rng(8)
    sigma_us = {"analyzer": 60.0, "a": 30.0, "b": 50.0}
    noise = {name: sigma * chance.standard_normal(1000) for name, sigma in sigma_us.items()}
    walks = {name: np.cumsum(noise[name]) for name in ("analyzer", "a")}
    by_clock = {clock.clock: clock for clock in simulated({**noise, **walks}).audit("a", "b").stability}
    hats = [by_clock[f"{name} (three-cornered hat)"] for name in ("analyzer", "node a", "node b")]
    expected = [60e-6 / 0.02, 30e-6 / 0.02, np.sqrt(3) * 50e-6 / 0.02]
    assert expected == pytest.approx([hat.adev[0] for hat in hats], rel=0.1)
    assert "" == hats[0].note


@pytest.mark.slow
def test_a_negative_variance_of_the_hat_is_in_the_table():
    """A perfect analyzer between two clocks: its own comes out negative or next to nothing."""
    chance = np.random.default_rng(9)
    walk = np.cumsum(50 * chance.standard_normal(300))
    audited = simulated({"analyzer": np.zeros(300), "a": walk, "b": -walk}).audit("a", "b")
    hat = next(clock for clock in audited.stability if clock.clock == "analyzer (three-cornered hat)")
    assert np.isnan(hat.adev).all() and np.isnan(hat.tdev_ns).any()
    assert hat.note.startswith(f"variance negative at {len(hat.adev)} of {len(hat.adev)} (ADEV) and ")
    rows = [row for row in tables.stability(audited).to_pylist() if row["clock"] == hat.clock]
    assert {(hat.note, hat.n, hat.missing)} == {(row["note"], row["n"], row["missing"]) for row in rows}


def test_a_clock_that_is_only_fast_is_not_unsteady():
    """One per cent, at receptions 0.9 ms about an even grid: only the timestamps' microsecond is left, 2 us at most."""
    audited = round_trips(ppm={"b": 10_000.0}).audit("a", "b")
    fast = next(clock for clock in audited.stability if clock.clock == "node b")
    assert 0 < fast.adev[0] <= 2e-6 / np.sqrt(2) / 0.02


@pytest.mark.slow
def test_a_clock_that_wanders_is_named():
    """An oscillator that swings by 1 ms about its mean within the run."""
    bench = Bench()
    for k in range(200):
        swing = round(1000 * np.sin(k / 4))
        bench.offset_us["a"] = 10_000 + swing
        bench.round_trip(k + 1, 20 * MS * (k + 1), there=3 * MS, back=4 * MS)
    assert any(note.startswith("a: its clock wanders by") for note in bench.audit("a", "b").flags)


def test_records_that_are_missing_are_counted():
    bench = round_trips()
    with_event_log(bench, "a", keep=slice(10, 70))
    one = matching(bench.audit("a", "b"), "a", "records of the event log")
    assert (60, [0, 20, 0]) == (one.matched, list(one.unmatched.values()))


def test_a_lost_packets_line_stands_for_no_event():
    """The line of a lost packet is printed after the timeout; its timestamp is not one of the send call."""
    bench = round_trips()
    at = 20 * MS * 41
    bench.event("a", at, "app.tx.enter", 41)
    bench.print("a", f"packet seq=41 tx_us={at // US} status=lost reason=timeout", at + 15 * MS, late=0)
    audited = bench.audit("a", "b")
    assert 40 == comparison(audited, "interval between send calls, a", "node").n
    assert 39 == comparison(audited, "interval between receptions, a", "host").n


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_packets_neither_raise_nor_invent(n: int):
    audited = round_trips(n).audit("a", "b")
    one = comparison(audited, "round trip, a", "node")
    assert (n, 0.0) == (one.n, one.skew_ns.value)
    assert one.added_jitter_ns.note


def test_nothing_to_audit_is_reported():
    bench = round_trips()
    record = NodeRecord(node_log.parse("ready\n", node="c"))
    audited = audit(bench.events_on_pins(), [record, NodeRecord(node_log.parse("", node="x"))])
    assert (
        "c: its log has no packet line, so its timer is not compared.",
        "c: its serial port was not recorded: no host timestamps.",
        "x: no pin of it was recorded, so its timestamps cannot be compared.",
    ) == audited.notes
    assert ((), (), ()) == (audited.comparisons, audited.fits, audited.stages)


def test_where_the_hosts_clock_begins_changes_no_interval():
    bench = round_trips()
    records = (bench.record("a"), later(bench.record("a"), 987_654_321_000))
    one, other = (
        comparison(audit(bench.events_on_pins(), [record]), "interval between receptions, a", "host")
        for record in records
    )
    assert one.errors_ns.tolist() == other.errors_ns.tolist()


def test_offsets_in_the_table_are_those_of_the_clocks():
    """B's own clock is 5 s ahead; its lines are at the host 10 s and 2.14 ms later, by either fit."""
    bench = round_trips(offset_us={"b": 5_000_000})
    rows = tables.clock_fits(audit(bench.events_on_pins(), [later(bench.record("b"), 10**10)])).to_pylist()
    assert ["node b", "host, lines of b", "host, lines of b"] == [row["clock"] for row in rows]
    assert 2 == len({row["method"] for row in rows[1:]})
    late = PRINT + WIRE + MS
    assert [5e9, 1e10 + late, 1e10 + late] == pytest.approx([row["offset_ns"] for row in rows], abs=US)
    assert all(row["offset_low_ns"] <= row["offset_ns"] <= row["offset_high_ns"] for row in rows)
    assert all(row["start_ns"] < row["centre_ns"] < row["end_ns"] for row in rows)


def test_tables_hold_every_row():
    audited = broadcasts().audit("a", "b", "c")
    all_tables = {name: table(audited) for name, table in tables.AUDIT_TABLES.items()}
    assert {"audit", "serial_stages", "clocks", "stability", "matchings"} == set(all_tables)
    assert len(audited.comparisons) == all_tables["audit"].num_rows
    assert len(audited.stages) == all_tables["serial_stages"].num_rows
    assert sum(max(1, len(fit.segments)) for fit in audited.fits) == all_tables["clocks"].num_rows
    assert [row.skew_ns.value for row in audited.comparisons] == all_tables["audit"]["skew_ns"].to_pylist()


@pytest.mark.slow
def test_equal_recordings_give_equal_tables():
    one, other = (
        {name: table(round_trips().audit("a", "b")) for name, table in tables.AUDIT_TABLES.items()} for _ in range(2)
    )
    assert {name: str(table.to_pydict()) for name, table in one.items()} == {
        name: str(table.to_pydict()) for name, table in other.items()
    }
