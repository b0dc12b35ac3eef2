"""Figures of studies and of delays with random values are as before, artist for artist."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from held import drawn, hold
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gpiorig.analysis.figures import charts, clock_fits, narrow, series, studies, style
from gpiorig.analysis.figures.panels import Chart, Curve, Distribution, Mark, Panel, Reference
from gpiorig.analysis.statistics.summary import summarize


def test_charts_of_studies_are_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every kind, wide and for a narrow screen, with random values."""
    monkeypatch.chdir(tmp_path)
    found, rng = {}, np.random.default_rng(20261128)
    for number, kind in enumerate(["line", "bars", "stack", "ecdf", "box", "dots"] * 4):
        chart = _chart(kind, rng)
        found |= drawn(f"chart {number}", studies.draw(chart))
        if number % 3 == 0:
            with style.narrow(), style.paper():
                narrow.fit(figure := studies.draw(chart))
            found |= drawn(f"narrow {number}", figure)
    hold("charts", found)


def test_figures_of_delays_are_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over time and phase, on a lattice, as a histogram; few and many delays; residuals of clocks with resets."""
    monkeypatch.chdir(tmp_path)
    found, rng = {}, np.random.default_rng(20261129)
    for count in (series.POINTS, series.POINTS + 1):
        starts = np.sort(rng.integers(10**6, 10**9, count))
        delays = 40_000 + 7_680 * rng.integers(0, 4, count) + rng.integers(0, 30, count)
        marks = series.Marks(starts[[3, 5, 9, 12]].reshape(2, 2), starts[::50] + 7, [int(starts[70])])
        figure, axes = _axes(4)
        series.draw(axes[0], starts, delays, period_ns=41.5, origin=5000, marks=marks)
        series.fold_lattice(axes[1], axes[2], delays, period_ns=41.5, lattice_ns=318_720.0)
        series.fold_beat(axes[3], starts, delays, period_ns=41.5, beat_ns=1e6)
        found |= drawn(f"series {count}", figure)
    # At the widest range with a bar for each sample, one above it, and so wide that no round width suffices.
    for spread in (0, charts.MAX_BARS // 2 - 1, charts.MAX_BARS // 2, 240_000, 10**8):
        delays = np.array([1000, 1000, 1000 + spread // 3, 1000 + spread])
        figure, axes = _axes(1)
        summary = summarize(delays, samplerate_hz=Fraction(10**7), lost=2)
        charts.total_distribution(axes[0], delays, summary, period_ns=100.0)
        found |= drawn(f"total {spread}", figure)
    for count in (1, clock_fits.SHOWN + 1):
        parts = [rng.normal(0, 300.0, count) for _ in range(2)]
        parts[0][:: count // 3 + 1] *= 50  # outliers
        parts[1][count // 2 + 1 :: 100] = math.nan
        periods = [
            _boot_period(10**9 * (5 * number + 1) + 1000 * np.arange(count), part) for number, part in enumerate(parts)
        ]
        clocks: list[Any] = [
            SimpleNamespace(node="a", reference="b", n=count, boot_periods=periods[:number]) for number in (1, 2)
        ]
        found |= drawn(f"residuals {count}", clock_fits.residuals(clocks, virtual=True))
    hold("delays", found)


def _boot_period(reference_ns: Any, residuals_ns: Any) -> SimpleNamespace:
    part = SimpleNamespace(reference_ns=reference_ns)
    return SimpleNamespace(reference_ns=reference_ns, parts=(part,), residuals_ns=residuals_ns.copy)


def _axes(count: int) -> tuple[Figure, list[Axes]]:
    figure = style.new_figure(virtual=False)
    return figure, style.panels(figure, count)


def _chart(kind: str, rng: np.random.Generator) -> Chart:
    """Random values, some with intervals, repeats, published values; some of the places have failed."""
    places: tuple[Any, ...] = [
        (1, 2, 4, 8.5),
        ("short", "a name of more than a few letters", "b"),
        (False, True),
        (7,),
    ][int(rng.integers(4))]
    unit, size = [("s", 1e-3), ("bit/s", 1e5), ("share", 0.5), ("1", 3.0)][int(rng.integers(4))]
    least = float(rng.choice([-0.4, 0.02, 0.5, 0.9])) if kind != "stack" else 0.02

    def value() -> float:
        return float(size * rng.uniform(least, 1))

    def reference(place: Any) -> Reference:
        low = value()
        return [Reference(place, low), Reference(place, low=low, high=low + 0.1 * size), Reference(place, math.nan)][
            int(rng.integers(3))
        ]

    def mark(place: Any) -> Mark:
        repeats = tuple(value() for _ in range(int(rng.choice([0, 1, 2, 10, 11]))))
        middle = value()
        return Mark(
            place, middle, middle - 0.05 * size, middle + 0.03 * size if rng.random() < 0.7 else math.nan, repeats
        )

    def curve(label: str) -> Curve:
        values, failing = [place for place in places if rng.random() < 0.8], rng.random() < 0.4
        runs = tuple(size * rng.uniform(least, 1, int(length)) for length in rng.choice([0, 5, 40, 700], 2))
        return Curve(
            label,
            tuple(map(mark, values)) if kind not in ("ecdf", "box") else (),
            tuple(Distribution(place, runs) for place in values) if kind in ("ecdf", "box", "dots") else (),
            tuple(map(reference, (*places, "elsewhere")))
            if rng.random() < 0.5 and not isinstance(places[0], int)
            else (),
            tuple(places[:2]) if failing else (),
        )

    labels = [f"curve {'x' * int(rng.integers(20))} {number}" for number in range(int(rng.choice([1, 2, 9])))]
    panels = tuple(
        Panel(
            f"panel {number}" if number else "",
            f"label {number // 2}",
            unit,
            tuple(map(curve, labels)),
            tuple((f"level {level}", value()) for level in range(int(rng.integers(3)))),
            tuple(map(reference, places[:1])) if rng.random() < 0.3 else (),
        )
        for number in range(int(rng.integers(1, 4)))
    )
    log = str(rng.choice(["", "", "x", "y", "xy"])) if least > 0 else ""
    return Chart(
        kind,
        "title " * int(rng.choice([2, 30])),
        "x" if rng.random() < 0.5 else "node",
        places,
        panels,
        2,
        log,
        bool(rng.random() < 0.5),
    )
