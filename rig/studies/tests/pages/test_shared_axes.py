"""Several quantities on one axis, distributions, limits and labels: the data of what is drawn."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import studycases
from matplotlib.colors import to_rgb
from matplotlib.ticker import LogLocator

from gpiorig.analysis.figures import studies
from gpiorig.analysis.figures.palette import SERIES
from gpiorig.studies.pages import charts, values
from gpiorig.studies.pages.description import Published, Show

SKEWED_NS = np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 14, 15, 100]) * 1e6


def quantities(rows):
    """A study of two kernels with these rows of tables, in each of some repeats."""
    points = [
        studycases.point({"kernel": kernel}, studycases.table(*rows(kernel, repeat)), repeat=repeat)
        for kernel in ("on", "off")
        for repeat in range(2)
    ]
    return studycases.study((), points)


def layers(kernel, repeat):
    """Three durations of one unit, and a share."""
    factor = (2.0 if kernel == "on" else 1.0) * (1 + repeat)
    return (
        studycases.rows("rtt", factor * SKEWED_NS),
        studycases.rows("delay", 10 * factor * SKEWED_NS),
        studycases.rows("loss", [0, 0, 0, 1], unit="share"),
    )


STUDY = quantities(layers)


def axes_of(show, results=STUDY):
    figure = studies.draw(charts.chart(results, show, values.groups(results, show)))
    figure.draw_without_rendering()
    return figure.axes


def test_bars_of_several_quantities_stand_side_by_side_on_one_axis():
    """A group for each quantity, a bar for each value of the axis, heights in one unit; a share has its own scale."""
    show = Show("bars", ("rtt.min", "delay.min", "loss"), x="quantity", series="kernel", labels={"rtt.min": "trip"})
    times, share = axes_of(show)
    bars = sorted((bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in times.patches)
    assert [(-0.2, 3.0), (0.2, 1.5), (0.8, 30.0), (1.2, 15.0)] == [pytest.approx(bar) for bar in bars]
    assert ["trip", "delay.min", "loss"] == [text.get_text() for text in times.get_xticklabels()]
    assert ("time (ms)", "loss (%)") == (times.get_ylabel(), share.get_ylabel())


def test_whiskers_end_at_the_last_value_within_and_outliers_are_beyond():
    """Of one repeat the numbers are those of a box by hand: quartiles 3.75 and 10.25 ms, fences at -6 and 20 ms."""
    single = dataclasses.replace(STUDY, points=[one for one in STUDY.points if one.repeat == 0])
    (ax,) = axes_of(Show("box", ("rtt",), x="kernel", where={"kernel": "off"}), single)
    lines = [np.round(np.asarray(line.get_ydata(), dtype=float), 9).tolist() for line in ax.lines]
    assert [3.75, 1.0] in lines and [10.25, 15.0] in lines and [6.5, 6.5] in lines
    assert [100.0] in lines
    (box,) = ax.patches
    edges = box.get_path().vertices[:, 1]
    assert (pytest.approx(3.75), pytest.approx(10.25)) == (edges.min(), edges.max())


def test_a_box_of_repeats_has_means_and_all_outliers():
    """The second repeat is twice the first: the whisker ends at the mean, the outliers of both are there."""
    (ax,) = axes_of(Show("box", ("rtt",), x="kernel", where={"kernel": "off"}))
    lines = [np.round(np.asarray(line.get_ydata(), dtype=float), 9).tolist() for line in ax.lines]
    assert [15.375, 22.5] in lines and [100.0, 200.0] in lines


def test_a_published_median_is_drawn_next_to_its_box():
    """A document states medians, the figure draws the values."""
    published = (Published("table 1", y="delay.median", values=({"kernel": "on", "value": "70 ms"},)),)
    show = Show("box", ("rtt", "delay"), x="quantity", series="kernel")
    (ax,) = axes_of(show, dataclasses.replace(STUDY, published=published))
    (hollow,) = [line for line in ax.lines if line.get_markerfacecolor() == "none" and line.get_markersize() == 8]
    (x,), (y,) = hollow.get_data()
    assert pytest.approx(0.07) == y and 0.8 < x < 1.0


@pytest.mark.parametrize("kind", ["box", "ecdf"])
def test_panels_of_one_quantity_share_their_limits(kind):
    """One panel has twice the values of the other, and the same scale."""
    left, right = axes_of(Show(kind, ("rtt",), panel="kernel"))
    assert (left.get_xlim(), left.get_ylim()) == (right.get_xlim(), right.get_ylim())


def test_shares_of_a_histogram_are_all_values():
    """Every curve adds up to 100 %, in bins that both curves have."""
    (ax,) = axes_of(Show("histogram", ("rtt",), series="kernel"))
    outlines = [patch.get_data() for patch in ax.patches if not patch.get_fill()]
    assert [pytest.approx(100.0)] * 2 == [float(data.values.sum()) for data in outlines]
    assert outlines[0].edges.tolist() == outlines[1].edges.tolist()


@pytest.mark.parametrize(("x", "expected"), [("packet", [1, 2, 3]), ("time", [0.0, 0.5, 1.0])])
def test_a_scatter_has_the_values_in_the_order_of_time(x, expected):
    """The table has them in another order; the earliest repeat is drawn."""

    def rows(kernel, repeat):
        content = studycases.rows("rtt", [3e6, 1e6, 2e6])
        starts = [start * studycases.SAMPLERATE_HZ // 2 for start in (4, 2, 3)]
        return (content.set_column(4, "start_sample", [starts]),)

    (ax,) = axes_of(Show("scatter", ("rtt",), x=x, where={"kernel": "on"}), quantities(rows))
    (line,) = ax.lines
    assert (expected, [1.0, 2.0, 3.0]) == (line.get_xdata().tolist(), line.get_ydata().tolist())


@pytest.mark.parametrize(("ends_ns", "labels"), [((2e6, 7e6), 3), ((1.1e6, 1.4e6), 3), ((1e3, 1e9), 5)])
def test_logarithmic_axes_have_labels(ends_ns, labels):
    """Also below a decade, where matplotlib's own places have none or one."""
    points = [
        studycases.point({"x": place}, studycases.table(studycases.rows("rtt", [end])))
        for place, end in enumerate(ends_ns)
    ]
    (ax,) = axes_of(Show("line", ("rtt.max",), x="x", log="y"), studycases.study((), points))
    low, high = ax.get_ylim()
    inside = [text.get_text() for text in ax.get_yticklabels() if low <= float(text.get_text()) <= high]
    usual = LogLocator().tick_values(low, high)
    assert len(inside) >= labels and (labels > 3 or sum(low <= tick <= high for tick in usual) < 2)


def test_own_titles_limits_and_names():
    """The legend names the axis unless a label is given; limits are in the unit that is drawn."""
    show = Show(
        "bars",
        ("rtt.median",),
        x="quantity",
        series="kernel",
        labels={"off": "without", "rtt.median": "median"},
        x_title="statistic",
        y_title="delay",
        y_limits=("0 ms", "0.05 s"),
    )
    (ax,) = axes_of(show)
    assert ["kernel: on", "without"] == [text.get_text() for text in ax.figure.legends[0].texts]
    assert ("statistic", "delay (ms)", (0.0, 50.0)) == (ax.get_xlabel(), ax.get_ylabel(), ax.get_ylim())


def test_bars_of_two_axes_have_a_colour_and_tones_of_it():
    """The quantity is the last axis: each kernel has its colour, lighter for the quantity that is named first."""
    show = Show("bars", ("rtt.min", "delay.min"), series=("kernel", "quantity"))
    (ax,) = axes_of(show)
    names = [text.get_text() for text in ax.figure.legends[0].texts]
    assert [f"kernel: {kernel}, {y}" for kernel in ("on", "off") for y in show.y] == names
    on_light, on, off_light, off = [bar.get_facecolor()[:3] for bar in ax.patches]
    assert [to_rgb(colour) for colour in SERIES[:2]] == [on, off]
    assert sum(on_light) > sum(on) and sum(off_light) > sum(off)
