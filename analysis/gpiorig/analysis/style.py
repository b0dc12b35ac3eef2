"""The look of the figures: colours, sizes, and files with equal bytes for equal data."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Patch

from gpiorig.analysis.path import Kind

VIRTUAL_TAG = "virtual bench, not a hardware measurement"

# Okabe and Ito, "Color Universal Design" (2008): tells apart for every kind of colour vision.
KIND_COLOURS = {
    Kind.SOFTWARE: "#0072B2",
    Kind.MAC: "#5A3E85",  # not one of the eight, which are all in use
    Kind.DRIVER: "#56B4E9",
    Kind.RADIO_WAIT: "#D55E00",
    Kind.AIR: "#F0E442",
    Kind.UNDIVIDED: "#999999",
    Kind.FRAGMENTS: "#E69F00",
    Kind.INTERRUPT: "#CC79A7",
    Kind.APPLICATION: "#009E73",
}
INK = "#222222"
FAINT = "#888888"
GRID = "#DDDDDD"
SHADE = "#F3F3F3"
PAPER = "#FFFFFF"
WARNING = "#B03A00"
ON_DARK, ON_LIGHT = "#FEFEFE", "#212121"  # text on a coloured box: the same on a light and on a dark page
FIRST, SECOND = "#0072B2", "#D55E00"  # two series beside each other
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#999999")
# On a page that may be dark these follow its own colours; every other colour stays what it is.
PAGE_COLOURS = {
    INK: "var(--ink)",
    FAINT: "var(--faint)",
    GRID: "var(--grid)",
    SHADE: "var(--shade)",
    PAPER: "var(--page)",
    WARNING: "var(--warning)",
    "#000000": "var(--ink)",
}
TAG_HEIGHT = 0.24  # inches

_SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that every machine draws the same
    "font.size": 9,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.labelsize": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "svg.hashsalt": "gpiorig",
    "svg.fonttype": "path",
    "path.simplify": False,
}


@contextmanager
def paper() -> Iterator[None]:
    """The settings under which figures are drawn and saved."""
    with mpl.rc_context(_SETTINGS):
        yield


def new_figure(*, width: float = 7.2, height: float = 3.2, legend: float = 0, virtual: bool) -> Figure:
    """An empty figure, sizes in inches; one from a virtual bench says so in its corner.

    Parameters
    ----------
    width, height
        Of the whole figure.
    legend
        Height to keep free at the foot for `foot_legend`.
    virtual
        Whether the data are from a virtual bench.
    """
    tag = TAG_HEIGHT if virtual else 0.0
    foot = (tag + legend) / height
    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(rect=(0, foot, 1, 1 - foot)))
    FigureCanvasAgg(figure)
    if virtual:
        place: dict[str, Any] = {"ha": "right", "va": "bottom", "fontsize": 7.5, "style": "italic"}
        figure.text(0.995, 0.06 / height, VIRTUAL_TAG, color=WARNING, **place)
    return figure


def foot_legend(figure: Figure, kinds: Sequence[Kind], *, virtual: bool, columns: int = 0) -> None:
    """The colours of the kinds of steps, in the height that `new_figure` kept free; in one row or so many columns."""
    handles = [Patch(color=KIND_COLOURS[kind], label=kind.value) for kind in kinds]
    foot = (TAG_HEIGHT if virtual else 0.0) / figure.get_figheight()
    style: dict[str, Any] = {"frameon": False, "handlelength": 1.2, "columnspacing": 1.6}
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.0, foot), ncols=columns or len(kinds), **style)


def svg(figure: Figure, *, outlines: bool = True) -> str:
    """The figure as SVG text, without a date, so that equal figures are equal bytes.

    Letters are outlines, the same for every reader; or they are text, which is smaller, can be searched, and takes the
    reader's fonts.
    """
    _settle(figure)
    buffer = io.StringIO()
    with paper(), mpl.rc_context({"svg.fonttype": "path" if outlines else "none"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def save(figure: Figure, stem: Path, *, dpi: int = 200) -> None:
    """Write `stem`.svg and `stem`.png."""
    _settle(figure)
    stem.with_suffix(".svg").write_text(svg(figure), encoding="utf-8")
    with paper():
        figure.savefig(stem.with_suffix(".png"), dpi=dpi, metadata={"Software": None})


def _settle(figure: Figure) -> None:
    """Lay the figure out once; it takes as long as drawing it, and every file would do it again.

    The solver's last bits differ from one call to the next, and SVG's ids are hashes of them: places are rounded.
    """
    engine = figure.get_layout_engine()
    if engine is not None:
        with paper():
            engine.execute(figure)
        figure.set_layout_engine("none")
        for axes in figure.axes:
            axes.set_position(np.round(axes.get_position(original=True).bounds, 9).tolist())
