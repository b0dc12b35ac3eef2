"""Breaks of timers of several ticks, in phase and not: no false alarm, and none missed above the derived bound."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
import pytest
from depth import by_depth
from madeevents import events_of_rows
from numpy.typing import NDArray

from gpiorig.analysis.clocks import break_causes, pairing, timer_breaks
from gpiorig.analysis.clocks.break_causes import Cause
from gpiorig.analysis.logs import node_log

SEEDS = by_depth(1, 20)
SIZES = {"lost": (0.3, 1.05, 4), "step": (-4, -0.3, 0.3, 1.05), "stopped": (0.3, 1.05, 4)}  # in bounds
LONGEST_S = 0.6

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

RATE_HZ = 24_000_000
NS_PER_SAMPLE = 1e9 / RATE_HZ
PACKETS = 100
AIR_S = 0.003
DCO_PPM = 3800.0
TICKS_HZ = {"watch": 32_768.0, "centisecond": 100.0, "microsecond": 1e6, "dco": 1e6}
BREAKS = ("none", "lost", "step", "stopped")


@dataclass(frozen=True, kw_only=True)
class Case:
    """A run: the nodes' kind of timer, how packets and ticks are related, what breaks, and by how much.

    Attributes
    ----------
    kind
        A key of `TICKS_HZ`.
    in_phase
        Whether the first node sends at its own ticks, and the others' ticks are those of the first when they receive.
    nodes, seed
        Number of nodes; of the random numbers.
    what, size_s
        One of `BREAKS`: samples are lost, the first node's timer steps, or it stands still for that long.
    """

    kind: str
    in_phase: bool
    nodes: int
    seed: int
    what: str = "none"
    size_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Run:
    """Sample numbers, printed µs and numbers of each packet by node, and the samples of the break."""

    samples: list[Integers]
    stamps_us: list[Integers]
    numbers: list[Integers]
    break_start: int
    break_end: int


def run(case: Case) -> Run:
    """Packets 20 ms apart or so; timers count ticks, which are printed in µs."""
    random = np.random.default_rng(case.seed)
    tick_s = 1 / TICKS_HZ[case.kind]
    clocks = [_clock(random, case.kind) for _ in range(case.nodes)]
    sent_s = 1 + 0.02 * (np.arange(PACKETS) + random.uniform(0, 0.5, PACKETS))
    if case.in_phase:
        # The beat of the first timer's ticks and the true time makes it show one tick more, or less, now and then.
        ticks = np.round(0.02 / tick_s) * np.arange(PACKETS)
        slip_s = random.uniform(-0.5, 0.5) * 1e-3 * tick_s * np.arange(PACKETS)
        sent_s = 1 + tick_s * ticks + slip_s + random.uniform(0, 1) * tick_s
    break_s = float(sent_s[PACKETS // 2] - 0.002)
    lost_s = case.size_s if case.what == "lost" else 0.0
    samples, ticks, numbers = [], [], []
    for place, clock in enumerate(clocks):
        true_s = sent_s + AIR_S * place + random.exponential(0.3e-6, PACKETS)
        shown_s = clock(true_s) - (AIR_S * place + clock(sent_s[:1]) - sent_s[:1] if case.in_phase else 0)
        if place == 0 and case.what == "step":
            shown_s = shown_s + np.where(true_s > break_s, case.size_s, 0)
        if place == 0 and case.what == "stopped":
            shown_s = shown_s - np.clip(true_s - break_s, 0, case.size_s)
        recorded = (true_s <= break_s - lost_s) | (true_s > break_s)
        recorded_s = true_s - np.where(true_s > break_s, lost_s, 0)
        counted = np.floor(shown_s / tick_s + 1e-9)
        samples.append(np.rint(recorded_s * RATE_HZ).astype(np.int64)[recorded])
        ticks.append(np.floor(counted * (tick_s * 1e6) + 1e-6).astype(np.int64)[recorded])
        numbers.append(np.flatnonzero(recorded))
    start = round((break_s - lost_s) * RATE_HZ)
    end = start + round(case.size_s * RATE_HZ) if case.what == "stopped" else start
    return Run(samples=samples, stamps_us=ticks, numbers=numbers, break_start=start, break_end=end)


def _clock(random: np.random.Generator, kind: str) -> Callable[[Floats], Floats]:
    """A crystal within 50 ppm; or an RC oscillator, whose rate is noise on several scales of time."""
    offset_s, ppm = float(random.uniform(5, 100)), float(random.uniform(-50, 50))
    if kind != "dco":
        return lambda true_s: offset_s + true_s * (1 + ppm * 1e-6)
    grid_s = np.arange(0.0, 6.0, 0.001)
    scales = [(0.017, 200e-6), (0.275, 400e-6), (4.4, 800e-6)]  # as the virtual MSP430's
    rates = sum(random.uniform(-part, part, 400)[(grid_s / span_s).astype(int)] for span_s, part in scales)
    gained_s = np.cumsum(rates) * 0.001
    return lambda true_s: offset_s + true_s + np.interp(true_s, grid_s, gained_s)


def causes(case: Case, record: Run) -> list[Cause]:
    """What is stated of the run."""
    rows, logs = [], {}
    for place, (samples, ticks, numbers) in enumerate(
        zip(record.samples, record.stamps_us, record.numbers, strict=True)
    ):
        packets = list(zip(numbers.tolist(), samples.tolist(), ticks.tolist(), strict=True))
        rows += [(at, place, "app.tx.enter", number) for number, at, _ in packets]
        lines = (f"packet seq={number} tx_us={us % 2**32} status=ok\n" for number, _, us in packets)
        logs[f"n{place}"] = node_log.parse("".join(lines), node=f"n{place}")
    events = events_of_rows(rows, tuple(logs), end=10**12, rate_hz=RATE_HZ)
    steady_ppm = dict.fromkeys(logs, DCO_PPM) if case.kind == "dco" else None
    return break_causes.causes(events, logs, steady_ppm=steady_ppm)


def matches(case: Case, record: Run, cause: Cause) -> bool:
    """Whether a cause is the break that was put in: whose it is and when; one stop may be two steps back."""
    node = "" if case.what == "lost" else "n0"
    return cause.node == node and cause.start <= record.break_end and record.break_start <= cause.end


def bound_s(case: Case, record: Run) -> float:
    """The least break that must be matches in a run; none below a third of it can be. Infinite with one node.

    A timer shows a break of s by s and at most its limit more or less. It is stated if one timer shows more than twice
    its limit, and another one, of a common break, more than its limit, or, of a break of the first, that it lacks it.
    """
    steady_ppm = DCO_PPM if case.kind == "dco" else timer_breaks.CRYSTAL_PPM
    limits, first = [], record.samples[0]
    before = first[int(np.searchsorted(first, record.break_start)) - 1]
    after = first[int(np.searchsorted(first, record.break_end))]
    for samples, ticks in zip(record.samples, record.stamps_us, strict=True):
        pairs = pairing.Pairs(ticks, samples, np.arange(len(samples)), "", 0, 0)
        timer = timer_breaks.timer(pairs, node="", ns_per_sample=NS_PER_SAMPLE, steady_ppm=steady_ppm)
        there = slice(np.searchsorted(samples, before, side="right") - 1, np.searchsorted(samples, after))
        limits.append(float(timer.limits_ns[there].max()) / 1e9)
    if len(limits) == 1:
        return float("inf")
    if case.what == "lost":
        return min(max(3 * one, 2 * another) for one, another in permutations(limits, 2))
    return max(3 * limits[0], 2 * min(limits[1:]))


@pytest.mark.parametrize("in_phase", [True, False])
@pytest.mark.parametrize("kind", TICKS_HZ)
def test_timers_without_a_break(kind: str, in_phase: bool) -> None:
    """Nothing is stated of one to four nodes."""
    cases = [Case(kind=kind, in_phase=in_phase, nodes=1 + seed % 4, seed=seed) for seed in range(4 * SEEDS)]
    assert [] == [(case, cause.text) for case in cases for cause in causes(case, run(case))]


@pytest.mark.deep
@pytest.mark.parametrize("in_phase", [True, False])
@pytest.mark.parametrize("kind", TICKS_HZ)
@pytest.mark.parametrize("what", SIZES)
def test_breaks_that_are_put_in(what: str, kind: str, in_phase: bool) -> None:
    """Those above the bound are stated, with their size; of those below a third of it nothing; nothing else ever."""
    for nodes in (2, 3, 4):
        for seed in range(SEEDS):
            clean = Case(kind=kind, in_phase=in_phase, nodes=nodes, seed=seed, what=what)
            unit_s = bound_s(clean, run(clean))
            for case in (replace(clean, size_s=ratio * unit_s) for ratio in SIZES[what]):
                if abs(case.size_s) < LONGEST_S:
                    _assert_is_stated_alone(case)


def _assert_is_stated_alone(case: Case) -> None:
    record = run(case)
    stated, ratio = causes(case, record), abs(case.size_s) / bound_s(case, record)
    assert stated or ratio <= 1, (case, ratio)
    assert not stated or ratio >= 1 / 3, (case, ratio, stated)
    assert all(matches(case, record, cause) for cause in stated), (case, stated)
    if case.what == "lost" and stated:
        (match,) = (re.match(r"(\d+) ± (\d+) samples are missing", cause.text) for cause in stated)
        assert match and abs(int(match[1]) - case.size_s * RATE_HZ) <= int(match[2]), (case, stated)
