"""Files of delays: tables of `-o`, and the figure of their distributions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.number_text import count_text
from gpiorig.rig.errors import RigError

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes

ALL = slice(None)


def write(path: Path, rows: Callable[[slice], pa.Table], count: int) -> None:
    """Write a table, of which `rows` makes any part."""
    from gpiorig.analysis.tables import stages

    if path.suffix == ".arrow":
        stages.write(rows(ALL), path)
    else:
        stages.write_parts(rows, count, path)


def draw(path: Path, delays: Mapping[str, NDArray[Any]], *, us: float, virtual: bool) -> None:
    """Draw the share of the delays at or below each, a step for every name that has some.

    Parameters
    ----------
    path
        The figure.
    delays
        By name: integers, in units of `us` microseconds.
    us
        See above.
    virtual
        Of a virtual bench.
    """
    from gpiorig.analysis.figures import style

    if not any(map(len, delays.values())):
        raise RigError(f"--figure {path}: no delay to draw; choose events that occur.")
    with style.paper():
        figure = style.new_figure(virtual=virtual)
        curves(figure.subplots(), delays, us=us)
    style.save(figure, path)


def curves(ax: Axes, delays: Mapping[str, NDArray[Any]], *, us: float) -> None:
    """The same on given axes."""
    from gpiorig.analysis.figures import thinning

    for name, values in delays.items():
        if not len(values):
            continue
        x, share = thinning.ecdf(values)
        at_us = x * us
        label = f"{name} ({count_text(len(values), 'delay')})"
        ax.step(np.append(at_us[:1], at_us), np.append([0.0], share), where="post", label=label)
    ax.set_xlabel("delay in µs")
    ax.set_ylabel("share at or below")
    ax.set_ylim(0, 1.02)
    ax.legend(loc="lower right")
