"""What is drawn on axes, as plain numbers and texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle


def bare() -> Axes:
    """Empty axes."""
    return Figure().add_subplot()


def _plain(values: Any) -> list[float]:
    return [round(float(value), 9) for value in np.atleast_1d(values)]


def lines(ax: Axes) -> list[tuple[list[float], list[float]]]:
    """The points of each line: x and y."""
    return [(_plain(line.get_xdata()), _plain(line.get_ydata())) for line in ax.lines]


def bars(ax: Axes) -> list[list[float]]:
    """Left, foot, width and height of each bar."""
    boxes = [box for box in ax.patches if isinstance(box, Rectangle)]
    return [_plain([box.get_x(), box.get_y(), box.get_width(), box.get_height()]) for box in boxes]


def texts(ax: Axes) -> list[tuple[str, float, float]]:
    """Each text with its place; of annotations that of what they are about."""
    places = [(text, getattr(text, "xy", text.get_position())) for text in ax.texts]
    return [(text.get_text(), *_plain(place)) for text, place in places]


def names(ax: Axes) -> list[str]:
    """The names of the rows."""
    return [label.get_text() for label in ax.get_yticklabels()]


def ticks(ax: Axes, *values: float) -> list[str]:
    """Values as the axis x labels them."""
    return [ax.xaxis.get_major_formatter()(value, 0) for value in values]


def limits(ax: Axes) -> list[float]:
    """Left, right, foot and top of the axes."""
    return _plain([*ax.get_xlim(), *ax.get_ylim()])
