"""Figures for a narrow screen: long names wrapped, legends at the foot, and the height that this takes."""

from __future__ import annotations

import math
import textwrap
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.ticker import AutoLocator, FixedLocator, MaxNLocator

from gpiorig.analysis.figures import style
from gpiorig.capture.edges.waveform import VIRTUAL_MARK

NAME_LETTERS, WORD_LETTERS = 22, 50  # in a line: of a name at the left, of a label or a title
LINE, ROW, ROW_LINE = 0.17, 0.22, 0.15  # inches: of a legend, of a row with one line, of each line of a name
LEAST = 2.0  # inches, without the legend
TICKS = 4  # at most, of a linear axis of numbers
LEAST_POINTS = 9  # of any text: 11 px on a screen of 390
LETTER = 0.079  # inches, of a legend, on average


def fit(figure: Figure) -> None:
    """Change a figure that was drawn within `style.narrow` so that all words have room; before it is laid out.

    One without a diagram is not changed.
    """
    if not figure.axes:
        return
    more = sum(_wrap(ax) for ax in figure.axes)
    at_foot = list(figure.legends)
    handles = [handle for ax in figure.axes for handle in _legend(ax)]
    height = 0.0
    if handles:
        longest = max(len(str(handle.get_label())) for handle in handles)
        columns = max(1, min(3, int(style.NARROW / (0.5 + LETTER * longest))))
        height = 0.1 + LINE * math.ceil(len(handles) / columns)
        place: dict[str, Any] = {"loc": "lower left", "handlelength": 1.6, "columnspacing": 1.2, "fontsize": 7.5}
        figure.legend(handles=handles, ncols=columns, **place)
    locators = style.without_minor_ticks(figure)
    for text in figure.findobj(Text):
        text.set_fontsize(max(text.get_fontsize(), LEAST_POINTS))
    for axis, locator in locators.items():
        axis.set_minor_locator(locator)
    _grow(figure, rows=more, legend=height)
    foot = style.TAG_HEIGHT if any(_is_tag(text) for text in figure.texts) else 0.0
    for one in figure.legends:
        y = (foot + (height if one in at_foot else 0.0)) / figure.get_figheight()
        one.set_bbox_to_anchor((0.0, y), transform=figure.transFigure)


def _wrap(ax: Axes) -> float:
    """Wrap the words of axes; returns the inches that its rows need in addition."""
    if isinstance(ax.xaxis.get_major_locator(), AutoLocator):
        ax.xaxis.set_major_locator(MaxNLocator(TICKS))
    ax.set_xlabel(textwrap.fill(ax.get_xlabel(), WORD_LETTERS - 6))
    label = LINE * ax.get_xlabel().count("\n")
    for place in ("left", "center"):
        text = ax.get_title(loc=place)
        if text:
            ax.set_title(textwrap.fill(text, WORD_LETTERS), loc=place)
    if not isinstance(ax.yaxis.get_major_locator(), FixedLocator):
        return label
    names = [textwrap.fill(label.get_text(), NAME_LETTERS) for label in ax.get_yticklabels()]
    ax.set_yticks(ax.get_yticks(), names)
    lines = max((name.count("\n") + 1 for name in names), default=1)
    return label + max(0.0, ROW_LINE * lines - ROW) * len(names)


def _legend(ax: Axes) -> list[Any]:
    """The entries of the legend of axes, which is removed."""
    legend = ax.get_legend()
    if legend is None:
        return []
    handles = [handle for handle in legend.legend_handles if handle is not None]
    for handle, text in zip(handles, legend.get_texts(), strict=True):
        handle.set_label(text.get_text())
    legend.remove()
    return handles


def _grow(figure: Figure, *, rows: float, legend: float) -> None:
    """Make a figure higher: what is at its foot keeps its distance from it."""
    before = figure.get_figheight()
    height = max(before + rows, LEAST) + legend
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)  # as `style.new_figure` makes it
    left, foot, width, _ = engine.get()["rect"]
    foot = (foot * before + legend) / height
    engine.set(rect=(left, foot, width, 1 - foot))
    figure.set_size_inches(style.NARROW, height)
    for text in filter(_is_tag, figure.texts):
        text.set_y(text.get_position()[1] * before / height)


def _is_tag(text: Text) -> bool:
    return text.get_text() == VIRTUAL_MARK
