"""Panels of studies: what each kind of them has where, for a few values that are known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from drawnaxes import bare, bars, limits, lines, texts
from matplotlib.colors import to_hex

from gpiorig.analysis.figures import study_distributions, study_panels
from gpiorig.analysis.figures.palette import INK, SERIES, WARNING
from gpiorig.analysis.figures.panels import Chart, Curve, Distribution, Mark, Panel, Reference, scale_of

NAN = math.nan


def chart(kind, *curves, places=(1, 2, 4), unit="s", log="", published=(), levels=(), **options):
    """A chart of one panel."""
    panel = Panel("", "delay", unit, curves, levels=levels, published=published)
    return Chart(kind, "title", "x", places, (panel,), 1, log, False, **options)


def drawn(draw, made):
    ax = bare()
    draw(ax, made, made.panels[0])
    return ax


def runs(*values):
    return tuple(np.array(run, dtype=np.float64) for run in values)


@pytest.mark.parametrize(
    ("unit", "largest", "expected"),
    [
        ("share", 0.5, (100, "%")),
        ("s", 1.0, (1, "s")),
        ("s", 0.999, (1e3, "ms")),
        ("s", 1e-3, (1e3, "ms")),
        ("s", 2e-9, (1e9, "ns")),
        ("s", 1e-12, (1e9, "ns")),
        ("s", 0.0, (1e3, "ms")),
        ("bit/s", 1000.0, (1e-3, "kbit/s")),
        ("bit/s", 999.0, (1, "bit/s")),
        ("W", 2e-3, (1e3, "mW")),
        ("J", 2e-6, (1e6, "µJ")),
        ("1", 5.0, (1, "")),
        ("packets", 5.0, (1, "packets")),
    ],
)
def test_the_unit_that_is_read_best(unit, largest, expected):
    factor, name = scale_of(unit, largest)
    assert expected == (pytest.approx(factor), name)


def test_values_of_a_panel():
    """With and without the ends of intervals; published values of curves and of none; positions of places."""
    curve = Curve(
        "a", (Mark(1, 2.0, 1.0, 3.0, (1.5,)),), (Distribution(1, runs([4, 5], [])),), (Reference(1, low=6.0, high=7.0),)
    )
    made = chart("line", curve, levels=(("l", 8.0),), published=(Reference(2, 9.0),))
    (panel,) = made.panels
    finite = [value for value in panel.values() if math.isfinite(value)]
    assert [2, 1, 3, 1.5, 5, 6, 7, 9, 8] == finite
    assert [2, 4, 6, 9, 8] == list(panel.middles())
    assert [6, 9] == [
        reference.low if math.isnan(reference.value) else reference.value for reference in panel.references
    ]
    assert (1, "s") == made.scale("delay")
    assert [1, 4] == [made.position(place) for place in (1, 4)]
    assert [0, 2] == [replace(made, kind="bars").position(place) for place in (1, 4)]
    assert math.isnan(replace(made, kind="bars").position(3))
    for places, numeric in (((1, 2.5), True), ((1,), False), ((True, False), False), (("a", "b"), False)):
        assert numeric == replace(made, places=places).numeric
    assert not replace(made, kind="bars").numeric


def test_colours_and_markers():
    """Curves of one colour have different markers and lines; tones go from light to the colour itself."""
    count = len(SERIES)
    assert [SERIES[0], SERIES[1], SERIES[0]] == [study_panels.colour_of(number) for number in (0, 1, count)]
    assert ["o", "o", "s"] == [study_panels.marker_of(number) for number in (None, 0, 1)]
    assert study_panels.MARKERS[(count + 1) % 7] == study_panels.marker_of(count)
    assert ["-", "-", "--", "-"] == [study_distributions.line_of(n) for n in (0, count - 1, count, 4 * count)]
    toned = chart("bars", tones=4)
    for number, share in ((0, 0.4), (1, 0.6), (3, 1.0), (4, 0.4)):
        colour = [int(SERIES[number // 4][at : at + 2], 16) / 255 for at in (1, 3, 5)]
        assert to_hex([1 - share * (1 - part) for part in colour]) == study_panels.area_colour(toned, number)
    assert SERIES[1] == study_panels.area_colour(chart("bars"), 1)


def test_a_line_does_not_pass_over_a_failed_place():
    """In ms, by place; intervals and up to ten repeats; a published value is hollow, a range is a bar."""
    marks = (Mark(4, 0.004), Mark(1, 0.001, 0.0005, 0.0020, (0.0008, 0.0012)))
    curve = Curve(
        "a",
        marks,
        published=(Reference(2, 0.003), Reference(4, low=0.001, high=0.002), Reference(1, low=0.001)),
        failed=(2,),
    )
    ax = drawn(study_panels.line, chart("line", Curve("b"), curve))
    (empty, joined), rest = lines(ax)[:2], lines(ax)[2:]
    assert ([], []) == empty
    assert [1, 2, 4] == joined[0] and [1, 4] == joined[1][::2] and math.isnan(joined[1][1])
    assert ([1], [0.5]) in rest and ([1], [2]) in rest  # the caps
    assert ([1, 1], [0.8, 1.2]) in rest
    assert [([2], [3]), ([2], [0])] == rest[-2:]
    spans = [np.round(part, 9).tolist() for lined in ax.collections for part in lined.get_segments()]
    assert [[[1, 0.5], [1, 2]], [[4, 1], [4, 2]]] == spans
    assert SERIES[1] == ax.lines[-1].get_color() == ax.lines[-2].get_markeredgecolor()
    step = ax.lines[-1].get_transform().transform((2, 0)) - ax.get_xaxis_transform().transform((2, 0))
    assert [0, 7] == pytest.approx(step * 72 / ax.figure.dpi)


def test_repeats_are_dots():
    """From two to ten of them."""
    for count, dotted in ((1, 0), (2, 2), (10, 10), (11, 0)):
        ax = drawn(study_panels.line, chart("line", Curve("a", (Mark(1, 1.0, repeats=(1.0,) * count),))))
        assert dotted == sum(len(x) for x, _ in lines(ax)[1:])


def test_bars_in_groups():
    """Two curves share 0.8 of a place; of a curve the interval, the published value and the cross are at its bar."""
    curves = [
        Curve(label, (Mark(2, value, 1.0, 4.0),), published=(Reference(1, 5.0),), failed=(4,))
        for label, value in (("a", 2.0), ("b", 3.0))
    ]
    ax = drawn(study_panels.bars, chart("bars", *curves))
    assert [[0.8 - 0.188, 0, 0.376, 2], [1.2 - 0.188, 0, 0.376, 3]] == [pytest.approx(bar) for bar in bars(ax)]
    places = [(x, y) for x, y in lines(ax)]
    assert ([-0.2], [5]) in places and ([0.2], [5]) in places and ([1.8], [0]) in places and ([2.2], [0]) in places
    crosses = [line for line in ax.lines if line.get_marker() == "x"]
    assert [WARNING] * 2 == [line.get_color() for line in crosses]
    for line in crosses:
        assert np.allclose(line.get_transform().transform((1, 0)), ax.get_xaxis_transform().transform((1, 0)))
    assert {INK} == {line.get_markeredgecolor() for line in ax.lines if line.get_ydata().tolist() == [5.0]}


def test_parts_on_top_of_each_other():
    """With the sum above, and the value in each part that has room; published parts at the right, hollow."""
    parts = [Curve(label, (Mark(1, value),)) for label, value in (("a", 2.0), ("b", 0.12), ("c", 0.13))]
    ax = drawn(study_panels.stack, chart("stack", *parts))
    assert [[-0.3, 0, 0.6, 2], [-0.3, 2, 0.6, 0.12], [-0.3, 2.12, 0.6, 0.13]] == [
        pytest.approx(bar) for bar in bars(ax)
    ]
    assert [("2", 0, 1), ("2.25", 0, 2.25)] == texts(ax)
    parts[2] = replace(
        parts[2], marks=(Mark(1, 0.14),), published=(Reference(1, 3.0), Reference(1, 1.0), Reference(9, 7.0))
    )
    ax = drawn(study_panels.stack, chart("stack", *parts))
    assert [[0.2 - 0.165, 0, 0.33, 3], [0.2 - 0.165, 3, 0.33, 1]] == [pytest.approx(bar) for bar in bars(ax)[3:]]
    assert [-0.38, 0, 0.36, 2] == pytest.approx(bars(ax)[0])
    assert [("2", -0.2, 1), ("2.26", -0.2, 2.26)] == texts(ax)


def published_marks(ax):
    return [(x, y) for line, (x, y) in zip(ax.lines, lines(ax), strict=True) if line.get_markersize() == 8]


def test_distribution_functions():
    """A curve for each repeat, in ms, from no share on; published values at half the height, ranges as bands."""
    references = (Reference(1, 0.002), Reference(1, low=0.001, high=0.003), Reference(1, low=0.001))
    curve = Curve("a", (), (Distribution(1, runs([0.002, 0.001], [], [0.004])),), references)
    ax = drawn(study_distributions.ecdf, chart("ecdf", curve, published=(Reference(1, 0.005),)))
    assert [([1, 1, 2], [0, 0.5, 1]), ([4, 4], [0, 1])] == lines(ax)[:2]
    assert [0.8] * 2 == [line.get_linewidth() for line in ax.lines[:2]]
    assert [([2], [0.5]), ([5], [0.5])] == published_marks(ax)
    assert [[1, 2]] == [[box.get_x(), box.get_width()] for box in ax.patches]
    single = drawn(study_distributions.ecdf, chart("ecdf", Curve("a", (), (Distribution(1, runs([1.0])),))))
    assert (1.3, 1.0) == (single.lines[0].get_linewidth(), single.lines[0].get_alpha())


def test_shares_in_equal_bins():
    """The mean over the repeats, in percent; the bins hold the values of all panels of a label."""
    curve = Curve(
        "a",
        (),
        (Distribution(1, runs([0.0, 0.8, 0.8, 0.8], [], [0.0, 0.1])),),
        (Reference(1, 0.3), Reference(1, low=0.1, high=0.2)),
    )
    ax = drawn(study_distributions.histogram, chart("histogram", curve, unit="packets"))
    filled, outline = (patch.get_data() for patch in ax.patches[:2])
    assert np.allclose(np.linspace(0, 0.8, 9), filled.edges) and np.allclose(filled.edges, outline.edges)
    assert np.allclose([37.5, 25, 0, 0, 0, 0, 0, 37.5], filled.values) and np.allclose(filled.values, outline.values)
    assert [([0.3], [0.5])] == published_marks(ax)
    assert [0.1, 0.1] == pytest.approx([ax.patches[2].get_x(), ax.patches[2].get_width()])
    assert 0 == limits(ax)[2]


def test_edges_of_bins():
    """Of equal values 1 % to either side; of a logarithmic axis equal in their logarithms; 60 at most."""

    def edges(*values, log="", **more):
        return study_distributions.bins(
            chart("histogram", Curve("a", (), (Distribution(1, runs(*values)),)), log=log, **more), "delay"
        )

    assert np.allclose(np.linspace(-1, 1, 8), edges())
    assert np.allclose(np.linspace(4.95, 5.05, 8), edges([5.0, 5.0]))
    assert np.allclose(np.linspace(-1, 1, 8), edges([0.0]))
    assert np.allclose(10 ** np.linspace(0, 2, 9), edges([1.0, 100.0], log="x"))
    assert np.allclose(np.linspace(0, 100, 9), edges([0.0, 100.0], log="x"))
    assert 61 == len(edges(np.concatenate([np.linspace(0, 1, 10_000), [1000.0]])))


def test_boxes_of_tukey():
    """Of two repeats the mean of each mark, in ms; the outliers of both; the published value is next to the box."""
    first = [1.0, 2.0, 3.0, 4.0, 5.0, 11.1]  # quartiles 2.25 and 4.75: whiskers up to 8.5
    distribution = Distribution(2, runs(np.array(first) / 1e3, [], np.array(first) / 1e3 + 0.002))
    stats = study_distributions.tukey(distribution, 1e3)
    assert {"q1": 3.25, "med": 4.5, "q3": 5.75, "whislo": 2, "whishi": 6} == pytest.approx(
        {key: stats[key] for key in ("q1", "med", "q3", "whislo", "whishi")}
    )
    assert [11.1, 13.1] == pytest.approx(stats["fliers"].tolist())
    assert {} == study_distributions.tukey(Distribution(2, runs([])), 1e3)
    many = study_distributions.tukey(Distribution(1, runs([*np.zeros(2000), *range(1, 302)])), 1.0)["fliers"]
    assert (200, 1, 301) == (len(many), many[0], many[-1])
    curves = [Curve("a"), Curve("b", (), (distribution,), (Reference(1, 0.004),), (4,))]
    ax = drawn(study_distributions.box, chart("box", *curves))
    assert ([1.05, 1.35], [4.5, 4.5]) == next((x, y) for x, y in lines(ax) if y == [4.5, 4.5])
    assert [([0.2 + 0.18], [4])] == published_marks(ax)
    assert ([2.2], [0]) == lines(ax)[-1]
    wide = drawn(study_distributions.box, chart("box", curves[1]))
    assert [0.8, 1.2] == next(x for x, y in lines(wide) if y == [4.5, 4.5])


def test_dots_of_nodes():
    """The values over 0.8 of their place from left to right, about 300 of many; a mark with its interval."""
    curve = Curve(
        "b", (Mark(2, 3.0, 2.0, 5.0),), (Distribution(4, runs([1.0, 2.0], [3.0])),), (Reference(1, 5.0),), (1,)
    )
    ax = drawn(study_distributions.dots, chart("dots", Curve("a"), curve))
    assert [([2.2 - 0.16, 2.2, 2.2 + 0.16], [1, 2, 3]), ([1.2], [3])] == [
        (pytest.approx(x), y) for x, y in lines(ax)[1:3]
    ]
    assert [([0.2], [5]), ([0.2], [0])] == lines(ax)[-2:]
    for count, expected in ((599, 599), (600, 300), (900, 300)):
        ax = drawn(study_distributions.dots, chart("dots", Curve("a", (), (Distribution(1, runs(np.arange(count))),))))
        assert expected == len(lines(ax)[0][0])


def test_values_over_time():
    """Those of the earliest repeat with any; 2 000 of many with the least and the largest; larger marks for few."""
    curve = Curve(
        "a",
        (),
        (Distribution(1, runs([], [0.002, 0.001], [7.0]), runs([], [5, 6], [7])),),
        (Reference(1, 0.003), Reference(1, low=0.001, high=0.002)),
    )
    made = chart(
        "scatter", curve, Curve("b", (), (Distribution(1, runs([]), runs([])),)), published=(Reference(1, 0.004),)
    )
    made = replace(made, panels=(replace(made.panels[0], unit="packets"),))
    ax = drawn(study_distributions.scatter, made)
    assert [([5, 6], [0.002, 0.001]), ([1], [0.003]), ([1], [0.004])] == lines(ax)
    assert [0.001, 0.001] == pytest.approx([ax.patches[0].get_y(), ax.patches[0].get_height()])
    for count, size in ((200, 4.5), (201, 2.8), (2000, 2.8), (2001, 2.8)):
        values = np.zeros(count)
        values[[3, count // 2]] = -1, 1
        ax = drawn(
            study_distributions.scatter,
            chart("scatter", Curve("a", (), (Distribution(1, (values,), (np.arange(count),)),)), unit="1"),
        )
        x, y = lines(ax)[0]
        assert size == ax.lines[0].get_markersize()
        assert min(count, 2000) <= len(x) <= min(count, 2002)
        assert {3: -1, count // 2: 1} == {at: value for at, value in zip(x, y, strict=True) if value}


DRAWN_BY = {
    "line": study_panels.line,
    "bars": study_panels.bars,
    "stack": study_panels.stack,
    "ecdf": study_distributions.ecdf,
    "histogram": study_distributions.histogram,
    "box": study_distributions.box,
    "dots": study_distributions.dots,
    "scatter": study_distributions.scatter,
}


@pytest.mark.parametrize("kind", DRAWN_BY)
def test_values_are_drawn_in_the_unit_of_the_axis(kind):
    """Milliseconds are drawn as the same numbers without a unit are."""
    figures = []
    for scale, unit in ((1.0, "1"), (1e-3, "s")):
        distribution = Distribution(2, runs(np.array([1.0, 2.0, 4.0, 4.5]) * scale), runs([0, 1, 2, 3]))
        marks = (Mark(1, 3.0 * scale, 2.0 * scale, 5.0 * scale, (2.5 * scale, 3.5 * scale)),)
        references = (Reference(1, 5.0 * scale), Reference(2, low=2.0 * scale, high=3.0 * scale), Reference(2, low=1.0))
        given = {"stack": references[:1], "ecdf": references[:2], "histogram": references[:2]}.get(kind, references)
        curve = Curve("a", marks, (distribution,), given[:2])
        ax = drawn(DRAWN_BY[kind], chart(kind, curve, unit=unit, published=given[:2]))
        steps = [patch.get_data() for patch in ax.patches if hasattr(patch, "get_data")]
        spans = [patch.get_extents().bounds for patch in ax.patches]
        segments = [np.concatenate(lined.get_segments()) for lined in ax.collections if hasattr(lined, "get_segments")]
        figures.append([lines(ax), [step.edges for step in steps], spans, segments, limits(ax)])
    for expected, found in zip(*figures, strict=True):
        assert len(expected) == len(found)
        for one, other in zip(expected, found, strict=True):
            assert np.allclose(np.asarray(one, dtype=float), np.asarray(other, dtype=float))


def test_bins_are_those_of_numpy():
    """Where their number is neither small nor large."""
    values = np.random.default_rng(1).normal(0, 1, 500)
    expected = np.histogram_bin_edges(values, "auto")
    assert 9 < len(expected) < 61
    made = chart("histogram", Curve("a", (), (Distribution(1, (values,)),)), unit="1")
    assert np.allclose(expected, study_distributions.bins(made, "delay"))


def test_a_range_with_one_end_is_not_drawn():
    curve = Curve("a", (), (), (Reference(1, low=1.0), Reference(1, high=2.0)))
    for kind in ("scatter", "ecdf", "line"):
        ax = drawn(DRAWN_BY[kind], chart(kind, curve, unit="1"))
        assert not ax.patches and not ax.collections
