"""Clocks of every kind of fault are as before, value for value.

Timers that are steady, bent, stepped, in bands, of few bits, reset, out of order, against references that are exact,
late, set or coarse: their unwrapped ticks, fits, breaks, causes and stability.
"""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from held import digest, hold, leaves
from madeevents import events_of_rows

from gpiorig.analysis.clocks import (
    bands,
    break_causes,
    breaks,
    clock_fit,
    host_clock,
    node_clock,
    node_json,
    pairing,
    resolution,
    stability,
    timer_breaks,
    timer_guesses,
    unwrap,
)
from gpiorig.analysis.logs import node_log
from gpiorig.capture.edges.bounds import Bound

SEEDS = 32
NS_PER_S = 10**9
KINDS = ("steady", "bands", "bent", "rates", "step", "outliers", "wander", "even")
COUNTS = (2, 3, 7, 40, 61, 200, 500)
QUANTA_NS = (1, 1000, 10**6, 10**9 / 32_768)
RATE_HZ = 24_000_000

Found = defaultdict[str, list[np.ndarray]]


def test_fits_of_clocks_are_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines, bands, breaks, minimum delays, boot periods, and what the log of a node would lack."""
    monkeypatch.chdir(tmp_path)
    found: Found = defaultdict(list)
    for seed in range(SEEDS):
        rng = np.random.default_rng([seed, 20261128])
        kind, count = KINDS[seed % len(KINDS)], int(rng.choice(COUNTS))
        at = np.sort(rng.integers(0, int(rng.choice([1, 20, 300])) * NS_PER_S, count))
        quantum = float(rng.choice(QUANTA_NS))
        shown = _shown(kind, at, rng, quantum)
        host = at + np.rint(rng.exponential(1e5, count) * (1 + 30 * (rng.random(count) < 0.1))).astype(np.int64)
        host[count // 3 :] -= int(rng.choice([0, 0, 200_000_000, 3 * 10**9]))
        host = host // int(rng.choice([1, 1000, 10**6])) * int(rng.choice([1, 1]))
        for name, reference in (("exact", at), ("host", host)):
            fitted = clock_fit.fit(shown, reference, clock="n", reference=name, resets=(count // 2,) * (seed % 5 == 4))
            _note(found, name, fitted)
            if fitted.segments and all(abs(segment.ppm.value) < 1e5 for segment in fitted.segments):
                around = np.linspace(reference[0] - 10**8, reference[-1] + 10**8, 9).astype(np.int64)
                _note(found, "at", (fitted.at(around), fitted.to_reference(around, near_ns=around)))
        _note(found, "minimum", host_clock.minimum_delay(host, at, host="h", reference="n", piecewise=seed % 2 > 0))
        x, y = (at - at.mean()), (shown - at).astype(float)
        quanta = quantum, 1.0
        _note(found, "bands", (bands.find(x, y, quanta=quanta, first=1e-5), bands.local(x, y, quanta=quanta, first=0)))
        _note(found, "breaks", (breaks.bounds(x, y, quanta=quanta), breaks.bounds(x, y, quanta=quanta, lowest=True)))
        steps = [resolution.counted_step(shown, at.astype(float), NS_PER_S), resolution.quantum(shown)]
        _note(found, "resolution", (steps, resolution.quanta(shown, host), resolution.shown_step(host)))
        grid = stability.to_grid(at, y)
        _note(found, "stability", (grid, stability.stability("n", grid) if grid.tau0_ns > 10**5 else None))
        _node(found, seed, rng, at, host)
    hold("clocks", {name: digest(values) for name, values in found.items()})


def test_unwrapped_timers_are_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Timers of 4 bits to 32, a few timestamps long, with a reference or none; numbers of packets that are paired."""
    monkeypatch.chdir(tmp_path)
    found: Found = defaultdict(list)
    for seed in range(500):
        rng = random.Random(seed)
        modulus = rng.choice([None, 16, 16, 256, 2**32])
        count, now, at_ns = rng.choice([1, 2, 5, 12, 30]), rng.randrange(16), 0
        raw, reference = [], []
        for _ in range(count):
            step = rng.choice([0, 1, 1, 2, 3, 5, 8, 16, 40])
            now, at_ns = now + step, at_ns + step * 1000 * rng.choice([1, 1, 1, 1, 0, 2, -1])
            fault = rng.random()
            now = rng.randrange(4) if fault < 0.05 else now - rng.randrange(8) if fault < 0.1 else now
            raw.append(max(now, 0) if modulus is None else now % modulus)
            reference.append(at_ns)
        ticks = np.array(raw, dtype=np.int64)
        boots = rng.sample(range(count), 1) if rng.random() < 0.2 else []
        _note(found, f"unwrap {modulus}", unwrap.unwrap(ticks, modulus, boots=boots))
        for slack_ns in (0, 2000, 10_000):
            unwrapped = unwrap.unwrap(
                ticks,
                modulus,
                boots=boots,
                reference_ns=np.array(reference),
                tick_hz=Fraction(10**6),
                slack_ns=slack_ns,
            )
            _note(found, f"unwrap {modulus} {slack_ns}", unwrapped)
        _note(found, "guesses", (timer_guesses.nominal_hz(ticks, np.array(reference)), timer_guesses.no_clock(ticks)))
        _note(found, "orders", (timer_guesses.order(ticks, np.array(reference)), timer_guesses.likely_modulus(ticks)))
        ids = [np.array([rng.randrange(6) + 65_533 & 65_535 for _ in range(rng.randrange(7))]) for _ in range(2)]
        _note(found, "paired", pairing.same_packet(*(part.astype(np.int32) for part in ids)))
        low = rng.choice([0, -(2**15), 2**15, 2**24 - 2**16])
        _note(found, "modulus", timer_guesses.likely_modulus(low + np.array([rng.randrange(2**16) for _ in range(6)])))
    hold("timers", {name: digest(values) for name, values in found.items()})


def test_causes_of_breaks_are_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three timers that step, run faster, stand still or restart, together or alone, and an analyzer that loses."""
    monkeypatch.chdir(tmp_path)
    found: Found = defaultdict(list)
    for seed in range(30):
        rng = np.random.default_rng([seed, 1])
        rows, logs, lost = [], {}, int(rng.choice([0, 0, 500, 24_000, -9000]))
        count = int(rng.choice([12, 40, 90]))
        for place, node in enumerate("abc"):
            true_s = 0.5 + 0.003 * place + 0.02 * (np.arange(count) + rng.uniform(0, 0.2, count))
            clock_s = true_s * (1 + float(rng.uniform(-40, 40)) * 1e-6)
            for fault in rng.choice(5, int(rng.integers(3))):
                since = true_s > float(rng.choice([0.8, 1.0, 1.4]))
                clock_s += since * float(rng.choice([-1, 1])) * [1e-3, 3e-5, 0.2, 0, 0][fault]
                clock_s += since * (true_s - true_s[0]) * (3e-4 if fault == 3 else 0)
                if fault == 4:
                    clock_s[7:12] = clock_s[7]
            samples = np.rint(true_s * RATE_HZ).astype(np.int64)
            samples -= np.where(true_s > 1.0, lost, 0)
            rows += [(at, place, "app.tx.enter", number) for number, at in enumerate(samples.tolist())]
            tick_us = float(rng.choice([1, 1, 10**6 / 32_768, 1000]))
            stamps_us = np.floor(clock_s * 1e6 / tick_us) * tick_us
            lines = (f"packet seq={n} tx_us={int(us) % 2**32} status=ok\n" for n, us in enumerate(stamps_us.tolist()))
            logs[node] = node_log.parse("".join(lines), node=node)
        gap = (RATE_HZ, RATE_HZ + 9 * 480_000)
        events = events_of_rows(rows, "abc", end=10**9, rate_hz=RATE_HZ, gaps=[gap] * (seed % 7 == 3))
        bounds = (Bound(start=0, end=10**9, limit_samples=400, found_by="a counter"),) * (seed % 3 == 1)
        causes = break_causes.causes(events, logs, steady_ppm={"c": 5.0}, bounds=bounds)
        _note(found, "causes", [(*"abc", "").index(cause.node) for cause in causes])
        _note(found, "places", causes)
        for node, log in logs.items():
            pairs = pairing.best(events, log)
            timer = timer_breaks.timer(pairs, node=node, ns_per_sample=1e9 / RATE_HZ)
            _note(found, "timer", timer)
            _note(found, "node clock", pairing.node_clock(pairs, node=node, samplerate_hz=Fraction(RATE_HZ)))
    hold("causes", {name: digest(values) for name, values in found.items()})


def _shown(kind: str, at: np.ndarray, rng: np.random.Generator, quantum: float) -> np.ndarray:
    """What a clock with a fault shows at some instants, int64 ns."""
    count, span = len(at), float(at[-1] - at[0] + 1)
    x = (at - at[0]) / span
    size = float(rng.choice([3, 40, 1000])) * quantum
    fault = {
        "steady": np.zeros(count),
        "bands": size * rng.choice([0, 0, 1, 1, 3], count),
        "bent": size * 20 * x * x,
        "rates": size * 10 * np.maximum(x - 0.6, 0),
        "step": size * (x > 0.4),
        "outliers": size * 1000 * (rng.random(count) < 0.15),
        "wander": np.cumsum(rng.normal(0, size / 10, count)),
        "even": np.round(x * 20) * size,
    }[kind]
    ideal = 123_456_789 + at * (1 + float(rng.uniform(-80, 80)) * 1e-6) + fault
    return np.asarray(np.rint(np.floor(ideal / quantum) * quantum), dtype=np.int64)


def _node(found: Found, seed: int, rng: np.random.Generator, at: np.ndarray, host: np.ndarray) -> None:
    """The clock of a node whose timer of 1 MHz or 32 768 Hz wraps and restarts."""
    hz = (10**6, 32_768)[seed % 2]
    ticks = at * hz // NS_PER_S + 1000
    modulus = (None, 2**16, 2**24, 2**32)[seed // 2 % 4]
    for reset in rng.choice(len(at), int(rng.integers(3))).tolist():
        ticks[reset:] -= ticks[reset] - 50
    boots = [len(at) // 2] * (seed % 3 == 0)
    ticks = ticks if modulus is None else ticks % modulus
    clock = node_clock.node_clock(
        "n",
        ticks,
        host if seed % 4 else at,
        reference="host",
        tick_hz=Fraction(hz),
        modulus=modulus,
        boots=boots,
        breaks=[len(at) // 4, len(at) - 1],
        late=seed % 4 > 0,
    )
    _note(found, "node", msgspec.to_builtins(node_json.of_clock(clock)))
    for period in clock.boot_periods:
        _note(found, "period", (period.residuals_ns(), period.delays_ns()))


def _note(found: Found, name: str, value: Any) -> None:
    for field, numbers in leaves(name, value):
        found[field].append(numbers)
