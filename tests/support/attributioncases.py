"""Delays whose structure is known, for the tests of attribution."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from gpiorig.analysis.attribution import channel
from gpiorig.analysis.attribution.activities import Activity, periodic
from gpiorig.analysis.attribution.beat import sending_interval
from gpiorig.analysis.attribution.on_air import Wait
from gpiorig.analysis.attribution.step_series import Series
from gpiorig.analysis.packets import path
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.steps import Step, Steps

RATE_HZ = 24_000_000
UNIT_NS = 1e9 / RATE_HZ
MS = 24_000
INTERVAL = 20 * MS
Draw = Callable[[np.random.Generator, int], np.ndarray]


def wander(rng: np.random.Generator, n: int, correlation: float) -> np.ndarray:
    """An autoregressive series of order 1 with a variance of 1."""
    e = rng.normal(size=n + 200)
    x = np.zeros(n + 200)
    for i in range(1, n + 200):
        x[i] = correlation * x[i - 1] + np.sqrt(1 - correlation**2) * e[i]
    return x[200:]


# Without any structure: distributions with one place, whose packets have at most a memory that fades.
STRUCTURELESS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(50_000, 3000, n),
    "exponential": lambda rng, n: rng.exponential(3000, n),
    "gamma": lambda rng, n: rng.gamma(0.5, 3000, n),
    "uniform": lambda rng, n: rng.uniform(1000, 20_000, n),
    "truncated exponential": lambda rng, n: -3000 * np.log1p(-rng.random(n) * (1 - np.exp(-2))),
    "few samples": lambda rng, n: rng.normal(1000, 1.5, n),
    "rare hits": lambda rng, n: rng.normal(1000, 0.5, n) + 2000 * (rng.random(n) < 0.03),
    "lognormal": lambda rng, n: 1000 * np.exp(rng.normal(0, 1.5, n)),
    "correlation 0.5": lambda rng, n: 50_000 + 3000 * wander(rng, n, 0.5),
    "correlation 0.9": lambda rng, n: 50_000 + 3000 * wander(rng, n, 0.9),
}


def activity(name: str, period: float, end: int, *, offset: float = 500.0) -> Activity:
    """Something periodic, from the beginning to the end."""
    instants = periodic(name, np.rint(np.arange(offset, end, period)).astype(np.int64))
    assert instants is not None
    return instants


def covariates(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    """What might matter and does not: a number, counts, mostly zero, and one that wanders."""
    return {
        "number": rng.normal(size=n),
        "retries": rng.poisson(0.2, n).astype(float),
        "pre-empted time, µs": np.where(rng.random(n) < 0.1, rng.exponential(100, n), 0),
        "wander": wander(rng, n, 0.9),
    }


def others_on_air(rng: np.random.Generator, delays: np.ndarray, begun: np.ndarray, *, repeated: float = 0.0) -> Wait:
    """Frames of 2.7 ms every 3 to 20 ms that have nothing to do with the delays, and packets repeated at random."""
    end = int(begun[-1] + delays.max()) + MS
    every = int(rng.uniform(3, 20) * MS)
    starts = np.arange(0, end, every) + rng.integers(0, every - 2.7 * MS, len(np.arange(0, end, every)))
    ends = starts + int(2.7 * MS)
    first = np.searchsorted(ends, begun, side="right")
    start = np.append(starts, 1 << 60)[first]
    others = np.where(start < begun + delays, np.maximum(start - begun, 0).astype(float), np.inf)
    return Wait(others, rng.random(len(delays)) < repeated, starts, ends, end)


def series(
    delays: np.ndarray, starts: np.ndarray, *activities: Activity, air: Wait | None = None, **others: np.ndarray
) -> Series:
    """Delays as a step that begins when its packet does."""
    n = len(delays)
    whole = np.rint(delays).astype(np.int64)
    return Series(
        "step",
        whole,
        starts,
        starts,
        others,
        activities,
        UNIT_NS,
        n,
        sending_interval(starts),
        channel.split(whole, air) if air is not None else None,
    )


def starts(rng: np.random.Generator, n: int, *, irregular: bool = True) -> np.ndarray:
    """Instants of sending, 20 ms apart, evenly or up to 5 ms late."""
    instants = 1000 + np.arange(n, dtype=np.int64) * INTERVAL
    return instants + rng.integers(0, 5 * MS, n) if irregular else instants


def route(samples: np.ndarray, begun: np.ndarray, *, nodes: tuple[str, ...] = ()) -> Route:
    """A route of as many steps as there are columns, each on its node."""
    marks = [
        path.Milestone(f"request.m{i}", "app.tx.enter", 0, False, path.Source.ID) for i in range(samples.shape[1] + 1)
    ]
    nodes = nodes or ("a",) * samples.shape[1]
    kinds = path.Kind.SOFTWARE
    steps = tuple(
        Step("", f"step {i}", marks[i], marks[i + 1], kinds, tuple(node.split(" > "))) for i, node in enumerate(nodes)
    )
    n = len(samples)
    steps_of_route = Steps(steps, np.arange(n), samples.astype(np.int64), Fraction(RATE_HZ))
    return Route("test", steps_of_route, np.arange(n, dtype=np.int32), begun, 0, 0)
