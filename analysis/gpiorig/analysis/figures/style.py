"""The look of the figures: colours, sizes, and files with equal bytes for equal data."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.markers import TICKDOWN, TICKLEFT
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import Locator, NullLocator

from gpiorig.analysis.figures.palette import INK, KIND_COLOURS, WARNING
from gpiorig.analysis.packets.path import Kind
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.edges.waveform import VIRTUAL_MARK
from gpiorig.capture.printable import printable_lines

_NO_DATE: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": None},
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}
_HALF_NAME = 27  # letters of a kind of steps, of which a row of the legend of a narrow figure has two
_LONG_NAME = 40  # letters of a kind of steps, of which a row of the legend has at most three
WIDE, NARROW = 8.4, 4.1  # inches: on a page, and on that of a phone, its text is as large as the page's
REPORT_WIDE = 9.6  # inches, of the figures of a run
LOW = 2.6  # inches: a lower figure is laid out twice
TAG_HEIGHT = 0.24  # inches
_MARK: dict[str, Any] = {"color": WARNING, "ha": "right", "va": "bottom", "fontsize": 7.5, "style": "italic"}
MARGIN = 0.012  # of the width, at the right: readers' fonts are wider than those that were measured

_SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that every machine draws the same
    "font.size": 9,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.titley": 1.0,  # no search for room above labels at the top, which no figure has: a tenth of the drawing
    "axes.labelsize": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.linewidth": 0.7,
    "axes.formatter.useoffset": False,  # each tick shows its value: an offset would be printed over the title
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "svg.hashsalt": "gpiorig",
    "svg.fonttype": "path",
    "path.simplify": False,
    "text.parse_math": False,  # names of channels are not formulas
    "figure.autolayout": False,
    "figure.constrained_layout.use": False,
}
_narrow = ContextVar("narrow", default=False)


@contextmanager
def paper() -> Iterator[None]:
    """The settings under which figures are drawn and saved."""
    with mpl.rc_context(_SETTINGS):
        yield


@contextmanager
def narrow() -> Iterator[None]:
    """Figures drawn within are for a narrow screen: `NARROW` wide, with panels below each other."""
    before = _narrow.set(True)
    try:
        yield
    finally:
        _narrow.reset(before)


def is_narrow() -> bool:
    """Whether figures are drawn for a narrow screen."""
    return _narrow.get()


def page_width() -> float:
    """Inches that a page has for a figure."""
    return NARROW if is_narrow() else WIDE


def panels(figure: Figure, count: int, **options: Any) -> list[Axes]:
    """Axes side by side, below each other on a narrow screen; `options` as of `Figure.subplots`."""
    shape = (count, 1) if is_narrow() else (1, count)
    return list(figure.subplots(*shape, squeeze=False, **options).flat)


def take_title(figure: Figure) -> str:
    """Remove the title of a figure, that of its only titled axes where it has none of its own; empty without one."""
    if figure.get_suptitle():
        title = figure.get_suptitle()
        figure.suptitle("")
        return title
    titled = [axes for axes in figure.axes if axes.get_title(loc="left")]
    if len(titled) != 1 or titled[0] is not figure.axes[0]:
        return ""
    title = titled[0].get_title(loc="left")
    titled[0].set_title("", loc="left")
    return title


def new_figure(*, width: float = 7.2, height: float = 3.2, legend: float = 0, virtual: bool) -> Figure:
    """An empty figure, sizes in inches; one from a virtual bench has a tag in its corner.

    Parameters
    ----------
    width, height
        Size of the complete figure; for a narrow screen at most `NARROW` wide.
    legend
        Height to keep free at the foot for `foot_legend`.
    virtual
        Whether the data are from a virtual bench.
    """
    tag = TAG_HEIGHT if virtual else 0.0
    foot = (tag + legend) / height
    width = min(width, NARROW) if is_narrow() else width
    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(rect=(0, foot, 1 - MARGIN, 1 - foot)))
    FigureCanvasAgg(figure)
    if virtual:
        figure.text(0.995, 0.06 / height, VIRTUAL_MARK, **_MARK)
    return figure


def mark_virtual(ax: Axes) -> None:
    """The same tag, above axes in a figure of others."""
    ax.text(1.0, 1.01, VIRTUAL_MARK, transform=ax.transAxes, **_MARK)


def plate(draw: Callable[[Axes], object], *, height: float, title: str = "", virtual: bool) -> Figure:
    """A figure of one diagram, as wide as a page.

    Parameters
    ----------
    draw
        Draws on the axes.
    height
        Inches.
    title
        Title of the diagram; without one it is as `draw` has set it.
    virtual
        Whether the data are from a virtual bench.
    """
    with paper():
        figure = new_figure(width=REPORT_WIDE, height=height, virtual=virtual)
        ax = figure.subplots()
        draw(ax)
        if title:
            ax.set_title(title)
        return figure


def foot_legend(figure: Figure, kinds: Sequence[Kind], *, virtual: bool) -> None:
    """The colours of the kinds of steps, in the height of `legend_height` that `new_figure` kept free."""
    handles = [Patch(color=KIND_COLOURS[kind], label=kind.text) for kind in kinds]
    foot = (TAG_HEIGHT if virtual else 0.0) / figure.get_figheight()
    style: dict[str, Any] = {"frameon": False, "handlelength": 1.2, "columnspacing": 1.6}
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.0, foot), ncols=_legend_columns(kinds), **style)


def legend_height(kinds: Sequence[Kind]) -> float:
    """Inches that `foot_legend` needs."""
    return 0.1 + 0.2 * math.ceil(len(kinds) / _legend_columns(kinds))


def _legend_columns(kinds: Sequence[Kind]) -> int:
    if is_narrow():
        return 1 if any(len(kind.text) > _HALF_NAME for kind in kinds) else 2
    return 3 if any(len(kind.text) > _LONG_NAME for kind in kinds) else 4


def svg(figure: Figure, *, outlines: bool = True) -> str:
    """The figure as SVG text, without a date, so that equal figures are equal bytes.

    Letters are outlines, the same for every reader; or they are text, which is smaller, can be searched, and takes the
    reader's fonts.
    """
    _settle(figure)
    buffer = io.StringIO()
    with paper(), mpl.rc_context({"svg.fonttype": "path" if outlines else "none"}):
        figure.savefig(buffer, format="svg", metadata=_NO_DATE[".svg"])
    return buffer.getvalue()


def save(figure: Figure, path: Path) -> None:
    """Write one file, of the format of its suffix, with equal bytes for equal figures."""
    _settle(figure)
    with paper(), replacing(path) as new:
        figure.savefig(new, format=path.suffix[1:], dpi=200, metadata=_NO_DATE.get(path.suffix, {}))


def _make_printable(figure: Figure) -> None:
    """Remove control characters, which XML forbids, from the names of channels and nodes."""
    for text in figure.findobj(Text):
        if (printable := printable_lines(text.get_text())) != text.get_text():
            text.set_text(printable)


def _settle(figure: Figure) -> None:
    """Lay the figure out once; it takes as long as drawing it, and every file would do it again.

    The solver's last bits differ from one call to the next, and the ids in SVG are hashes of them: places are rounded.
    """
    engine = figure.get_layout_engine()
    if engine is None:
        return
    locators = without_minor_ticks(figure)
    _make_printable(figure)  # now, because it asks for every tick
    with paper():
        # Ticks of axes that got smaller are others, with other room.
        for _ in range(2 if is_narrow() or figure.get_figheight() < LOW else 1):
            engine.execute(figure)
        figure.set_layout_engine(None)  # "none" would keep an engine, for which every file is drawn twice
    for axes in figure.axes:
        axes.set_position(np.round(axes.get_position(original=True).bounds, 9).tolist())
    for axis, locator in locators.items():
        _mark_minor_ticks(axis, locator)


def without_minor_ticks(figure: Figure) -> dict[Axis, Locator]:
    """Take the minor ticks from logarithmic axes, whose locators are returned: a tick is five artists."""
    every: list[Axis] = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    locators = {axis: axis.get_minor_locator() for axis in every if axis.get_scale() != "linear"}
    for axis in locators:
        axis.set_minor_locator(NullLocator())
    return locators


def _mark_minor_ticks(axis: Axis, locator: Locator) -> None:
    """Draw the minor ticks of a logarithmic axis as one line of marks: a tick is five artists, which take 1 ms."""
    axis.set_minor_locator(locator)
    places = axis.get_minorticklocs()
    axis.set_minor_locator(NullLocator())
    low, high = sorted(axis.get_view_interval())
    places = places[(places >= low) & (places <= high)]
    look: dict[str, Any] = {"linestyle": "", "color": INK, "clip_on": False, "markersize": 2, "markeredgewidth": 0.6}
    is_x, zeros = isinstance(axis, XAxis), np.zeros(len(places))
    look |= {"marker": TICKDOWN if is_x else TICKLEFT}
    line = Line2D(*((places, zeros) if is_x else (zeros, places)), **look)
    line.set_transform(axis.axes.get_xaxis_transform() if is_x else axis.axes.get_yaxis_transform())
    axis.axes.add_artist(line)
