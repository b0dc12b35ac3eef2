"""Packets of crowded networks, and what is measured of them, are as before, value for value.

Four nodes send frames over each other at coarse instants, so that events of one node and of several fall on equal
samples; events are lost, doubled, moved to gaps' ends, and others without a meaning lie between them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from held import digest, hold, leaves, numbers_in
from madeevents import events_of_rows
from network import RATE_HZ, Network

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation.analysis import Analysis, analyse
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.packets import accounting
from gpiorig.analysis.quantities import values as quantity_values
from gpiorig.analysis.quantities.names import MILESTONES, TX_ENDS
from gpiorig.analysis.quantities.series import Recorded

SEEDS = range(12)
NAMES = "abcd"
COARSE = 192  # samples
SPACES = (10_000, 60_000, 400_000)  # samples between packets: a frame takes up to 90 000
WAYS = (
    *2 * ((("a", "b", "call", "deliver"), ("b", "a", "call", "deliver")),),
    (("a", "b", "call", "relay"), ("b", "c", "relay", "relay"), ("c", "d", "relay", "deliver")),
    (("c", "b", "call", "relay"), ("b", "a", "relay", "deliver")),
    (("d", "b", "call", "deliver"),),
    (("a", "c", "call", "deliver"), ("a", "d", "call", "deliver")),
)
FURTHER = (
    *("tap.slp_tr", "tap.sfd", "tap.tx_active", "tap.select", "slot.rx", "slot.tx", "slot.active", "task.run"),
    *("isr.timer", "isr.uart", "timer.fire", "sched.sleep", "mac.backoff", "mac.ack_wait", "udp.checksum"),
)
INSTANTS = (
    *("radio.set_rx", "radio.set_idle", "radio.cca", "radio.rx_crc_error", "driver.rx_drop", "queue.post"),
    *("queue.fetch", "task.due", "sched.switch", "mac.sequence", "radio.tx_start", "rig.boot", "slot.frame"),
)
UNSEEN = (
    "sock",
    "driver.tx",
    "ipv6.header",
    "ipv6.next_hop",
    "sixlowpan.compress",
    "sixlowpan.decompress",
    "udp.header",
)
QUANTITIES = (
    *(f"mac.tx -> {name}" for name in MILESTONES if name != "mac.tx" and not name.startswith(UNSEEN)),
    *(f"{name} -> mac.rx" for name in ("app.tx", "driver.exec", "air.start", "isr.radio", "driver.exec.exit")),
    *(f"driver.exec -> {name}" for name in TX_ENDS),
    *("request.app.tx -> reply.app.rx", "hop 2.mac.tx -> mac.rx", "mac.tx -> hop 2.mac.rx at b"),
    *(f"interval of {name}" for name in ("app.tx", "mac.rx", "queue.post 3", "tap.irq")),
    *(f"span of {name}" for name in (*FURTHER, "task.run 3", "driver.isr", "tap.irq", "app.tx")),
    *(f"duty of {name}" for name in ("radio", *FURTHER)),
    *(
        f"{kind} {name}"
        for kind in ("run of", "share of")
        for name in ("isr.radio", "isr.timer", "timer.fire", "sleep", "thread 3", "task 3")
    ),
    *("time of isr.radio in mac.tx -> mac.tx.exit", "time of sleep in app.tx -> driver.exec"),
    *(f"self time of {layer}" for layer in ("udp tx", "mac", "driver rx", "isr", "app rx")),
    *(f"{kind} {number}" for kind in ("wait of task", "wait of queue", "length of queue") for number in (0, 3)),
    *(
        "blocked time of task 6",
        "rate of task 3",
        "rate of queue 3",
        "rate of app.rx",
        "count of sent",
        "count of mac.x",
    ),
    *(
        "goodput",
        "goodput bound",
        "loss",
        "delivery",
        "retried",
        "foreign",
        "loss at a",
        "retried at b",
        "delivery at c",
    ),
    *(
        f"{kind} of {name}"
        for kind in ("gap", "gap error", "spread")
        for name in ("app.rx", "mac.rx", "radio.tx_start")
    ),
    *("interval error of app.tx", "interval error of app.rx by log", "timestamp error of app.tx", "rtt by log"),
    *("spread of app.rx by log", "lateness of radio.tx_start", "stack", "rtt", "delay"),
)

CUT = ("mac.tx -> mac.rx", "driver.exec -> isr.tx_end", "goodput")


def test_packets_of_crowded_networks_are_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every array of every stage."""
    monkeypatch.chdir(tmp_path)
    found: dict[str, list[np.ndarray]] = {}
    for seed in SEEDS:
        analysis = _analysed(seed)
        assert analysis.hops is not None
        parts = analysis.hops, analysis.round_trips, analysis.routes, analysis.accounts, analysis.reordering
        texts = accounting.notes(analysis.hops), accounting.indistinct(analysis.hops)
        for name, values in leaves("stage", (*parts, accounting.account(analysis.hops), texts)):
            found.setdefault(name, []).append(values)
    hold("crowds", {name: digest(values) for name, values in found.items()})


def test_recordings_that_begin_within_a_packet_are_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exchange cut before each of its events, so that each of them is the first of a recording once."""
    monkeypatch.chdir(tmp_path)
    found: dict[str, list[np.ndarray]] = {}
    for radio in ("begun", "polled"):
        network = Network("ab", numbered=True, begun=radio == "begun")
        at = network.frame(1000, "a", 5, {"b": "deliver"}, twice=["b"] if radio == "begun" else []).end
        at = network.frame(at + 900, "b", 5, {"a": "deliver"}, outcome="no_ack").end
        at = network.frame(at + 900, "b", 5, {"a": "drop"}, by="retry").end
        network.frame(at + 5000, "a", 6, {"b": "hear"}, outcome="busy")
        if radio == "polled":
            network.drop("driver.isr", "isr.radio")
        rows = sorted((at, "ab".index(node), event, id_ or -1) for at, node, event, id_ in network.log)
        for first in range(len(rows) // 2):
            events = events_of_rows(rows[first:], "ab", end=RATE_HZ * 9, rate_hz=RATE_HZ)
            ends = {"a": ("b",), "b": ("a",)}
            analysis = analyse(events, {}, header_ns=network.headers(), destinations=ends, ends=("a", "b"))
            for name, values in leaves("stage", (analysis.hops, analysis.round_trips, analysis.routes)):
                found.setdefault(name, []).append(values)
            recorded = Recorded(analysis, {"payload": 40}, network.headers())
            for text in CUT:
                found.setdefault(text, []).extend(_measured(text, recorded))
    hold("begun", {name: digest(values) for name, values in found.items()})


def test_quantities_of_crowded_networks_are_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of quantities of every kind, their instants, packets and intervals; which of them are refused."""
    monkeypatch.chdir(tmp_path)
    found: dict[str, list[np.ndarray]] = {}
    for seed in SEEDS[:4]:
        recorded = Recorded(_analysed(seed), _settings(seed), dict.fromkeys(NAMES, 192_000), begin=1000 * COARSE)
        for text in QUANTITIES:
            found.setdefault(text, []).extend(_measured(text, recorded))
    hold("measured", {text: digest(values) for text, values in found.items()})


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_deliveries_of_all_nodes_are_those_of_each(seed: int) -> None:
    """Each packet counts once for each node that it is for, with its value among the deliveries of its origin."""
    recorded = Recorded(_analysed(seed), _settings(seed), dict.fromkeys(NAMES, 192_000), begin=1000 * COARSE)
    together = _deliveries("delivery of all", recorded)
    each = [pair for node in NAMES for pair in _deliveries(f"delivery at {node}", recorded)]
    assert len({packet for packet, _ in together}) > 20
    assert sorted(each) == sorted(together)


def _deliveries(text: str, recorded: Recorded) -> list[tuple[int, int]]:
    """Row and value of each packet; none of a node that sent none."""
    try:
        measured = quantity_values.series_of(text, recorded)
    except QuantityError:
        return []
    return [pair for series in measured for pair in zip(series.packets.tolist(), series.values.tolist(), strict=True)]


def _measured(text: str, recorded: Recorded) -> Iterator[np.ndarray]:
    try:
        measured = quantity_values.series_of(text, recorded)
    except QuantityError as error:
        yield np.array([-1, *map(int, numbers_in(str(error)))])
        return
    for series in measured:
        yield from (values for _, values in leaves("", series))
        for statistic in ("p90", "mean", "std", "max", "iqr"):
            interval = series.interval(statistic)
            yield np.array([interval.value, interval.low, interval.high])


def _settings(seed: int) -> dict[str, Any]:
    """Of the experiment."""
    settings = {"payload": 40, "interval_us": 2500, "gap_us": 2500, "train": 3, "a.payload": 12, "worker_a_on_us": 8}
    return settings if seed % 2 else settings | {"events_slot": True, "kernel": "threads"}


def _analysed(seed: int) -> Analysis:
    rng = random.Random(seed)
    network = Network(
        NAMES, seed=seed, numbered=bool(seed & 1), begun=bool(seed & 2), sequences=dict.fromkeys(NAMES, 250)
    )
    space, at, number = rng.choice(SPACES), 0, 0
    while number < 24:
        number += 1
        way = rng.choice(WAYS)
        at = (at if rng.random() < 0.8 else max(at - space, 0)) + rng.randrange(COARSE, space)
        for place, (sender, reader, by, how) in enumerate(way):
            others = [name for name in NAMES if name not in (sender, reader)]
            readers = {reader: how if rng.random() < 0.85 else rng.choice(["drop", "hear"])}
            readers |= {name: rng.choice(["drop", "hear"]) for name in others if rng.random() < 0.3}
            frame = network.frame(
                at,
                sender,
                number // 2 if rng.random() < 0.05 else number,
                readers if rng.random() < 0.9 else {},
                by=by if rng.random() < 0.9 else rng.choice(["fragment", "again", "retry", "bare"]),
                outcome=rng.choice(["complete", "complete", "complete", "no_ack", "busy", None]),
                backoff=rng.choice([0, 1000, 9000]),
                length=rng.choice([5, 40, 100]),
                twice=[name for name in readers if rng.random() < 0.1],
                read_again=rng.choice(["drop", "deliver"]),
            )
            at = frame.end + rng.randrange(COARSE, space // (4 if place else 2))
    end = at + 10 * RATE_HZ
    rows = [row for row in network.log if rng.random() > 0.002]
    rows += [(at + COARSE * rng.randrange(3), *rest) for at, *rest in rng.sample(rows, 5)]
    for _ in range(120):
        at, node, number = rng.randrange(network.end), rng.choice(NAMES), rng.choice([0, 3, 3, 6])
        point = rng.choice(FURTHER)
        rows += [(at, node, f"{point}.enter", number), (at + rng.randrange(5000), node, f"{point}.exit", number)]
        rows.append((rng.randrange(network.end), rng.choice(NAMES), rng.choice(INSTANTS), number))
    if seed % 4 == 3:  # a radio that is polled
        rows = [row for row in rows if row[1] != "c" or not row[2].startswith(("driver.isr", "isr.radio"))]
    coarse = [(at // COARSE * COARSE, NAMES.index(node), event, id_) for at, node, event, id_ in rows]
    instants = sorted(row[0] for row in coarse)
    gaps = [(instants[place], instants[place + 4] + offset) for place, offset in ((300, 0), (800, 1))]
    seen = [row for row in coarse if not any(low <= row[0] < high for low, high in gaps)]
    damaged = [(rng.randrange(network.end) // COARSE * COARSE, rng.randrange(4)) for _ in range(4)]
    events = events_of_rows(
        seen, tuple(NAMES), end=end, rate_hz=Fraction(RATE_HZ), gaps=[gap for gap in gaps if gap[0] < gap[1]],
        damaged=damaged,
    )  # fmt: skip

    def us(event: str, id_: int | None) -> Iterator[str]:
        """The timestamp of an event at a, late by some, if it took place."""
        at = next((row[0] for row in network.log if row[1:] == ("a", event, id_)), None)
        if at is not None:
            yield f"{event[4]}x_us={at * 1_000_000 // RATE_HZ + rng.randrange(20)}"

    lines = [
        f"packet seq={id_} {' '.join([*us('app.tx.enter', id_), *us('app.rx.enter', id_)])} "
        f"due_us={at * 1_000_000 // RATE_HZ - 100} departed_us={at * 1_000_000 // RATE_HZ + 700} "
        f"status={rng.choice(['ok', 'ok', 'timeout', 'no_ack', 'queue'])}"
        for at, node, event, id_ in network.log
        if (node, event) == ("a", "app.tx.enter")
    ]
    text = "\n".join([*lines, "done sent=14 received=11 lost=2 probes=900", "ok mac x=7", ""])
    return analyse(
        events,
        {"a": node_log.parse(text, node="a")},
        header_ns=dict.fromkeys(NAMES[: 4 - seed % 2], 192_000),
        destinations={"a": ("b",), "b": ("a",)} if seed % 5 else {"a": ("b", "c")},
        ends=("a", "b") if seed % 4 else None,
    )
