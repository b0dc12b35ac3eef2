"""What a study shows, and what was published: tables of a study file (docs/reference/studies.md)."""

from __future__ import annotations

from typing import Literal

import msgspec

Number = int | float
Value = bool | int | float | str  # of an axis

ShowKind = Literal["line", "bars", "stack", "ecdf", "box", "dots", "table"]


class Show(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One figure or table of a study.

    Parameters
    ----------
    title
        Its heading.
    kind
        `line`: y over the axis `x`, a line per `series`, joined only where `x` has numbers. `bars`: grouped bars over
        `x`, a bar per `series`. `stack`: bars of the parts `y` on top of each other. `ecdf`: distribution functions of
        the values, a thin curve for each repeat. `box`: range, 5 to 95 %, quartiles and median, each the mean over the
        repeats. `dots`: a dot per node; of a quantity without a statistic each value, in the order of time. `table`: a
        row per combination of the axes.
    y
        Expressions: a statistic of a quantity or of its alias, as in ``rtt.p2p``, ``idt.p99 - idt.p1``, ``loss``; for
        `ecdf`, `box` and `dots` the quantity alone. Several make a panel each, in `stack` a part each.
    x, series, panel
        Names of axes; ``node`` is that of the nodes. Those that are not named and have several values become panels.
    where
        Keeps the points with these values of an axis.
    levels
        Values of an axis that are drawn as horizontal lines across, not as series.
    log
        Axes of the figure that are logarithmic: ``x``, ``y`` or ``xy``.
    """

    kind: ShowKind
    y: tuple[str, ...]
    title: str = ""
    x: str = ""
    series: str = ""
    panel: str | tuple[str, ...] = ()
    where: dict[str, Value | tuple[Value, ...]] = {}
    levels: dict[str, tuple[Value, ...]] = {}
    log: Literal["", "x", "y", "xy"] = ""


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Values that a document states, drawn as hollow marks next to ours and never in a series with them.

    Parameters
    ----------
    source
        Where in the document, such as ``table 3, first row``.
    y
        The expression of a `Show` that they compare with; empty for a statement.
    values
        Rows of axis values and the value with its unit: ``{ "protocol" = "UDP", value = "35 ms" }``, or a range as
        ``low`` and ``high``; ``plus_minus`` gives a half width.
    order
        Of bars whose heights are not stated: labels, or tables of axis values, from the least to the largest ``y``.
    text
        A statement as text, when there is neither a number nor an order.
    n
        Number of packets or repeats that a value is computed from, where it is stated.
    differs
        What is different there: boards, systems, settings.
    """

    source: str
    y: str = ""
    values: tuple[dict[str, Value], ...] = ()
    order: tuple[dict[str, Value], ...] = ()
    text: str = ""
    n: int | None = None
    differs: str = ""
