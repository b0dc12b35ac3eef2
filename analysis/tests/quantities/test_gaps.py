"""Gaps, interval errors, spreads, lateness, errors of timestamps: against made trains, logs, and lines at the host."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from madeevents import events_of_rows
from network import Network

from gpiorig.analysis.audit.inputs import HostLines, NodeRecord
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.quantities.names import parse
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.analysis.quantities.values import named_values, series_of

US = 24
MS = 24_000
TRAIN, GAP_MS, BEAT_MS, TRAINS = 3, 12, 100, 8
PPM, OFFSET_US = 40, 5_000_000
SETTINGS = {"train": TRAIN, "gap_us": GAP_MS * 1000, "interval_us": BEAT_MS * 1000}


def of_node(sample: float, *, ppm: float = PPM) -> int:
    """What the timer of a node shows, which truncates."""
    return int(sample / US * (1 + ppm * 1e-6)) + OFFSET_US


def recorded(network, lines, *, destinations, hosts=None, **parameters):
    logs = {node: node_log.parse("".join(f"{line}\n" for line in of), node=node) for node, of in lines.items()}
    stages = analysis.analyse(network.events(), logs, header_ns=network.headers(), destinations=destinations, ends=None)
    records = None if hosts is None else [NodeRecord(logs[node], host) for node, host in hosts.items()]
    return Recorded(stages, parameters, network.headers(), lambda: records)


def at_host(texts, stamps_ns):
    times = np.array(stamps_ns, dtype=np.int64)
    return HostLines(times, times, times + 1000, tuple(texts), same_zero=True)


class Trains:
    """Trains from a to b; each departure is some samples late, and the log tells when it was due and when it left."""

    def __init__(self, *, without: tuple[int, ...] = ()) -> None:
        rng = random.Random(7)
        self.network, self.late, self.sent, self.lines, self.host_ns = Network("ab"), {}, {}, [], []
        for n in range(1, TRAIN * TRAINS + 1):
            train, place = divmod(n - 1, TRAIN)
            due = (1 + train) * BEAT_MS * MS + place * GAP_MS * MS
            frame = self.network.frame(due - 3 * MS, "a", n, {"b": "deliver"})
            self.late[n] = rng.randrange(0, 40 * US)
            self.sent[n] = due + self.late[n]
            called = frame.marks["app.tx"]
            if n not in without:
                self.network.log.append((self.sent[n], "a", "radio.tx_start", n))
            times = f"due_us={of_node(due)} tx_us={of_node(called)} departed_us={of_node(self.sent[n])}"
            self.lines.append(f"packet seq={n} {times} done_us=7 status=ok")
            self.host_ns.append(int(frame.end * 1000 / US))

    def recorded(self, **more):
        return recorded(self.network, {"a": self.lines}, destinations={"a": ("b",)}, **SETTINGS | more)

    def gaps(self):
        pairs = [(n, n + 1) for n in self.sent if n % TRAIN]
        return [self.sent[after] - self.sent[before] for before, after in pairs]


def test_gaps_are_within_trains():
    trains = Trains()
    measured = trains.recorded()
    (gap,), (error,) = (series_of(f"{name} of radio.tx_start", measured) for name in ("gap", "gap error"))
    assert trains.gaps() == gap.values.tolist()
    assert [value - GAP_MS * MS for value in trains.gaps()] == error.values.tolist()
    assert ("a", 0, gap.scale) == (gap.node, gap.lacking, error.scale)
    (at_b,) = series_of("gap of app.rx", measured)
    assert ("a > b", len(trains.gaps())) == (at_b.node, len(at_b.values))
    with pytest.raises(QuantityError, match="does not contain `gap_us` of a; set it in the experiment"):
        series_of("gap error of app.rx", trains.recorded(gap_us=None))
    with pytest.raises(QuantityError, match=r"no event of a packet `timer\.fire`"):
        parse("gap of timer.fire")


def test_a_gap_over_a_missing_departure_is_lacking():
    measured = Trains(without=(5,)).recorded()
    (gap,) = series_of("gap of radio.tx_start", measured)
    assert (2 * TRAINS - 2, 2, 2) == (len(gap.values), gap.lacking, len(gap.lacking_packets))


def test_errors_of_intervals_and_of_a_period_between_samples():
    trains = Trains()
    samples = np.array(list(trains.sent.values()))
    (exact,) = series_of("interval error of radio.tx_start", trains.recorded())
    assert (np.diff(samples) - BEAT_MS * MS).tolist() == exact.values.tolist()
    (deviation,) = series_of("interval deviation of radio.tx_start", trains.recorded())
    assert np.abs(np.diff(samples) - BEAT_MS * MS).tolist() == deviation.values.tolist()
    assert exact.values.min() < 0
    (asked_of_node,) = series_of("interval error of radio.tx_start", trains.recorded(**{"a.interval_us": 7}))
    assert (np.diff(samples) - 7 * US).tolist() == asked_of_node.values.tolist()


def test_a_period_between_samples_is_taken_off_to_the_nearest_ns():
    """At 1.5 MS/s 1001 µs are 1501.5 samples; the values are in ns, and in samples where delays are compared."""
    events = events_of_rows(
        [(at, 0, "isr.timer.enter", None) for at in (0, 1501, 3003)], ("a",), end=4000, rate_hz=1_500_000
    )
    measured = Recorded(analysis.analyse(events, {}, header_ns={}), {"interval_us": 1001})
    (error,) = series_of("interval error of isr.timer", measured)
    assert (Fraction(1), [-333, 333]) == (error.scale, error.values.tolist())
    ((name, samples),) = named_values(["interval error of isr.timer"], measured).items()
    assert ("a: interval error of isr.timer", [0, 0]) == (name, samples.tolist())
    measured = replace(measured, parameters={"interval_us": 1000})
    (error,) = series_of("interval error of isr.timer", measured)
    assert [1, 2] == error.values.tolist() == named_values(["interval error of isr.timer"], measured)[name].tolist()
    late = Recorded(measured.analysis, {"interval_us": 1})
    assert [1500 - 1, 1502 - 1] == pytest.approx(
        [value * 1.5e-3 for value in series_of("interval error of isr.timer", late)[0].values], abs=1
    )


def test_lateness_is_from_the_due_instant_of_the_log():
    """To the resolution of the node's timer and of its fit: a truncated microsecond."""
    trains = Trains()
    (late,) = series_of("lateness of radio.tx_start", trains.recorded())
    truth_ns = np.array(list(trains.late.values())) * 1000 / US
    assert 1000 > np.abs(late.values * float(late.scale) - truth_ns).max()
    assert 0 == late.lacking
    lines, trains.lines = trains.lines, [trains.lines[0].replace("due_us", "expected_us"), *trains.lines[1:]]
    (less,) = series_of("lateness of radio.tx_start", trains.recorded())
    assert (late.values.tolist()[1:], 1, [0]) == (less.values.tolist(), less.lacking, less.lacking_packets.tolist())
    trains.lines = lines
    assert ["a: lateness of radio.tx_start"] == list(named_values(["lateness of radio.tx_start"], trains.recorded()))
    trains.lines = [line.replace("due_us", "expected_us") for line in trains.lines]
    with pytest.raises(QuantityError, match=r"does not show a packet with `radio\.tx_start` and `due_us` in the log"):
        series_of("lateness of radio.tx_start", trains.recorded())


def test_errors_of_timestamps_are_those_of_the_clock():
    trains = Trains()
    (error,) = series_of("timestamp error of radio.tx_start", trains.recorded())
    times = [of_node(sample) for sample in trains.sent.values()]
    truth = np.diff(times) * 1000 - np.diff(list(trains.sent.values())) * 1000 / US
    assert truth == pytest.approx(error.values * float(error.scale), abs=0.5)
    (by_log,) = series_of("interval error of radio.tx_start by log", trains.recorded())
    assert (np.diff(times) * 1000 - BEAT_MS * 1_000_000).tolist() == by_log.values.tolist()
    assert Fraction(1) == by_log.scale
    trains.lines[4] = trains.lines[4].replace("departed_us", "left_us")
    (less,) = series_of("timestamp error of radio.tx_start", trains.recorded())
    assert (len(error.values) - 2, 2) == (len(less.values), less.lacking)
    with pytest.raises(QuantityError, match=r"no event with a timestamp in the log `mac\.tx`"):
        parse("timestamp error of mac.tx")


def test_intervals_by_the_lines_at_the_host():
    trains = Trains()
    hosts = {"a": at_host(trains.lines, trains.host_ns)}
    measured = recorded(trains.network, {"a": trains.lines}, destinations={"a": ("b",)}, hosts=hosts, **SETTINGS)
    for clock in ("host", "aggregator"):
        (error,) = series_of(f"interval error of app.tx by {clock}", measured)
        assert (np.diff(trains.host_ns) - BEAT_MS * 1_000_000).tolist() == error.values.tolist()
    with pytest.raises(QuantityError, match="no serial record of a node"):
        series_of("interval error of app.tx by host", trains.recorded())


@pytest.mark.parametrize("announced", [False, True])
def test_a_line_is_of_the_event_at_which_it_is_printed(announced):
    """The line of a round trip is printed at its end; only an announcement gives the host an instant of sending."""
    network, lines, host_ns, sent = Network("ab"), [], [], []
    answers, trips, pins = [], [], []
    for n in range(1, 13):
        request = network.frame(n * 50 * MS, "a", n, {"b": "deliver"})
        reply = network.frame(request.end + MS, "b", n, {"a": "deliver"})
        called, arrived = request.marks["app.tx"], reply.arrivals["a"]["app.rx"]
        asked, answered = request.arrivals["b"]["app.rx"], reply.marks["app.tx"]
        answers.append(f"packet seq={n} rx_us={of_node(asked)} tx_us={of_node(answered)} status=ok")
        pins.append(arrived - called)
        trips.append(of_node(arrived) - of_node(called))
        if announced:
            lines.append(f"sent seq={n} tx_us={of_node(called)}")
            host_ns.append(called * 1000 // US + 1000 * n)
            sent.append(host_ns[-1])
        lines.append(f"packet seq={n} tx_us={of_node(called)} rx_us={of_node(arrived)} status=ok")
        host_ns.append(arrived * 1000 // US)
    called = network.frame(13 * 50 * MS, "a", 13, {}, outcome="no_ack").marks["app.tx"]
    lines.append(f"packet seq=13 tx_us={of_node(called)} status=lost reason=timeout")
    host_ns.append(14 * 50_000_000)
    hosts = {"a": at_host(lines, host_ns)}
    logs, destinations = {"a": lines, "b": answers}, {"a": ("b",), "b": ("a",)}
    measured = recorded(network, logs, destinations=destinations, hosts=hosts, interval_us=50_000)
    (by_log,) = series_of("rtt by log", measured)
    assert ("a", [1000 * us for us in trips], 1, 1) == (
        by_log.node,
        by_log.values.tolist(),
        by_log.lacking,
        by_log.scale,
    )
    assert pins == pytest.approx(named_values(["rtt by log"], measured)["a: rtt by log"].tolist(), abs=2 * US)
    if announced:
        (error,) = series_of("interval error of app.tx by host at a", measured)
        assert (np.diff(sent) - 50_000_000).tolist() == error.values.tolist()
        (by_host,) = series_of("rtt by host", measured)
        received = [at for at, line in zip(host_ns, lines, strict=True) if "status=ok" in line]
        assert (np.array(received) - sent).tolist() == by_host.values.tolist()
        assert (1, by_log.packets.tolist()) == (by_host.lacking, by_host.packets.tolist())
    else:
        with pytest.raises(QuantityError, match="set `announce = true`"):
            series_of("rtt by host", measured)
        with pytest.raises(QuantityError, match=r"two events `app\.tx\.enter` with a timestamp by host at a"):
            series_of("interval error of app.tx by host at a", measured)
    (received,) = series_of("interval error of app.rx by host at a", measured)
    assert 11 == len(received.values)


def test_spread_is_over_the_receivers():
    """By the pins, by logs of clocks that differ, and by the lines at the host; one of the packets reaches one node."""
    network, seen, lines, host_ns = Network("abcd"), {}, {node: [] for node in "bcd"}, {node: [] for node in "bcd"}
    ppm = {"b": -50.0, "c": 0.0, "d": 60.0}
    for n in range(1, 21):
        reads = dict.fromkeys("b" if n == 6 else "bcd", "deliver")
        arrivals = network.frame(n * 50 * MS, "a", n, reads).arrivals
        seen[n] = [arrivals[node]["app.rx"] for node in reads]
        for node in reads:
            at = arrivals[node]["app.rx"]
            lines[node].append(f"packet seq={n} rx_us={of_node(at, ppm=ppm[node])} status=ok")
            host_ns[node].append(int(at * 1000 / US) + 1_000_000 * (1 + "bcd".index(node)))
    truth = np.array([max(at) - min(at) for n, at in seen.items() if n != 6])
    hosts = {node: at_host(lines[node], host_ns[node]) for node in "bcd"}
    measured = recorded(network, lines, destinations={"a": tuple("bcd")}, hosts=hosts)
    (pins,) = series_of("spread of app.rx", measured)
    assert truth.tolist() == pins.values.tolist()
    assert ("a", 1, [5]) == (pins.node, pins.lacking, pins.lacking_packets.tolist())
    (by_log,) = series_of("spread of app.rx by log", measured)
    assert truth * 1000 / US == pytest.approx(by_log.values * float(by_log.scale), abs=2000)
    (by_host,) = series_of("spread of app.rx by host", measured)
    shown = [[int(at * 1000 / US) + 1_000_000 * (1 + k) for k, at in enumerate(of)] for n, of in seen.items() if n != 6]
    assert [max(of) - min(of) for of in shown] == by_host.values.tolist()
    for name, of_spread in (("", pins), (" by log", by_log), (" by host", by_host)):
        lags = {one.node: one for one in series_of(f"lag of app.rx{name}", measured)}
        assert ["b", "c", "d"] == list(lags)
        each = np.array([lag.values for lag in lags.values()])
        assert (0, of_spread.values.tolist()) == (each.min(axis=0).max(), each.max(axis=0).tolist())
        assert of_spread.packets.tolist() == lags["d"].packets.tolist()
    (at_c,) = series_of("lag of app.rx at c", measured)
    assert [at[1] - min(at) for n, at in seen.items() if n != 6] == at_c.values.tolist()
    for name in ("spread", "lag"):
        with pytest.raises(QuantityError, match=r"does not show `app\.tx\.enter` of a packet at two receivers"):
            series_of(f"{name} of app.tx", measured)
