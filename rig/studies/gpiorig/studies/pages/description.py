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
