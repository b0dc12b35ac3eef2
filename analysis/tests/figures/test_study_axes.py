"""Axes, legends and grids of a study's figures, for a few values that are known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from drawnaxes import bare, limits, lines

from gpiorig.analysis.figures import studies, study_axes, style
from gpiorig.analysis.figures.panels import Chart, Curve, Distribution, Mark, Panel, Reference

NAN = math.nan


def chart(kind, *curves, places=(1, 2, 4), unit="s", log="", published=(), levels=(), **options):
    """A chart of one panel."""
    panel = Panel("", "delay", unit, curves, levels=levels, published=published)
    return Chart(kind, "title", "x", places, (panel,), 1, log, False, **options)


def runs(*values):
    return tuple(np.array(run, dtype=np.float64) for run in values)


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("line", [1.0, 2.0], [0, 1.09 * 2]),
        ("line", [1.21, 2.0], [1.21 - 0.079, 2 + 0.079]),
        ("line", [1.2, 2.0], [1.12, 2.08]),
        ("bars", [1.9, 2.0], [0, 1.09 * 2]),
        ("line", [-1.0, 1.0], [-1.2, 1.2]),
        ("line", [0.0], [-1, 1]),
        ("bars", [0.0], [0, 1]),
        ("line", [5.0, 5.0], [4.5, 5.5]),
        ("line", [], [0, 1]),
    ],
)
def test_the_axis_of_values(kind, values, expected):
    """From 0 where the least is below 0.6 of the largest, and for bars; else with a margin of a tenth."""
    marks = tuple(Mark(place, value) for place, value in zip((1, 2, 4), values, strict=False))
    (ax,) = studies.draw(chart(kind, Curve("", marks), unit="1")).axes
    assert expected == pytest.approx(limits(ax)[2:])


def test_limits_that_are_asked_for():
    """Of values in SI, of places as they are."""
    marks = (Mark(1, 0.001), Mark(4, 0.002))
    (ax,) = studies.draw(chart("line", Curve("", marks), x_limits=(0.5, 8), y_limits=(0.0005, 0.003))).axes
    assert [0.5, 8, 0.5, 3] == pytest.approx(limits(ax))
    curve = Curve("", (), (Distribution(1, runs([0.001, 0.002])),))
    (ax,) = studies.draw(chart("ecdf", curve, x_limits=(0.0005, 0.003), y_limits=(0, 1))).axes
    assert [0.5, 3, 0, 1] == pytest.approx(limits(ax))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1, 1000, [1, 10, 100, 1000]),
        (1, 100, [1, 10, 100]),
        (1, 10, [1, 2, 5, 10]),
        (2, 30, [2, 5, 10, 20]),
        (1, 9.9, [2.5, 5, 7.5]),
        (1, 1e12, [1, 100, 1e4, 1e6, 1e8, 1e10, 1e12]),
    ],
)
def test_labels_of_a_logarithmic_axis(low, high, expected):
    ax = bare()
    ax.set_yscale("log")
    ax.set_ylim(low, high)
    study_axes.label_logarithmic(ax.yaxis)
    assert expected == pytest.approx(ax.get_yticks().tolist())


def test_places_that_have_room():
    """Two neighbours at 7 % of the width of a page or more; of a logarithmic axis by their logarithms."""
    for places, log, expected in (
        ((0, 7.01, 100), "", (True, False)),
        ((0, 6.99, 100), "", (False, False)),
        ((100, 85, 0), "", (True, True)),
        ((100, 107.1, 200), "", (True, False)),
        ((100, 106.9, 200), "", (False, False)),
        ((1, 2, 1000), "", (False, False)),
        ((1, 2, 1000), "x", (True, False)),
        ((0, 1, 100), "x", (True, True)),
        ((5,), "", (False, False)),
    ):
        made = chart("line", places=places, log=log)
        assert expected == tuple(study_axes.has_room(replace(made, columns=columns)) for columns in (1, 2)), places
    with style.narrow():
        assert not study_axes.has_room(chart("line", places=(0, 14, 100)))
        assert study_axes.has_room(chart("line", places=(0, 15, 100)))


def test_names_of_places():
    """At whole numbers; wrapped, or turned where a word is too long; yes and no for true and false."""
    for places, expected, rotation in (
        (("a word and another", "b"), ["a word and another", "b"], 0),
        (tuple(f"{'word ' * 5}{n}" for n in range(8)), None, 0),
        (tuple(f"{'w' * 20}{n}" for n in range(8)), None, 35),
        ((True, False, 1.50), ["yes", "no", "1.5"], 0),
    ):
        made = chart("bars", Curve("", tuple(Mark(place, 1.0) for place in places)), places=places)
        (ax,) = studies.draw(made).axes
        labels = ax.get_xticklabels()
        assert [*range(len(places))] == ax.get_xticks().tolist()
        assert [-0.6, len(places) - 0.4] == pytest.approx(limits(ax)[:2])
        assert rotation == labels[0].get_rotation()
        assert expected is None or expected == [label.get_text() for label in labels]
        assert ("\n" in labels[0].get_text()) == (places[0] == f"{'word ' * 5}0")


def test_the_legend_of_a_study():
    """An entry per curve, line and kind of published value, and one for failures; as many columns as fit."""
    a = Curve("a", (Mark(1, 1.0),), published=(Reference(1, 1.0),), failed=(2,))
    b = Curve("b", (Mark(1, 1.0),), published=(Reference(1, low=1.0, high=2.0),))

    def entries(made):
        return [text.get_text() for legend in studies.draw(made).legends for text in legend.get_texts()]

    assert [] == entries(chart("line", Curve("", (Mark(1, 1.0),))))
    assert ["a"] == entries(chart("line", Curve("a", (Mark(1, 1.0),))))
    assert ["a", "b", "l", "published", "published range", "failed"] == entries(
        chart("line", a, b, levels=(("l", 1.0),))
    )
    assert ["a", "b", "published", "failed"] == entries(chart("stack", a, b))
    assert ["a", "b", "published range"] == entries(chart("line", replace(a, published=(), failed=()), b))
    (legend,) = studies.draw(chart("line", *(Curve(f"{'n' * 30}{n}") for n in range(5)))).legends
    assert 3 == legend._ncols


def test_panels_of_a_study():
    """Rows as high as a panel; those with one label share their axis; levels are drawn in the unit of the values."""
    curve = Curve("", (Mark(1, 0.001), Mark(4, 0.004)))
    panels = tuple(
        Panel(title, label, "s", (curve,), levels=(("l", 0.002),))
        for title, label in (("p", "x"), ("q", "x"), ("r", "y"))
    )
    made = Chart("line", "title", "x", (1, 4), panels, 2, "", True)
    figure = studies.draw(made)
    first, second, third = figure.axes
    assert first.get_shared_y_axes().joined(first, second) and not first.get_shared_y_axes().joined(first, third)
    assert ([0, 1], [2, 2]) == lines(first)[-1]
    handles = figure.legends[0].get_texts()
    assert ["l"] == [text.get_text() for text in handles]
    assert 0.3 + 2 * 2.5 + 0.12 + 0.2 == pytest.approx(figure.get_figheight())
    longer = studies.draw(replace(made, title="word " * 40))
    assert 0.25 == pytest.approx(longer.get_figheight() - figure.get_figheight())
    assert (
        pytest.approx(style.TAG_HEIGHT / figure.get_figheight())
        == figure.legends[0].get_bbox_to_anchor().transformed(figure.transFigure.inverted()).y0
    )


@pytest.mark.parametrize(
    ("kind", "places", "scale"),
    [
        ("line", (1, 2, 4), "log"),
        ("line", ("a", "b"), "linear"),
        ("bars", (1, 2, 4), "linear"),
        ("ecdf", (1, 2, 4), "log"),
        ("histogram", (1, 2, 4), "log"),
        ("scatter", (1, 2, 4), "log"),
        ("box", (1, 2, 4), "linear"),
    ],
)
def test_a_logarithmic_axis_x(kind: str, places: tuple[object, ...], scale: str) -> None:
    """Of numbers and of values; places that are only names are at equal distances."""
    curve = Curve("", (), (Distribution(places[0], runs([1.0, 2.0]), runs([1.0, 2.0])),))
    for log, expected in (("x", scale), ("", "linear")):
        (ax,) = studies.draw(chart(kind, curve, places=places, log=log)).axes
        assert expected == ax.get_xscale()


@pytest.mark.parametrize(
    ("kind", "places", "line", "marker"),
    [
        ("line", (1, 2), "-", "o"),
        ("line", ("a", "b"), "None", "o"),
        ("ecdf", (1, 2), "-", "None"),
        ("dots", (1, 2), "None", "o"),
    ],
)
def test_the_entry_of_a_curve(kind: str, places: tuple[object, ...], line: str, marker: str) -> None:
    """As it is drawn: joined where places are numbers; a distribution function has no marks."""
    (legend,) = studies.draw(chart(kind, Curve("a"), places=places)).legends
    (handle,) = legend.legend_handles
    assert (line, marker) == (handle.get_linestyle(), handle.get_marker() or "None")


def test_the_axis_of_values_in_another_unit():
    """Whether it begins at 0 goes by the values as they are drawn; a logarithmic one has no 0."""
    marks = (Mark(1, 0.0012), Mark(2, 0.002))
    (ax,) = studies.draw(chart("line", Curve("", marks))).axes
    assert [1.12, 2.08] == pytest.approx(limits(ax)[2:])
    (ax,) = studies.draw(chart("line", Curve("", (Mark(1, 0.001), Mark(2, 1.0))), log="y")).axes
    assert 0 < limits(ax)[2] < 0.001 < 1 < limits(ax)[3]
