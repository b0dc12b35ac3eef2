"""Figures of a study as drawn: hollow marks, crosses, the tag of a virtual bench, the legend off the data."""

from __future__ import annotations

import dataclasses

import pytest
import studycases
from matplotlib.colors import to_rgba

from gpiorig.analysis.figures import palette, studies, style
from gpiorig.analysis.figures.panels import scale_of
from gpiorig.analysis.figures.study_distributions import line_of
from gpiorig.analysis.figures.study_panels import colour_of, marker_of
from gpiorig.capture.edges.waveform import VIRTUAL_MARK
from gpiorig.studies.pages import charts, values
from gpiorig.studies.pages.description import Show

X = "interference in packets/s"
STUDY = studycases.interference()
SHOWS = {
    "line": Show("line", ("rtt.p2p",), x=X, series="protocol"),
    "bars": Show("bars", ("rtt.p2p",), x=X, series="protocol"),
    "stack": Show("stack", ("rtt.p5", "rtt.p2p"), x=X, series="protocol"),
    "ecdf": Show("ecdf", ("rtt",), series=X, panel="protocol"),
    "box": Show("box", ("rtt",), x=X, series="protocol"),
    "histogram": Show("histogram", ("rtt",), series="protocol", where={X: (0, 20)}),
    "scatter": Show("scatter", ("rtt",), series="protocol", where={X: (0, 20)}),
    "dots": Show("dots", ("span of udp.checksum",), series="protocol", where={X: (0, 12)}),
}


def drawn(show, results=STUDY):
    return studies.draw(charts.chart(results, show, values.groups(results, show)))


@pytest.mark.parametrize("kind", ["line", "bars"])
def test_published_marks_are_hollow_and_not_joined(kind):
    """A published value is a mark of its own, without a filling, at its place."""
    (ax,) = drawn(SHOWS[kind]).axes
    hollow = [line for line in ax.lines if line.get_markerfacecolor() == "none"]
    assert [10.0, 35.0, 40.0] == [pytest.approx(line.get_ydata()[0]) for line in hollow]
    assert all(len(line.get_xdata()) == 1 for line in hollow)


@pytest.mark.parametrize(("kind", "places"), [("line", {12}), ("bars", {2.8, 3.2}), ("box", {2.8, 3.2})])
def test_failed_points_are_crosses_on_the_axis(kind, places):
    """A cross is at the place of the point that failed."""
    (ax,) = drawn(SHOWS[kind]).axes
    crosses = [line for line in ax.lines if line.get_marker() == "x"]
    assert places == {round(float(x), 6) for line in crosses for x in line.get_xdata()}
    assert {0.0} == {float(y) for line in crosses for y in line.get_ydata()}


def test_a_line_ends_where_all_repeats_failed():
    """The line of MAC is broken at 12 packets/s."""
    (ax,) = drawn(SHOWS["line"]).axes
    udp, mac = (line for line in ax.lines if line.get_linestyle() == "-" and len(line.get_xdata()) == 6)
    assert [12] == [x for x, y in zip(mac.get_xdata(), mac.get_ydata(), strict=True) if y != y]
    assert all(y == y for y in udp.get_ydata())


@pytest.mark.parametrize("kind", SHOWS)
def test_every_kind_is_virtual_and_has_its_legend_off_the_diagrams(kind):
    """The tag is on each figure; the legend is below all axes with their labels, within the figure."""
    figure = drawn(SHOWS[kind])
    assert VIRTUAL_MARK in [text.get_text() for text in figure.texts]
    style.svg(figure)
    renderer = figure.canvas.get_renderer()
    (legend,) = figure.legends
    box = legend.get_window_extent(renderer)
    assert all(box.y1 <= ax.get_tightbbox(renderer).y0 + 1 for ax in figure.axes)
    assert box.x1 <= figure.bbox.x1
    assert box.y0 >= 0


def test_a_figure_of_boards_has_no_tag():
    """Values that were measured are not called virtual."""
    boards = [dataclasses.replace(point, virtual=False) for point in STUDY.points]
    figure = drawn(SHOWS["dots"], dataclasses.replace(STUDY, points=boards))
    assert VIRTUAL_MARK not in [text.get_text() for text in figure.texts]


@pytest.mark.parametrize(("places", "named"), [((0, 4, 8, 12), True), ((0, 100, 300, 500, 1000, 2000), False)])
def test_places_of_a_numeric_axis_are_named_where_there_is_room(places, named):
    """Labels of ticks do not overlap."""
    points = [studycases.point({"x": place}, studycases.table(studycases.rows("rtt", [1e6, 2e6]))) for place in places]
    show = Show("line", ("rtt.max",), x="x")
    (ax,) = drawn(show, studycases.study((show,), points)).axes
    assert named == (list(places) == ax.get_xticks().tolist())


def test_many_curves_look_different():
    """Curves with the same colour have different markers and lines."""
    looks = [(colour_of(number), marker_of(number)) for number in range(21)]
    lines = [(colour_of(number), line_of(number)) for number in range(21)]
    assert 21 == len(set(looks)) == len(set(lines))


def test_colours_are_the_same_in_all_panels():
    """A curve keeps its colour, also where another one has no values."""
    figure = drawn(Show("line", ("rtt.p2p",), x="protocol", series=X))
    colours = {line.get_color() for line in figure.axes[0].lines if line.get_marker() == "o" and len(line.get_xdata())}
    assert {to_rgba(palette.SERIES[0])} == {to_rgba(colour) for colour in colours if colour in palette.SERIES}


@pytest.mark.parametrize(
    ("unit", "largest", "expected"),
    [
        ("s", 2.0, (1.0, "s")),
        ("s", 0.0123, (1e3, "ms")),
        ("s", 9e-6, (1e6, "µs")),
        ("s", 4e-8, (1e9, "ns")),
        ("share", 0.5, (100.0, "%")),
        ("bit/s", 78_000, (1e-3, "kbit/s")),
        ("J", 3e-5, (1e6, "µJ")),
        ("W", 0.14, (1e3, "mW")),
        ("1", 5, (1.0, "")),
        ("1/s", 5, (1.0, "1/s")),
    ],
)
def test_units_of_axes(unit, largest, expected):
    """The unit of an axis suits its largest value."""
    factor, text = scale_of(unit, largest)
    assert (pytest.approx(expected[0]), expected[1]) == (factor, text)


@pytest.mark.parametrize("kind", ["line", "bars", "box"])
def test_a_figure_without_values_is_drawn(kind):
    """No point shows the quantity: the panel is empty, and has an axis."""
    points = [dataclasses.replace(one, table=None, state="missing") for one in STUDY.points]
    results = dataclasses.replace(STUDY, points=points, published=())
    (ax,) = drawn(SHOWS[kind], results).axes
    assert (0, 1) == ax.get_ylim()


def test_ticks_have_no_offset():
    """It would be printed above the axis, over the title."""
    (ax,) = drawn(SHOWS["line"]).axes
    assert not ax.yaxis.get_major_formatter().get_useOffset()
