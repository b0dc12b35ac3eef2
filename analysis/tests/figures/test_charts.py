"""Charts of delays: bars, marks, boxes and bands where a few delays of known values have them."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from drawnaxes import bare, bars, limits, lines, names, texts, ticks

from gpiorig.analysis.figures import charts, difference, layers, series, style
from gpiorig.analysis.figures.palette import PAPER, SERIES, SHADE
from gpiorig.analysis.figures.series import Marks
from gpiorig.analysis.packets.path import Kind, Milestone, Source
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.steps import Step, Steps
from gpiorig.analysis.processor.occupancy import LayerTimes, Occupancy
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.statistics.summary import summarize

MHZ = Fraction(1_000_000)  # a sample is 1 µs
NAN = math.nan


def interval(value, low=NAN, high=NAN):
    return Interval(value, low, high, "made up")


@pytest.mark.parametrize(
    ("delays", "counts", "edges", "margin", "per"),
    [
        # One sample a bar, which is half a sample to either side.
        ([100, 100, 101, 105], [2, 1, 0, 0, 0, 1], (0.0995, 0.1055), 0.004, "1.00 µs"),
        ([0, 119], [1, *[0] * 118, 1], (-0.0005, 0.1195), 0.004, "1.00 µs"),
        # Less than 240 bars of a round width, the edges of which are multiples of it; one is empty at each end.
        ([0, 120], [0, 1, *[0] * 239, 1, 0], (-0.0005, 0.121), 0.02 * 0.1215, "500 ns"),
        ([0, 130], [0, 1, *[0] * 129, 1, 0], (-0.001, 0.132), 0.004, "1.00 µs"),
        ([7, 1207], [0, 1, *[0] * 239, 1, 0], (0.0, 1.215), 0.02 * 1.215, "5.00 µs"),
        # No round width is wide enough: a 240th.
        ([0, 4_800_000], [0, 1, *[0] * 239, 1, 0], (-20.0, 4840.0), 0.02 * 4860, "20.0 ms"),
    ],
)
def test_bars_of_few_and_of_many_delays(delays, counts, edges, margin, per):
    ax = bare()
    summary = summarize(np.array(delays), samplerate_hz=MHZ)
    charts.total_distribution(ax, np.array(delays), summary, period_ns=1000.0)
    (stairs,) = ax.patches
    assert counts == stairs.get_data().values.tolist()
    assert edges == pytest.approx((stairs.get_data().edges[0], stairs.get_data().edges[-1]), abs=1e-9)
    assert [edges[0] - margin, edges[1] + margin, 0, 1.26 * max(counts)] == pytest.approx(limits(ax), abs=1e-9)
    assert f"packets per {per}".replace(".0 ", " ") == ax.get_ylabel()


def test_quantiles_are_named_where_there_is_room():
    """Those at one place share a name; at the left the name is right of its mark; a third one is higher."""
    delays = np.arange(10_000, 20_001)  # with a margin of 2 % on either side: 10.4 ms wide
    summary = summarize(delays, samplerate_hz=MHZ)
    p95, p99 = ("p95", 19.5, 1.05, "right"), ("p99", 19.9, 1.13, "right")
    for changed, marks in (
        ({}, [("median", 15.0, 1.05, "right"), p95, p99]),
        ({"median_ns": 11.8e6}, [("median", 11.8, 1.05, "left"), p95, p99]),
        ({"median_ns": 11.9e6}, [("median", 11.9, 1.05, "right"), p95, p99]),
        ({"p95_ns": 19.85e6}, [("median", 15.0, 1.05, "right"), ("p95, p99", 19.85, 1.05, "right")]),
        ({"p95_ns": 19.8e6}, [("median", 15.0, 1.05, "right"), ("p95", 19.8, 1.05, "right"), p99]),
        ({"p99_ns": NAN}, [("median", 15.0, 1.05, "right"), p95]),
    ):
        ax = bare()
        charts.total_distribution(ax, delays, replace(summary, **changed), period_ns=1000.0)
        right = ax.figure.axes[1]
        found = [(*place, text.get_ha()) for place, text in zip(texts(right), right.texts, strict=True)]
        assert marks == [(name, pytest.approx(at), top, side) for name, at, top, side in found]
        assert [([at] * 2, [0, pytest.approx(top + 0.06)]) for _, at, top, _ in marks] == lines(right)[1:]


def step(name, kind, *nodes):
    ends = (Milestone(f"{name}.{end}", "app.tx.enter", 0, False, Source.ID) for end in "ab")
    return Step("a to b", name, *ends, kind, nodes)


STEPS = (step("app to mac", Kind.SOFTWARE, "a"), step("air: first bit", Kind.AIR, "a", "b"))


def test_a_row_of_a_step():
    """Range, bands and median in µs, a step of no sample at half of one; rows without a step stay empty."""
    samples = np.column_stack([np.arange(0, 101), np.full(101, 50)])
    steps = Steps(STEPS, np.arange(101), samples, MHZ)
    summaries = [summarize(column, samplerate_hz=MHZ) for column in samples.T]
    ax = bare()
    charts.step_distributions(ax, steps, summaries, columns=[0, None, 1], names=["x", "y", "z"])
    segments = [np.round(part, 6).tolist() for lined in ax.collections[:3] for part in lined.get_segments()]
    assert [[[0.5, 0], [100, 0]], [[50, 2], [50, 2]], [[5, 0], [95, 0]], [[50, 2], [50, 2]]] == segments[:4]
    assert [[[25, 0], [75, 0]], [[50, 2], [50, 2]]] == segments[4:]
    assert [([0.5, 50], [0, 2]), ([100, 50], [0, 2]), ([50, 50], [0, 2])] == lines(ax)
    assert [("50.0 µs (100 µs)", 1.015, 0), ("50.0 µs (0)", 1.015, 2), ("median (range)", 1.015, -0.75)] == texts(ax)
    assert [2.6, -0.6] == limits(ax)[2:]
    assert ["x", "y", "z"] == names(ax)
    assert ["20 µs"] == ticks(ax, 20)
    charts.step_distributions(ax, steps, summaries, columns=[0, None, 1], names=[])
    assert ["", "", ""] == names(ax)


def test_curves_are_in_ms_and_begin_at_no_share():
    ax = bare()
    charts.ecdfs(ax, {"one": np.array([4, 2]), "two": np.array([6])}, unit_ns=500_000.0)
    assert [([1, 1, 2], [0, 0.5, 1]), ([3, 3], [0, 1])] == lines(ax)


def test_a_box_lies_at_its_height():
    ax = bare()
    charts.box(ax, np.arange(101), y=3.0, colour="red")
    assert [([0, 100], [3, 3]), ([5, 95], [3, 3]), ([25, 75], [3, 3]), ([50], [3])] == lines(ax)
    charts.box(ax, np.zeros(0), y=3.0, colour="red")
    assert 4 == len(ax.lines)


def test_two_runs_side_by_side():
    """Values at 1 ns or more, an interval where both ends are known; differences from zero, with their sign."""
    row = difference.Row(
        "round trip",
        "#0072B2",
        {"median": interval(100.0, 90.0, 120.0), "p95": interval(0.0)},
        {"median": interval(300.0), "p95": interval(400.0, 0.0, 500.0)},
        {"median": interval(200.0, 150.0, 250.0), "p95": interval(-50.0)},
    )
    other = replace(row, change={"median": interval(NAN), "p95": interval(0.0, -1.0, 1.0)})
    values, differences = difference.draw([row, other], names=("base", "new"), virtual=False).axes
    up, down = [-0.19] * 2, [0.19] * 2
    assert [([100, 300], up), ([90, 120], up), ([100], up[:1]), ([300], up[:1])] == lines(values)[:4]
    assert [([1, 400], down), ([1], down[:1]), ([1, 500], down), ([400], down[:1])] == lines(values)[4:8]
    assert [PAPER, row.colour] == [line.get_markerfacecolor() for line in values.lines[2:4]]
    assert [[0, -0.34, 200, 0.3], [0, 0.04, -50, 0.3], [0, 1.04, 0, 0.3]] == bars(differences)
    assert [1.0, 0.5] == [box.get_facecolor()[3] for box in differences.patches[:2]]
    assert [([150, 250], up), ([-1, 1], [1.19] * 2)] == lines(differences)[:2]
    assert [("+200 ns", 1.015, -0.19), ("\N{MINUS SIGN}50.0 ns", 1.015, 0.19), ("0", 1.015, 1.19)] == texts(differences)
    assert [1.6, -0.6] == limits(values)[2:] == limits(differences)[2:]
    assert ["round trip"] * 2 == names(values) and ["", ""] == names(differences)
    with style.narrow():
        above, below = difference.draw([row, other], names=("base", "new"), virtual=False).axes
        assert ["round trip"] * 2 == names(above) == names(below)
        assert 0.55 + 2 * (0.75 + 0.42 * 2) == pytest.approx(above.figure.get_figheight())
    for change, low in ((10.0, -0.04), (-10.0, None)):
        alone = replace(row, change={"median": interval(change), "p95": interval(NAN)})
        left, right = limits(difference.draw([alone], names=("base", "new"), virtual=False).axes[1])[:2]
        assert pytest.approx(0.04) == (-left / right if low else -right / left)


def test_times_of_layers():
    """Medians in ns, no less than half a sample: self-time filled, residence hollow."""
    times = LayerTimes(
        (("a", "app", "tx"), ("b", "mac", "rx")), np.array([[2, 0], [4, 0], [9, 0]]), np.array([[5, 0], [6, 0], [7, 8]])
    )
    ax = bare()
    layers.layers(ax, times, period_ns=10.0)
    assert [([40, 60], [0, 0]), ([40], [0]), ([60], [0])] == lines(ax)[:3]
    assert [([5, 5], [1, 1]), ([5], [1]), ([5], [1])] == lines(ax)[3:]
    assert [5, 1.6, -0.6] == [limits(ax)[place] for place in (0, 2, 3)]
    assert ["a: app tx", "b: mac rx"] == names(ax)


def test_pre_emption_of_steps():
    """A bar per occupant that ran, the longest first; those without a colour of their own have one; sleep has none."""
    occupants = (*(f"a: isr {n}" for n in range(len(SERIES) + 2)), "a: sleep", "a: idle")
    ran = np.array([*range(1, len(SERIES) + 3), 99, 0], dtype=np.float64)
    occupancy = Occupancy(occupants, np.stack([ran, 0 * ran]), np.array([[50, 0], [51, 0]]), np.array([True, True]))
    route = Route(
        "a > b", Steps(STEPS, np.arange(2), np.array([[100, 7], [300, 7]]), MHZ), np.arange(2), np.arange(2), 0, 0
    )
    assert [0] == layers.shown_steps(occupancy)
    assert [] == layers.shown_steps(replace(occupancy, known=np.array([False, True])))
    assert [*range(len(SERIES) + 1, -1, -1)] == layers.occupants(occupancy, [0, 1])
    ax = bare()
    layers.pre_emption(ax, route, occupancy, period_ns=1000.0)
    widths = [(n + 1) / 200 for n in range(len(SERIES) + 1, 1, -1)] + [3 / 200]
    feet = np.concatenate([[0], np.cumsum(widths)[:-1]])
    assert np.allclose([[left, -0.33, width, 0.66] for left, width in zip(feet, widths, strict=True)], bars(ax))
    assert ["2 others"] == [bar.get_label() for bar in ax.containers][-1:]
    (last,) = ax.containers[-1]
    assert (
        0.5 == last.get_linewidth()
        and SHADE.lower() == f"#{''.join(f'{round(255 * part):02x}' for part in last.get_facecolor()[:3])}"
    )
    assert 0 == ax.containers[0][0].get_linewidth()
    assert [("200 µs", 1.01, 0)] == texts(ax)
    assert [0, 1, 0.6, -0.6] == limits(ax)
    assert ["25 %"] == ticks(ax, 0.25)


def test_delays_over_the_run():
    """In s from the start of the recording and in ms; gaps, losses and changes where they were."""
    ax = bare()
    marks = Marks(np.array([[3_000_000, 3_500_000]]), np.array([4_000_000]), [5_000_000])
    series.draw(
        ax, np.array([1_000_000, 2_000_000]), np.array([2000, 3000]), period_ns=1000.0, origin=500_000, marks=marks
    )
    points, losses, changes = lines(ax)
    assert ([0.5, 0.5 + 1e-4, 1.5, 1.5 + 1e-4], [2, 2, 3, 3]) == tuple(
        [value for value in part if value == value] for part in points
    )
    assert [2.5, 3.0] == pytest.approx([ax.patches[0].get_x(), ax.patches[0].get_x() + ax.patches[0].get_width()])
    assert ([3.5], [0.02]) == losses and [4.5] * 2 == changes[0]


def test_many_delays_are_bands():
    """More than 3 000: least, median and largest of each 600th of the time."""
    starts, delays = np.arange(3001) * 1000, np.tile([1000, 3000, 2000], 1001)[:3001]
    for count, drawn in ((3000, 9000), (3001, 600)):
        ax = bare()
        series.draw(ax, starts[:count], delays[:count], period_ns=1000.0, origin=-1000, marks=Marks())
        assert drawn == len(ax.lines[0].get_xdata())
    (band,) = ax.collections
    corners = band.get_paths()[0].vertices
    assert (1.0, 3.0) == (corners[:, 1].min(), corners[:, 1].max())
    assert set(lines(ax)[0][1]) <= {1.0, 2.0, 3.0}
    assert 0.001 + 3.0 / 1200 == pytest.approx(lines(ax)[0][0][0])


def test_delays_on_a_lattice():
    """Counted in periods above the median of the lowest level; a few that are off the levels are counted."""
    delays = np.array([1000] * 4 + [1002] * 6 + [1104] * 20 + [1200] * 29 + [1150])
    upper, lower = bare(), bare()
    series.fold_lattice(upper, lower, delays, period_ns=10.0, lattice_ns=1000.0)
    levels = [(box.get_x() + box.get_width() / 2, box.get_height()) for box in upper.patches]
    assert [(0, 10), (1, 21), (2, 29)] == levels
    data = lower.patches[0].get_data()
    assert (-40, 40) == pytest.approx((data.edges[0], data.edges[-1]))
    assert 59 == data.values.sum()
    assert "1 packet farther away" == lower.get_title()
    series.fold_lattice(upper, lower := bare(), delays[:4], period_ns=10.0, lattice_ns=1000.0)
    data = lower.patches[0].get_data()
    assert (-20, 20) == pytest.approx((data.edges[0], data.edges[-1]))
    assert "" == lower.get_title()


def test_delays_over_the_phase():
    """Of the beat from the start of the first one on, in µs."""
    starts = np.array([200, 300, 450, 2700])
    ax = bare()
    series.fold_beat(ax, starts, np.array([8, 10, 12, 14]), period_ns=500.0, beat_ns=100_000.0)
    points, middle = lines(ax)
    assert ([0, 0.25, 0.5, 0.5], [4, 6, 5, 7]) == (points[0][::3], points[1][::3])
    assert ([0.25], [5.5]) == middle
    for count, bands, drawn in ((500, 60, 2), (24, 3, 2), (3000, 60, 2), (3001, 60, 1)):
        sent = np.arange(count) * (1000 / count)
        series.fold_beat(ax := bare(), sent, sent, period_ns=1000.0, beat_ns=1_000_000.0)
        assert (bands, drawn) == (len(lines(ax)[-1][0]), len(ax.lines))


def test_a_single_delay_is_a_dot():
    """Of a stroke of a microsecond."""
    series.draw(ax := bare(), np.array([0]), np.array([2]), period_ns=1e9, origin=0, marks=Marks())
    assert [0, 1e-6] == lines(ax)[0][0][:2]
