"""Figures of clocks: residuals, errors, stages and stability where a few known values have them."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
from drawnaxes import bare, limits, lines, names, ticks

from gpiorig.analysis.audit.results import Audit, Comparison, Stage
from gpiorig.analysis.clocks.stability import Stability
from gpiorig.analysis.figures import audit, clock_fits
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.statistics.summary import summarize

MHZ = Fraction(1_000_000)  # a sample is 1 µs
NAN = math.nan


def interval(value, low=NAN, high=NAN):
    return Interval(value, low, high, "made up")


def period(reference_s, residuals):
    reference_ns = np.array(reference_s) * 1_000_000_000
    return SimpleNamespace(
        parts=[SimpleNamespace(reference_ns=reference_ns)],
        reference_ns=reference_ns,
        residuals_ns=lambda: np.array(residuals, dtype=np.float64),
    )


def test_residuals_of_clocks():
    """Over the seconds since the earliest timestamp; a line at each reset; unknown ones are left out."""
    reset = SimpleNamespace(
        node="a", reference="la", n=5, boot_periods=[period([5, 6, 7], [1e3, NAN, -3e3]), period([9, 10], [0.0, 2e3])]
    )
    plain = SimpleNamespace(node="b", reference="la", n=1, boot_periods=[period([3], [40.0])])
    figure = clock_fits.residuals([reset, plain], virtual=False)
    upper, lower = figure.axes
    assert [([2, 4], [1, -3]), ([], []), ([6, 6], [0, 1]), ([6, 7], [0, 2]), ([], [])] == lines(upper)[:5]
    assert ([0], [40]) == lines(lower)[0]
    assert ["a against la: 5 timestamps, 1 resets", "b against la: 1 timestamps"] == [
        ax.get_title() for ax in figure.axes
    ]
    assert ["residual in µs", "residual in ns"] == [ax.get_ylabel() for ax in figure.axes]
    assert 0.5 + 1.9 * 2 == figure.get_figheight()


def test_outliers_are_crosses_at_the_edge_of_the_frame():
    """Where the largest is more than 4.5 times the 99th percentile: 1.5 times that is the frame."""
    sizes = np.append(np.tile([100.0, -100.0], 500), [-900.0, 800.0])
    for largest, beyond in ((-900.0, 2), (-449.0, 0)):
        sizes[-2:] = largest, -largest - 1
        clock = SimpleNamespace(node="a", reference="la", n=1002, boot_periods=[period(range(1002), sizes)])
        (ax,) = clock_fits.residuals([clock], virtual=False).axes
        assert (", 2 beyond the frame (crosses)" in ax.get_title()) == bool(beyond)
        points, crosses = lines(ax)[:2]
        assert (1002 - beyond, beyond) == (len(points[0]), len(crosses[0]))
        assert ([], []) == crosses or ([1000, 1001], [-150, 150]) == crosses


def test_of_many_residuals_the_farthest_of_each_few_is_shown():
    sizes = np.zeros(40_001)
    sizes[[1, 5, 40_000]] = [2.0, -3.0, 1.0]
    clock = SimpleNamespace(node="a", reference="la", n=40_001, boot_periods=[period(range(40_001), sizes)])
    (ax,) = clock_fits.residuals([clock], virtual=False).axes
    drawn = dict(zip(*lines(ax)[0], strict=True))
    assert 13_334 == len(drawn)
    assert {1: 2, 5: -3, 40_000: 1} == {at: value for at, value in drawn.items() if value}


def comparison(quantity, clock, errors, *, n=3, added=0.0):
    summary = summarize(np.array([4, 8]), samplerate_hz=MHZ)
    errors = np.array(errors, dtype=np.float64)
    return Comparison(quantity, clock, n, 0, summary, summary, summary, interval(50.0), interval(added), errors)


def test_errors_of_clocks():
    """In µs, from no share on; logarithmic only beyond 1 µs."""
    ax = bare()
    audit.errors(ax, [comparison("round trip", "node", [1000, -500.0]), comparison("round trip", "host", [0.0])])
    assert [([-0.5, 1], [0.5, 1]), ([0], [1])] == lines(ax)
    assert ("linear", "error, clock minus pins") == (ax.get_xscale(), ax.get_xlabel())
    assert ["500 ns", "0"] == ticks(ax, 0.5, 0)
    audit.errors(ax, [comparison("round trip", "node", [1001.0])])
    assert "symlog" == ax.get_xscale()


def test_sentences_are_of_the_headlines():
    """Of clocks of the log, with values, the headlines in their order, six at most."""
    compared = [
        comparison("interval between receptions", "node", [0], added=-2.0),
        comparison("round trip", "host", [0]),
        comparison("another one", "node", [0]),
        comparison("round trip", "serial_aggregator", [0]),
        comparison("round trip", "node", [], n=0),
        comparison("send call to reception", "node", [0], added=7.0),
    ]
    first, second, third = audit.sentences(Audit((), (), tuple(compared), (), (), ()))
    assert (
        "round trip, by host timestamps: shifted by 50.0 ns (median), peak-to-peak 4.00 µs instead of 4.00 µs (+0)."
        == first
    )
    assert second.startswith("send call") and second.endswith("(+7.00 ns).")
    assert third.startswith("interval") and third.endswith("(\N{MINUS SIGN}2.00 ns).")


def test_boxes_of_stages():
    """In µs, from the top; the axis reaches down to 0 or to the least; stages have their names."""
    delay = summarize(np.arange(-10, 91), samplerate_hz=MHZ)
    empty = summarize(np.zeros(0, dtype=np.int64), samplerate_hz=MHZ)
    ax = bare()
    audit.stage_boxes(
        ax, [Stage("s", "a", delay), Stage("t", "b", replace(delay, min_ns=5000.0)), Stage("u", "c", empty)]
    )
    assert ["s", "t"] == names(ax)
    assert ["20 µs", "0"] == ticks(ax, 20, 0)
    assert -10 == limits(ax)[0]
    assert ([15, -5], [1, 1]) == lines(ax)[0]


def stability(name, taus, tdev):
    tdev = np.array(tdev, dtype=np.float64)
    return Stability(name, np.array(taus, dtype=np.float64), tdev, tdev, tdev)


def test_stability_of_clocks():
    """Positive values only; those without a name are grey and counted once; labels of times, and of powers for ADEV."""
    clocks = [
        stability("a", [1, 2, 4], [3, 0, NAN]),
        stability("b", [1], [-1]),
        stability("c", [1, 2], [5, 0]),
        stability("d", [1], [6]),
    ]
    ax = bare()
    audit.stability(ax, clocks, measure="tdev_ns", named=clocks[:2])
    assert [([1], [5]), ([1], [6]), ([1], [3])] == lines(ax)
    assert ["2 others", "a"] == [text for line in ax.lines if not (text := line.get_label()).startswith("_")]
    assert ["2 s"] == ticks(ax, 2)
    assert "3 µs" == ax.yaxis.get_major_formatter()(3000, 0)
    audit.stability(ax, clocks, measure="adev", named=clocks)
    assert ["0.001", "9·10⁻⁴", "10⁻⁸"] == [ax.yaxis.get_major_formatter()(value, 0) for value in (1e-3, 9e-4, 1e-8)]


def test_of_many_clocks_those_farthest_from_the_median_are_named():
    """Eight have room; of more, by the mean of the logarithms of their ratios: half counts as much as twice."""
    few = [stability(str(n), [1, 2], [n + 1, NAN]) for n in range(8)]
    assert few == audit.outstanding(few, measure="tdev_ns")
    many = [stability(str(n), [1, 2], [8, 0]) for n in range(4)]
    many += [stability(f"far {n}", [1, 2], [8 * 2.0 ** (n - 3.5) * (2 if n > 3 else 0.5), NAN]) for n in range(8)]
    assert [f"far {n}" for n in range(8)] == [clock.clock for clock in audit.outstanding(many, measure="tdev_ns")]


def test_clocks_with_equal_errors_are_one_curve():
    """To a hundredth of their range; a clock keeps its colour in further axes."""
    errors = np.arange(1000.0)
    alike, apart = errors + 9.9, errors + 10.1
    compared = [comparison("q", name, values) for name, values in (("a", errors), ("b", alike), ("c", apart))]
    assert {"a; b": compared[0], "c": compared[2]} == audit.curves(compared)
    one, other = bare(), bare()
    audit.errors(one, compared, names=["a; b", "c"])
    audit.errors(other, compared[2:], names=["a; b", "c"])
    assert ["a; b", "c"] == [line.get_label() for line in one.lines]
    assert one.lines[1].get_color() == other.lines[0].get_color() != one.lines[0].get_color()
