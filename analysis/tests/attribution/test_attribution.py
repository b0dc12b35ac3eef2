"""Attribution at scale and under loss: against a plain version, on random damage, and against the clock."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tripcases import trips

from gpiorig.analysis.events import completions
from gpiorig.analysis.events.index import Index
from gpiorig.analysis.packets import timelines
from gpiorig.analysis.packets.timelines import COMPLETE, PARTIAL

HEADER_NS = 192_000


def run(events):
    result = trips(events)
    return result, result.timelines


def test_completions_follow_plain_rules(new_bench):
    """Against a slow, plain version: walk the events once, keeping the open handler of every node."""
    bench = new_bench(seed=5)
    for id_ in range(1, 60):
        bench.round_trip(id_, lost=bench.rng.choice(["", "", "request", "reply"]))
    events = bench.events()
    interrupt_of = completions.find(events, Index(events)).of
    ends = {"driver.rx_read.exit", "radio.tx_complete", "radio.tx_no_ack"}
    names = [row[2] for row in sorted(bench.log, key=lambda row: (row[1], row[0]))]
    latest: dict[tuple[int, str], int] = {}
    for position, name in enumerate(names):
        node = int(events.nodes[position])
        if name in ends:
            for link in ("driver.isr.enter", "isr.radio.enter", "tap.irq.enter"):
                assert position == interrupt_of[latest[node, link]]
        latest[node, name] = position


@pytest.mark.parametrize("seed", range(40))
def test_what_is_lost_is_missing_and_never_wrong(new_bench, seed):
    """Random frames damaged and random edges of taps lost: a milestone is where it was, or it is missing."""
    bench = new_bench(seed=seed)
    for id_ in range(1, 31):
        bench.round_trip(id_, lost=bench.rng.choice(["", "", "", "", "request", "reply"]))
    starts = [(0, marks["request.app.tx"]) for marks in bench.truth]
    for node, at, name, _ in list(bench.log):
        if bench.rng.random() < 0.01 and (node, at) not in starts:
            if name.startswith("tap."):
                bench.log = [row for row in bench.log if row[:3] != (node, at, name)]
            else:
                bench.damage.add((node, at))
    _, lines = run(bench.events())
    names = [milestone.name for milestone in lines.milestones]
    assert len(bench.truth) == len(lines)
    complete = 0
    for row in range(len(lines)):
        if lines.status[row] > PARTIAL:
            continue
        complete += lines.status[row] == COMPLETE
        for name, at in zip(names, lines.samples[row].tolist(), strict=True):
            assert at in (-1, bench.truth[row][name]), (seed, row, name, lines.detail(row))
    assert complete >= 3


@pytest.mark.slow
def test_a_million_events(new_bench):
    bench = new_bench()
    for id_ in range(1, 201):
        bench.round_trip(id_)
    one = bench.events()
    copies = 1_000_000 // len(one)
    period = one.end
    shift = np.repeat(np.arange(copies), len(one))
    ids = np.tile(one.ids, copies).astype(np.int64)
    many = dataclasses.replace(
        one,
        samples=np.tile(one.samples, copies) + shift * period,
        nodes=np.tile(one.nodes, copies),
        codes=np.tile(one.codes, copies),
        ids=np.where(ids >= 0, (ids + 200 * shift) % 65536, -1).astype(np.int32),
        end=int(period) * copies,
    )
    _, lines = run(many)
    steps = timelines.steps(lines)
    assert timelines.steps_add_up(lines, steps)
    assert 200 * copies == len(steps.rows)
