"""Figures for a narrow screen: as wide as a phone, panels below each other, and no word on another or outside."""

from __future__ import annotations

import itertools
import re
from functools import partial

import evaluations
import pytest
from matplotlib.text import Text

from gpiorig.analysis.figures import layers, narrow, plates, style
from gpiorig.analysis.figures.panels import Chart, Curve, Mark, Panel
from gpiorig.analysis.figures.studies import draw

ROUTE = evaluations.one_way(("a", "b", "c"), packets=60)
NAMES = ("the first node of this chain", "another one", "a third node with a name of forty letters", "d")


def chart():
    curves = [Curve(f"stack {n}", tuple(Mark(name, 0.001 * (n + 1)) for name in NAMES)) for n in range(5)]
    panels = [Panel(f"panel {n}", "round-trip time of the packets", "s", tuple(curves)) for n in range(2)]
    return Chart("bars", "A title that both pages repeat", "", NAMES, tuple(panels), 2, "", True)


def drawn_narrow(make):
    with style.narrow(), style.paper():
        figure = make()
        title = style.take_title(figure)
        narrow.fit(figure)
        words = set(re.findall(r"<text[^>]*>([^<]*)</text>", style.svg(figure, outlines=False)))
    return figure, title, words


FIGURES = {
    "steps": lambda: plates.steps(evaluations.about(ROUTE).numbers, virtual=True),
    "budget": lambda: plates.budget(evaluations.about(ROUTE).numbers, evaluations.about(ROUTE).budget, virtual=True),
    "ecdf": lambda: style.plate(
        partial(plates.step_ecdfs, numbers=evaluations.about(ROUTE).numbers, columns=[1, 5]),
        height=3.2,
        title="The steps that vary most",
        virtual=True,
    ),
    "layers": lambda: style.plate(
        partial(layers.layers, times=evaluations.about(ROUTE).layers, period_ns=41.7),
        height=2.9,
        title="How long each layer worked, and how long the packet was in it",
        virtual=True,
    ),
    "study": lambda: draw(chart()),
}


def overlapping(figure, drawn):
    """Pairs of the drawn words that lie on each other, and words that are outside of the figure."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    shown = [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text.get_text().splitlines()[0] in drawn
    ]
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in shown]
    wide, high = figure.bbox.width, figure.bbox.height
    outside = [name for name, box in boxes if box.x0 < -2 or box.x1 > wide + 2 or box.y0 < -2 or box.y1 > high + 2]
    pairs = [
        (one, other)
        for (one, a), (other, b) in itertools.combinations(boxes, 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 2 and min(a.y1, b.y1) - max(a.y0, b.y0) > 3
    ]
    return pairs, outside


@pytest.mark.parametrize("name", FIGURES)
def test_words_have_room(name):
    figure, _, words = drawn_narrow(FIGURES[name])
    assert style.NARROW == figure.get_figwidth()
    pairs, outside = overlapping(figure, words)
    assert [] == pairs
    assert [] == outside


def test_panels_are_below_each_other():
    figure, title, _ = drawn_narrow(FIGURES["study"])
    above, below = (ax.get_position() for ax in figure.axes)
    assert above.y0 > below.y1
    assert "A title that both pages repeat" == title
    assert "" == figure.get_suptitle()
    wide = draw(chart())
    style.svg(wide)
    left, right = (ax.get_position() for ax in wide.axes)
    assert left.x1 < right.x0
    assert "A title that both pages repeat" == wide.get_suptitle()


def test_the_legend_of_a_diagram_is_below_it():
    """With the same entries."""
    wide = FIGURES["ecdf"]()
    entries = [text.get_text() for text in wide.axes[0].get_legend().get_texts()]
    figure, *_ = drawn_narrow(FIGURES["ecdf"])
    assert figure.axes[0].get_legend() is None
    assert entries == [text.get_text() for text in figure.legends[0].get_texts()]
    assert figure.get_figheight() > wide.get_figheight()


def test_long_names_are_wrapped():
    figure, *_ = drawn_narrow(FIGURES["steps"])
    names = [label.get_text() for ax in figure.axes for label in ax.get_yticklabels()]
    assert all(len(line) <= narrow.NAME_LETTERS for name in names for line in name.splitlines())
    assert any("\n" in name for name in names)
