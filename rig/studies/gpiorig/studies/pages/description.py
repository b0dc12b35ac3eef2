"""What a study shows, and what was published: tables of a study file (docs/reference/studies.md)."""

from __future__ import annotations

from typing import Literal

import msgspec

Number = int | float
Value = bool | int | float | str  # of an axis

ShowKind = Literal["line", "bars", "stack", "ecdf", "histogram", "box", "dots", "scatter", "table"]


class Show(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One figure or table of a study.

    Parameters
    ----------
    title
        Its heading.
    kind
        `line`: y over the axis `x`, a line per `series`, joined only where `x` has numbers. `bars`: grouped bars over
        `x`, a bar per `series`. `stack`: bars of the parts `y` on top of each other. `ecdf`: distribution functions of
        the values, a thin curve for each repeat. `histogram`: shares of the values in equal bins, the mean over the
        repeats of each. `box`: Tukey's boxes over `x`, one per `series`: quartiles and median, whiskers to the last
        value within 1.5 interquartile ranges, each the mean over the repeats, and the outliers of all repeats. `dots`:
        a dot per node; of a quantity without a statistic each value, in the order of time. `scatter`: each value of the
        earliest repeat, in the order of the packets, or with ``x = "time"`` over the time since the first. `table`: a
        row per combination of the axes.
    y
        Expressions: a statistic of a quantity or of its alias, as in ``rtt.p2p``, ``idt.p99 - idt.p1``, ``loss``; for
        `ecdf`, `histogram`, `box`, `dots` and `scatter` the quantity alone. Several make a panel each with a scale of
        its own, unless an axis is ``quantity``: then those of one unit share one scale. In `stack` they are the parts.
    x, series, panel
        Names of axes, of `series` and `panel` one or several; ``node`` is that of the nodes, ``quantity`` that of the
        expressions `y`. Those that are not named and have several values become panels.
    where
        Keeps the points with these values of an axis.
    levels
        Values of an axis that are drawn as lines across, not as series.
    log
        Axes of the figure that are logarithmic: ``x``, ``y`` or ``xy``.
    labels
        Own texts of expressions of `y` and of values of axes: ``{ "wait.mean" = "task A", "on" = "with CSMA" }``.
        Without one the legend has ``AXIS: VALUE``.
    x_title, y_title
        Own titles of the axes, without the unit of values.
    x_limits, y_limits
        Both ends of an axis: numbers, or of values texts with their unit, ``["0 ms", "20 ms"]``.
    """

    kind: ShowKind
    y: tuple[str, ...]
    title: str = ""
    x: str = ""
    series: str | tuple[str, ...] = ()
    panel: str | tuple[str, ...] = ()
    where: dict[str, Value | tuple[Value, ...]] = {}
    levels: dict[str, tuple[Value, ...]] = {}
    log: Literal["", "x", "y", "xy"] = ""
    labels: dict[str, str] = {}
    x_title: str = ""
    y_title: str = ""
    x_limits: tuple[Value, Value] | None = None
    y_limits: tuple[Value, Value] | None = None

    @property
    def curve_axes(self) -> tuple[str, ...]:
        """The axes of `series`."""
        return _names(self.series)

    @property
    def panel_axes(self) -> tuple[str, ...]:
        """The axes of `panel`."""
        return _names(self.panel)


def _names(axes: str | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(axis for axis in ((axes,) if isinstance(axes, str) else axes) if axis)


RuleKind = Literal["range", "ratio", "monotony", "independence"]


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a statement claims of the values here.

    Parameters
    ----------
    kind
        `range`: `y` is between `low` and `high`. `ratio`: `y` at the axis values `at`, over `y` at those of `over`, is
        between them. `monotony`: `y` is `rising` or `falling` along the axis `along`. `independence`: no two values of
        `y` along the axis `along` differ by more than the share `within` of the smaller one.
    y
        An expression, as in a `Show`.
    at, over
        Axis values; for each combination of the axes that are not named the rule is judged.
    low, high
        Amounts; a missing one bounds nothing.
    along
        An axis, or ``node``.
    direction
        `rising` or `falling`, in the order in which the study has the axis' values.
    within
        A share, such as ``"10 %"``.
    """

    kind: RuleKind
    y: str
    at: dict[str, Value] = {}
    over: dict[str, Value] = {}
    low: Value | None = None
    high: Value | None = None
    along: str = ""
    direction: Literal["rising", "falling"] = "rising"
    within: str = ""


class Original(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The document's own figure or table, for the gallery.

    Parameters
    ----------
    caption
        Its caption, as the document has it.
    drawn
        What is in it, by the caption and the text: axes, groups, kind of marks.
    """

    caption: str = ""
    drawn: str = ""


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a document states, with what counts as agreeing; values are drawn as hollow marks next to ours.

    Parameters
    ----------
    source
        Where in the document, such as ``table 3, first row``.
    y
        The expression of a `Show` that they compare with; empty for a statement.
    values
        Rows of axis values and the value with its unit: ``{ "protocol" = "UDP", value = "35 ms" }``, or a range as
        ``low`` and ``high``; ``plus_minus`` gives a half width. As it is printed: ``"~100 us"`` is "about 100 us".
    along
        The axis of a curve: rows that are equal but for it are judged together, by size, by shape or by order.
    within, within_reason
        How far a value here may be from `value`, a share of it (``"25 %"``; of a share points) or an amount (``"10
        us"``), and why; the reason is also that of the bounds of rules. Without it half a unit of the last digit that
        is printed; zeros at the end of "about 100 us" do not count.
    order
        Of bars whose heights are not stated: labels, or tables of axis values, from the least to the largest ``y``.
    text
        A statement as text. It is judged by the values, the order or the rules of the same table.
    rule
        What the statement claims; it agrees if all of them do.
    cannot_be_judged
        Why neither values nor an order nor a rule judges the statement.
    disagrees_because, decided_by
        Most likely reason of a disagreement, and the experiment that would decide it: shown only if there is one.
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
    along: str = ""
    within: str = ""
    within_reason: str = ""
    rule: tuple[Rule, ...] = ()
    cannot_be_judged: str = ""
    disagrees_because: str = ""
    decided_by: str = ""
