"""Which title is taken from a figure, columns of its legend, printable letters, and ticks at the ends of an axis."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from matplotlib.lines import Line2D

from gpiorig.analysis.figures import style


def figure_of(titles):
    figure = style.new_figure(virtual=False)
    for ax, title in zip(style.panels(figure, len(titles)), titles, strict=True):
        ax.set_title(title, loc="left")
    return figure


@pytest.mark.parametrize(
    ("titles", "expected"),
    [(("only",), "only"), (("left", ""), "left"), (("", "right"), ""), (("left", "right"), ""), (("", ""), "")],
)
def test_the_title_of_the_only_titled_diagram_is_taken(titles, expected):
    """Where it is the left one; others stay."""
    figure = figure_of(titles)
    assert expected == style.take_title(figure)
    left = [ax.get_title(loc="left") for ax in figure.axes]
    assert (["" for _ in titles] if expected else list(titles)) == left


@pytest.mark.parametrize(("letters", "wide", "slim"), [(27, 4, 2), (28, 4, 1), (40, 4, 1), (41, 3, 1)])
def test_columns_of_the_legend(letters, wide, slim):
    """Of 12 kinds with one name of this number of letters."""
    kinds = [SimpleNamespace(text="a" * length) for length in (letters, *[5] * 11)]
    assert 0.1 + 0.2 * 12 / wide == pytest.approx(style.legend_height(kinds))
    with style.narrow():
        assert 0.1 + 0.2 * 12 / slim == pytest.approx(style.legend_height(kinds))


def test_control_characters_are_not_drawn():
    """XML forbids them; other names stay."""
    figure = figure_of(("a\x07b", "channel"))
    style.svg(figure)
    broken, plain = (ax.get_title(loc="left") for ax in figure.axes)
    assert "\x07" not in broken
    assert "channel" == plain


def test_minor_ticks_include_the_ends_of_a_logarithmic_axis():
    """From 2 to 30: 2 to 9, 20 and 30."""
    figure = figure_of(("",))
    (ax,) = figure.axes
    ax.set_xscale("log")
    ax.set_xlim(2, 30)
    style.svg(figure)
    (ticks,) = [line for line in ax.get_children() if isinstance(line, Line2D)]
    assert [*range(2, 10), 20, 30] == pytest.approx(ticks.get_xdata().tolist())
