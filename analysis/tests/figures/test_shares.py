"""Budgets, plates, and figures of quantities and probes: what is drawn where, for values that are known."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import evaluations
import numpy as np
import pytest
from drawnaxes import bare, bars, limits, lines, names, texts, ticks
from matplotlib.text import Text

from gpiorig.analysis.delays.budget import Group, Part
from gpiorig.analysis.figures import budget, narrow, plates, probe_effect, quantities, style
from gpiorig.analysis.figures.palette import KIND_COLOURS, PAPER, SERIES
from gpiorig.analysis.packets.path import DIRECTIONS, REPLY, REQUEST, TURN_AROUND, Kind, Milestone, Source
from gpiorig.analysis.packets.steps import Step, Steps
from gpiorig.analysis.probe_effect.delays import PINS, ROUND_TRIP
from gpiorig.analysis.probe_effect.effect import Effect
from gpiorig.analysis.quantities.kinds import Unit
from gpiorig.analysis.statistics.intervals import Interval

NAN = math.nan
ABOUT = evaluations.about(evaluations.one_way(packets=60))


def interval(value, low=NAN, high=NAN):
    return Interval(value, low, high, "made up")


def groups(*shares):
    """By kind: share in the mean, the variance and the tail."""
    return tuple(Group(kind, (0,), *(interval(share) for share in three)) for kind, *three in shares)


def numbers_of(budgeted, **total):
    known = {"mean_ns": 2000.0, "std_ns": 50.0, "n": 100} | total
    return replace(ABOUT.numbers, budget=budgeted, total=replace(ABOUT.numbers.total, **known))


def test_bars_of_the_kinds():
    """One after the other from 0, negative ones to the left of it; the text of a share that has room, with the time."""
    shares = groups((Kind.SOFTWARE, 0.5, 1.2, 0.7), (Kind.DRIVER, 0.02, -0.15, 0.0), (Kind.AIR, 0.48, -0.05, 0.3))
    budgeted = replace(ABOUT.budget, by_kind=shares, tail_packets=4)
    ax = bare()
    budget.bars(ax, numbers_of(budgeted), budgeted)
    found = [[round(left, 9), round(foot + 0.33, 9), round(width, 9)] for left, foot, width, _ in bars(ax)]
    assert [[0, 0, 0.5], [0.5, 0, 0.02], [0.52, 0, 0.48]] == found[:3]
    assert [[0, 1, 1.2], [-0.15, 1, 0.15], [-0.2, 1, 0.05]] == found[3:6]
    assert [[0, 2, 0.7], [0.7, 2, 0], [0.7, 2, 0.3]] == found[6:]
    words = [("50 %\n1.00 µs", 0.25, 0), ("48 %\n960 ns", 0.76, 0), ("120 %", 0.6, 1)]
    words += [("\N{MINUS SIGN}15 %", -0.075, 1), ("70 %", 0.35, 2), ("30 %", 0.85, 2)]
    assert words == [(text, round(x, 6), y) for text, x, y in texts(ax)]
    assert ["mean\n2.00 µs", "variance\nstd 50.0 ns", "tail\nslowest 4"] == names(ax)
    assert [-0.2, 1.2, 2.5, -0.5] == pytest.approx(limits(ax))
    assert ["25 %"] == ticks(ax, 0.25)


@pytest.mark.parametrize(("share", "drawn"), [(0.0755, False), (0.0770, True)])
def test_a_share_needs_room_for_its_text(share, drawn):
    """0.0127 of the axes for each letter, and one more: 0.076 for "7.6 %"."""
    budgeted = replace(ABOUT.budget, by_kind=groups((Kind.SOFTWARE, 0.5, share, 0.0)))
    budget.bars(ax := bare(), numbers_of(budgeted), budgeted)
    assert drawn == bool([text for text in texts(ax) if text[2] == 1])


def test_the_steps_divide_the_bar_of_their_kind():
    """Where several of them have a part that can be seen, and all are seen."""
    steps = evaluations.one_way(("a", "b", "c")).steps.steps
    variance = tuple(interval(share) for share in (0.0, 0.6, 0.0, 0.0, 0.0, 0.39, 0.01, 0.0))
    of = (Group(Kind.RADIO_WAIT, (1, 5), interval(1.0), interval(0.99), interval(1.0)),)
    budgeted = replace(ABOUT.budget, steps=steps, variance=variance, tail=variance, by_kind=of)
    budget.bars(ax := bare(), numbers_of(budgeted), budgeted)
    assert [("a to b 60 %", 0.3, 1), ("b to c 39 %", 0.795, 1)] == [
        (text, round(x, 6), y) for text, x, y in texts(ax) if y == 1
    ]
    assert ["100 %"] == [text for text, _, y in texts(ax) if y == 2]  # the tail: 1 % is of neither step


def test_a_part_that_repeats_its_step_is_in_its_name():
    """As the shares are written; of other parts each has a row."""
    part = Part("backoff", 1, 50, 1.0, interval(0.5), interval(0.5), interval(0.25))
    for share, labels in (
        (0.5004, ["a to b radio wait, a: backoff"]),
        (0.51, ["a to b radio wait, a", f"{budget.INDENT}backoff"]),
    ):
        shares = tuple(interval(value) for value in (0.0, share, 0.0, 0.0))
        tails = tuple(interval(value) for value in (0.0, 0.25, 0.0, 0.0))
        budgeted = replace(ABOUT.budget, variance=shares, tail=tails, parts=(part,))
        assert labels == [row.label for row in budget.shown(budgeted)]


def test_bars_that_are_not_known():
    """Of one packet there is no variance and no tail; of equal delays no shares in them; without a budget no tail."""
    unknown = groups((Kind.SOFTWARE, 1.0, NAN, NAN))
    equal = replace(ABOUT.budget, by_kind=unknown)
    for total, variances, expected in (
        ({"n": 1}, [NAN], "one packet does not vary"),
        ({"n": 2}, [NAN], f"not resolved: all delays are equal within {ABOUT.numbers.resolution_text}"),
        ({"n": 2}, [1.0], "no tail: too few packets, or too few different delays"),
    ):
        ax = bare()
        budget.bars(ax, replace(numbers_of(equal, **total), variances=np.array(variances)), equal)
        rows = 2 if total["n"] == 1 else 3
        assert [(expected, 0.5, y) for y in range(1, rows)] == texts(ax)[1:]
        assert rows == len(names(ax)) and ("std" in names(ax)[1]) == (rows == 3)
    budget.bars(ax := bare(), numbers_of(equal), None)
    assert 2 == len(names(ax))


def test_steps_that_matter():
    """The largest twelve of 1 % or more, in the order of the path, each with its parts of 1 % or more below it."""
    step = ABOUT.budget.steps[0]
    sizes = [0.01, 0.0099, -0.3, *[0.02] * 12]
    shares = tuple(interval(size) for size in sizes)
    parts = tuple(
        Part(name, 2, 3, 0.0, interval(NAN), interval(size), interval(NAN))
        for name, size in (("p", 0.01), ("q", 0.009))
    )
    many = replace(ABOUT.budget, steps=(step,) * 15, variance=(interval(0.0),) * 15, tail=shares, parts=parts)
    rows = budget.shown(many)
    assert [0.3, 0.01] + [0.02] * 11 == [row.size for row in rows]
    assert "\N{EN DASH} p" == rows[1].label
    few = replace(many, steps=(step,) * 2, variance=shares[:2], tail=(interval(NAN),) * 2, parts=())
    assert [0.01] == [row.size for row in budget.shown(few)]


def test_intervals_of_shares():
    """A dot above for the variance, a hollow one below for the tail, with the interval where it has both ends."""
    steps = ABOUT.budget.steps[:2]
    variance, tail = (interval(0.5, 0.4, 0.7), interval(0.6, 0.5)), (interval(0.3), interval(0.2, 0.1, 0.3))
    ax = bare()
    budget.intervals(ax, replace(ABOUT.budget, steps=steps, variance=variance, tail=tail, parts=()))
    expected = [([0.4, 0.7], [-0.16] * 2), ([0.5], [-0.16]), ([0.6], [0.84]), ([0.3], [0.16])]
    expected += [([0.1, 0.3], [1.16] * 2), ([0.2], [1.16]), ([0, 0], [0, 1])]
    assert expected == lines(ax)
    assert PAPER == ax.lines[3].get_markerfacecolor() != ax.lines[1].get_markerfacecolor()
    assert [1.5, -0.5] == limits(ax)[2:]
    assert ["25 %"] == ticks(ax, 0.25)
    alone = replace(ABOUT.budget, steps=steps, variance=variance, tail=(interval(NAN),) * 2, parts=())
    budget.intervals(ax := bare(), alone)
    assert 1 == len(ax.get_legend().get_texts())


def with_ranges(*ranges):
    """Numbers of a route whose steps vary by so many samples."""
    route = ABOUT.numbers.route
    samples = np.array([[100] * len(ranges), [100 + size for size in ranges]])
    steps = Steps(route.steps.steps[:1] * len(ranges), np.arange(2), samples, Fraction(1_000_000))
    return replace(ABOUT.numbers, route=replace(route, steps=steps))


def test_steps_that_make_the_jitter():
    """By more than 2 samples and 2 % of the widest, at most five, the widest first."""
    assert [1, 3] == plates.varying_steps(with_ranges(2, 200, 3, 4))
    assert [0] == plates.varying_steps(with_ranges(3, 2))
    assert [] == plates.varying_steps(with_ranges(2, 2))
    assert [6, 5, 4, 3, 2] == plates.varying_steps(with_ranges(*range(10, 17)))


def test_distribution_functions_of_steps():
    """Each above its own minimum, in ms."""
    ax = bare()
    plates.step_ecdfs(ax, with_ranges(7, 200), [1])
    assert [([0, 0, 0.2], [0, 0.5, 1])] == lines(ax)
    assert KIND_COLOURS[ABOUT.numbers.route.steps.steps[0].kind] == ax.lines[0].get_color()
    assert ["20 µs", "0"] == ticks(ax, 0.02, 0)


def test_runs_over_each_other():
    """Each with its own period, in ms; the boxes below, one under another."""
    delays = {"r": (np.array([1000, 3000]), 1000.0), "s": (np.array([10]), 100_000.0)}
    above, below = plates.overlaid(delays, noun="delay", virtual=False).axes
    assert [([1, 1, 3], [0, 0.5, 1]), ([1, 1], [0, 1])] == lines(above)
    assert [([1, 3], [0, 0]), ([1, 1], [1, 1])] == [lines(below)[0], lines(below)[4]]
    assert [1.6, -0.6] == limits(below)[2:] and ["r", "s"] == names(below)


def milestone(direction, name):
    return Milestone(name, "app.tx.enter", direction, False, Source.ID)


def test_steps_of_a_round_trip_are_in_two_columns():
    """The request at the left, the reply at the right, each step in its row; the turn-around comes last."""
    request, reply = (
        [Step(DIRECTIONS[way], name, milestone(way, "a"), milestone(way, "b"), Kind.SOFTWARE, ("a",)) for name in "xy"]
        for way in (REQUEST, REPLY)
    )
    turn = Step(TURN_AROUND, "turn", milestone(REQUEST, "b"), milestone(REPLY, "a"), Kind.APPLICATION, ("b",))
    samples = np.array([[1, 2, 3, 4, 5], [2, 3, 4, 5, 6]])
    table = Steps((*request, turn, *reply), np.arange(2), samples, Fraction(1_000_000))
    summaries = tuple(replace(ABOUT.numbers.steps[0], median_ns=1000.0 * n) for n in range(1, 6))
    numbers = replace(ABOUT.numbers, route=replace(ABOUT.numbers.route, steps=table), steps=summaries)
    left, right = plates.steps(numbers, virtual=False).axes
    assert ["Request", "Reply"] == [ax.get_title(loc="left") for ax in (left, right)]
    medians = [[(text.split(" ")[0], y) for text, _, y in texts(ax)[:-1]] for ax in (left, right)]
    assert [[("1.00", 0), ("2.00", 1), ("3.00", 2)], [("4.00", 0), ("5.00", 1)]] == medians
    assert 3 == len(names(left)) and ["", "", ""] == names(right)
    assert 10.5 == left.figure.get_figwidth()
    with style.narrow():
        above, below = plates.steps(numbers, virtual=False).axes
        assert names(above) == names(below) != ["", "", ""]
        legend = style.legend_height(numbers.kinds)
        assert legend + 2 * (1.4 + 0.175 * 3) == pytest.approx(above.figure.get_figheight())
    (single,) = plates.steps(ABOUT.numbers, virtual=False).axes
    assert ("", style.REPORT_WIDE) == (single.get_title(loc="left"), single.figure.get_figwidth())


def test_effects_of_probes():
    """In µs above the extrapolation to no probes, with its interval; delays on the pins are left out."""
    medians = {"off": 1000.0, "normal": 5000.0, "doubled": 8000.0}
    trip = Effect(ROUND_TRIP, "a", "log", 12, 9, medians, 3000.0, 2500.0, 4000.0, 3500.0, 1.0)
    other = replace(trip, name="send call", events=0)
    meter = SimpleNamespace(effects=[other, trip, replace(trip, source=PINS)])
    figure = probe_effect.steps(meter, virtual=False)
    (ax,) = figure.axes
    by_label = {line.get_label(): place for line, place in zip(ax.lines, lines(ax), strict=True)}
    assert ([-1, -1], [1, 0]) == by_label["off"] and ([3, 3], [1, 0]) == by_label["normal"]
    assert [([-1, 0.5], [1, 1]), ([-1, 0.5], [0, 0])] == lines(ax)[4:6]
    assert ["send call", f"{ROUND_TRIP} (12)"] == names(ax)
    assert "12 events add 3 µs to a round trip of 0.00 ms; the extrapolation is off by +0.5 µs" == figure.get_suptitle()
    unknown = replace(trip, events=0, true_cost_ns=NAN)
    title = probe_effect.steps(SimpleNamespace(effects=[other, unknown]), virtual=False).get_suptitle()
    assert title.startswith("Probes add") and title.endswith("ms")


def values_of(node, values, *, weights=None, lacking=0, unit=Unit.TIME):
    quantity = SimpleNamespace(kind=SimpleNamespace(unit=unit), name="rtt")
    return SimpleNamespace(
        node=node, values=np.array(values), scale=Fraction(1000), weights=weights, lacking=lacking, quantity=quantity,
        interval=lambda name: interval(float(np.median(values)) * 1000),
    )  # fmt: skip


def test_a_curve_for_each_node():
    """In the unit of the quantity; of weighted values the share of the time; the conclusion has two medians."""
    ax = bare()
    quantities.ecdf(ax, [values_of("a", [3, 1]), values_of("b", [])])
    assert [([1000, 1000, 3000], [0, 0.5, 1])] == lines(ax)
    assert ("Median: a 2.0000 µs", "share at or below") == (ax.get_title(loc="center"), ax.get_ylabel())
    assert ["2 µs", "0"] == ticks(ax, 2000, 0)
    weighted = [values_of(name, [3, 1], weights=np.array([1, 3]), lacking=2) for name in "abc"]
    quantities.ecdf(ax := bare(), weighted)
    assert ([1000, 1000, 3000], [0, 0.75, 1]) == lines(ax)[0]
    assert "share of time at or below" == ax.get_ylabel()
    assert ax.get_title(loc="center").endswith("b 2.0000 µs … (6 values lacking)")
    quantities.ecdf(ax := bare(), [values_of(str(n), [n]) for n in range(len(SERIES) + 2)])
    assert 8 == len(ax.lines)
    styles = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert 8 == len(styles)
    quantities.ecdf(ax := bare(), weighted[:2])
    assert "…" not in ax.get_title(loc="center")


def test_room_on_a_narrow_screen():
    """A line of the legend is 0.17 inches; rows grow with the lines of their names; the tag keeps its distance."""
    with style.narrow(), style.paper():
        figure = style.new_figure(height=3.0, virtual=True)
        ax = figure.subplots()
        for n in range(4):
            ax.plot([0, 1], [n, n], label=f"{'c' * 14}{n}")
        ax.set_yticks([0, 1], ["short", "a name of more letters than a line has, which are 22 of them"])
        ax.legend()
        narrow.fit(figure)
        columns = int(style.NARROW / (0.5 + 0.079 * 15))
        assert (2, columns) == (columns, figure.legends[0]._ncols)
        assert 9 == min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text())
        longest = max(name.count("\n") + 1 for name in names(ax))
        assert 3.0 + (0.15 * longest - 0.22) * 2 + 0.1 + 0.17 * 2 == pytest.approx(figure.get_figheight())
        (tag,) = figure.texts
        assert 0.06 == pytest.approx(tag.get_position()[1] * figure.get_figheight())
