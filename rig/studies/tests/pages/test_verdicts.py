"""Verdicts: each kind on values that agree, on values that do not, and on values that decide nothing."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import studycases
from scipy import stats

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.statistics import effects
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.studies.pages import bounds, marks, published, verdicts
from gpiorig.studies.pages.description import Published, Rule, Show
from gpiorig.studies.pages.judgements import DISAGREES, ORDER, SHAPE, SIZE, UNJUDGED

MS = 1e6  # ns


def study(of_points, *statements, **more):
    """A study with a round trip of these ms for each repeat of each combination."""
    points = [
        studycases.point(dict(at), studycases.table(studycases.rows("rtt", [ms * MS])), repeat=repeat)
        for at, runs in of_points.items()
        for repeat, ms in enumerate(runs)
    ]
    return studycases.study((Show("table", ("rtt.median",)),), points, published=statements, **more)


def at(**axes):
    return tuple(axes.items())


def stated(**more):
    return Published("table 1", **({"y": "rtt.median"} | more))


def verdict(results):
    (expectation,) = verdicts.of_study(results)
    return expectation.verdict


def why(results):
    (expectation,) = verdicts.of_study(results)
    return expectation.decisive


@pytest.mark.parametrize(
    ("row", "within", "expected"),
    [
        ({"value": "14 ms"}, "", (13.5e-3, 14.5e-3)),
        ({"value": "4.50 ms"}, "", (4.495e-3, 4.505e-3)),
        ({"value": "160 us"}, "", (159.5e-6, 160.5e-6)),
        ({"value": "~160 us"}, "", (155e-6, 165e-6)),
        ({"value": "~100 us"}, "", (50e-6, 150e-6)),
        ({"value": "~4.5 ms"}, "", (4.45e-3, 4.55e-3)),
        ({"value": "1.56e-3"}, "", (1.555e-3, 1.565e-3)),
        ({"value": "6 ms", "plus_minus": "2 ms"}, "", (4e-3, 8e-3)),
        ({"value": "80 %"}, "", (0.795, 0.805)),
        ({"value": "10 ms"}, "25 %", (7.5e-3, 12.5e-3)),
        ({"value": "10 ms"}, "1 us", (9.999e-3, 10.001e-3)),
        ({"low": "0 %", "high": "1 %"}, "", (0, 0.01)),
    ],
)
def test_what_agrees_follows_from_the_digits_that_are_printed(row, within, expected):
    """Half a unit of the last digit, a stated bound, or the ends of a range."""
    limits = bounds.bounds(row, within=within)
    assert (pytest.approx(expected[0]), pytest.approx(expected[1])) == (limits.least, limits.most)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([14.0, 14.1, 14.2], SIZE),
        ([13.0, 13.01, 13.02], DISAGREES),
        ([14.2, 14.5, 14.8], UNJUDGED),  # the interval is over the bound of 14.5 ms
        ([14.5, 14.51, 14.49], UNJUDGED),  # its middle is on it
        ([14.0], UNJUDGED),  # one run of one value
        ([14.0, 14.0], UNJUDGED),
        ([14.0, 14.0, 14.0], SIZE),
    ],
)
def test_a_size_agrees_if_all_of_the_interval_does(runs, expected):
    """An interval that straddles a bound decides nothing, nor does a value without one."""
    assert expected == verdict(study({at(): runs}, stated(values=({"value": "14 ms"},))))


def test_repeats_that_would_decide_are_computed():
    """As many as bring the upper end below the bound, if it shrinks as Student's does."""
    runs = [14.2, 14.3, 14.6]
    text = why(study({at(): runs}, stated(values=({"value": "14 ms"},))))
    mean, widths = sum(runs) / 3, {n: stats.t.ppf(0.975, n - 1) / math.sqrt(n) for n in range(3, 99)}
    above = mean * math.exp(stats.t.ppf(0.975, 2) * math.sqrt(math.log1p((stats.sem(runs) / mean) ** 2))) - mean
    needed = next(n for n in widths if above * widths[n] / widths[3] < 14.5 - mean)
    assert f"about {needed} repeats would decide" in text
    assert "3 repeats give one" in why(study({at(): [14.0]}, stated(values=({"value": "14 ms"},))))
    assert "more than 1000 repeats" in why(study({at(): [14.0, 14.5, 15.0]}, stated(values=({"value": "14 ms"},))))


def curve(*runs, values=("10 ms", "20 ms", "40 ms")):
    """Published values over the rate, and here these repeats."""
    rows = tuple({"rate": rate, "value": value} for rate, value in zip((0, 5, 10), values, strict=True))
    of_points = {at(rate=rate): of for rate, of in zip((0, 5, 10), runs, strict=True)}
    return study(of_points, stated(values=rows, along="rate"))


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        (([10, 10, 10.1], [20, 20, 20.1], [40, 40, 40.1]), SIZE),
        (([5, 5, 5], [10, 10, 10], [20, 20, 20]), SHAPE),
        (([5, 5, 5], [6, 6.1, 6], [7, 7, 7.1]), ORDER),
        (([5, 5, 5], [6, 6.1, 6], [4, 4, 4.1]), DISAGREES),
        (([5, 5, 5], [3, 7, 9], [4, 8, 9]), UNJUDGED),
    ],
)
def test_a_curve_agrees_in_size_in_shape_or_in_order(runs, expected):
    """The first of the three in which all of it does; the numbers of the growth are stated."""
    results = curve(*runs)
    assert expected == verdict(results)
    assert "growth" in why(results) and "published 1.857 to 2.158" in why(results)


def rule(kind, **more):
    return stated(y="", text="a claim", rule=(Rule(kind, "rtt.median", **more),))


TWO = {at(method="A"): [2, 2.02, 2.01], at(method="B"): [10, 10.1, 10.2]}


@pytest.mark.parametrize(
    ("of_points", "claim", "expected"),
    [
        ({at(): [7, 7.1, 7]}, rule("range", high="9 ms"), SIZE),
        ({at(): [7, 7.1, 7]}, rule("range", high="6 ms"), DISAGREES),
        ({at(): [7, 7.1, 9]}, rule("range", high="8 ms"), UNJUDGED),
        (TWO, rule("ratio", at={"method": "B"}, over={"method": "A"}, low=2, high=10), SIZE),
        (TWO, rule("ratio", at={"method": "B"}, over={"method": "A"}, low=6), DISAGREES),
        (TWO, rule("ratio", at={"method": "B"}, over={"method": "A"}, low=5.03), UNJUDGED),
        (TWO | {at(method="A"): [0] * 3}, rule("ratio", at={"method": "B"}, over={"method": "A"}, low=2), UNJUDGED),
        ({at(rate=0): [0] * 3, at(rate=1): [0] * 3}, rule("independence", along="rate", within="10 %"), SHAPE),
        (TWO, rule("monotony", along="method"), ORDER),
        (TWO, rule("monotony", along="method", direction="falling"), DISAGREES),
        ({at(rate=0): [5, 6, 5], at(rate=1): [6, 7, 5.2]}, rule("monotony", along="rate"), UNJUDGED),
        ({at(rate=0): [5, 5, 5], at(rate=1): [5, 5, 5]}, rule("monotony", along="rate"), DISAGREES),
        ({at(rate=0): [5, 5, 5.01], at(rate=1): [5.2] * 3}, rule("independence", along="rate", within="10 %"), SHAPE),
        (TWO, rule("independence", along="method", within="10 %"), DISAGREES),
        ({at(rate=0): [5, 5, 5], at(rate=1): [5, 5, 9]}, rule("independence", along="rate", within="10 %"), UNJUDGED),
    ],
)  # fmt: skip
def test_rules_of_statements(of_points, claim, expected):
    """Range, ratio, monotony and independence, each with values that break it."""
    assert expected == verdict(study(of_points, claim))


def test_an_order_disagrees_only_beyond_the_intervals():
    """Reversed values whose difference may be chance decide nothing."""
    ends = ({"method": "A"}, {"method": "B"})
    assert ORDER == verdict(study(TWO, stated(order=ends)))
    assert DISAGREES == verdict(study(TWO, stated(order=ends[::-1])))
    close = {at(method="A"): [5.1, 6, 5], at(method="B"): [5, 5.5, 5.2]}
    assert UNJUDGED == verdict(study(close, stated(order=ends)))
    assert "A ? < B" in why(study(close, stated(order=ends)))


def test_repeats_are_compared_in_pairs():
    """Repeats of a number have equal seeds: what they share does not hide a small difference, or that there is none."""
    ends = ({"method": "A"}, {"method": "B"})
    shared = {at(method="A"): [5, 7, 9], at(method="B"): [5.2, 7.3, 9.2]}
    assert ORDER == verdict(study(shared, stated(order=ends)))
    equal = {at(method="A"): [5, 7, 9], at(method="B"): [5, 7, 9]}
    assert DISAGREES == verdict(study(equal, stated(order=ends)))
    assert SHAPE == verdict(study(equal, rule("independence", along="method", within="1 %")))
    missing = study(shared, stated(order=ends))
    failed = dataclasses.replace(missing.points[-1], state="failed")
    missing = dataclasses.replace(missing, points=[*missing.points[:-1], failed])
    assert UNJUDGED == verdict(missing)
    by_pairs = effects.paired_ratio(np.array([5.0, 7, 9]), np.array([5.2, 7.3, 9.2]))
    value = 21.7 / 21
    error = stats.sem(np.array([5.2, 7.3, 9.2]) - value * np.array([5.0, 7, 9])) / 7
    factor = math.exp(stats.t.ppf(0.975, 2) * error / value)
    assert (pytest.approx(value), pytest.approx(value / factor), pytest.approx(value * factor)) == (
        by_pairs.value,
        by_pairs.low,
        by_pairs.high,
    )


def test_what_is_not_there_cannot_be_judged():
    """A quantity that a point does not show, a value of an axis that was not recorded, another unit, no rule."""
    for statement, reason in (
        (stated(y="loss", values=({"value": "1 %"},)), "no values of `loss`"),
        (stated(values=({"method": "C", "value": "1 ms"},)), "not among the values here"),
        (stated(values=({"method": "A", "value": "1 %"},)), "the unit differs: published share, here s"),
        (stated(text="a scheme", cannot_be_judged="it has no number"), "it has no number"),
        (stated(text="a claim"), "the study file has no rule"),
    ):
        results = study(TWO, statement)
        assert UNJUDGED == verdict(results), statement
        assert reason in why(results)


def test_a_disagreement_is_never_hidden():
    """Of several combinations the weakest verdict counts; those of other systems stand beside it."""
    runs = {
        at(system="RIOT", rate=0): [14] * 3,
        at(system="RIOT", rate=1): [20] * 3,
        at(system="ours", rate=0): [1] * 3,
    }
    (expectation,) = verdicts.of_study(study(runs, stated(values=({"value": "14 ms"},)), subject={"system": ("RIOT",)}))
    assert ([SIZE, DISAGREES], [DISAGREES]) == tuple(
        [judgement.verdict for judgement in made] for made in (expectation.judgements, expectation.beside)
    )
    assert DISAGREES == expectation.verdict and "rate 1: 20" in expectation.decisive
    del runs[at(system="RIOT", rate=1)]
    assert SIZE == verdict(study(runs, stated(values=({"value": "14 ms"},)), subject={"system": ("RIOT",)}))
    (alone,) = verdicts.of_study(study(TWO, stated(values=({"value": "14 ms"},)), subject={"method": ("C",)}))
    assert UNJUDGED == alone.verdict


def test_a_statement_agrees_by_all_of_its_rules():
    """One that has no value leaves it open, one that disagrees makes it disagree."""
    near, far = Rule("range", "rtt.median", {"method": "A"}, high="3 ms"), Rule("range", "rtt.median", high="3 ms")
    absent = Rule("range", "rtt.median", {"method": "C"}, high="3 ms")
    for of_statement, expected in (((near,), SIZE), ((near, absent), UNJUDGED), ((near, far), DISAGREES)):
        assert expected == verdict(study(TWO, stated(y="", text="a claim", rule=of_statement)))


def test_a_quick_run_decides_nothing():
    """It states what its values would give."""
    results = study({at(): [14.0] * 3}, stated(values=({"value": "14 ms"},)), quick=True)
    assert UNJUDGED == verdict(results) and "its values would give: agrees in size" in why(results)
    assert SIZE == verdict(dataclasses.replace(results, quick=False))


def test_reasons_are_shown_of_a_disagreement_only():
    """What the study file has in store for one."""
    of = {"disagrees_because": "the payload is another", "decided_by": "a run with 99 bytes"}
    statement = stated(values=({"value": "14 ms"},), **of)
    assert [] == verdicts.disagreements(verdicts.of_study(study({at(): [14] * 3}, statement)))
    (text,) = verdicts.disagreements(verdicts.of_study(study({at(): [9] * 3}, statement)))
    assert "Most likely: the payload is another. It would be decided by: a run with 99 bytes." in text
    assert "14 ms, table 1" in text and "9.000 ms" in text


def test_a_mark_is_computed_from_values():
    """Every value in every repeat is ●; a point that is done without the quantity, a quick run and a part are ◐."""
    whole = study({at(): [14] * 3}, stated(values=({"value": "14 ms"},)))
    assert "●" == marks.state(whole)
    assert "◐" == marks.state(dataclasses.replace(whole, quick=True))
    assert "◐" == marks.state(dataclasses.replace(whole, partly="the second curve"))
    without = dataclasses.replace(whole.points[2], table=studycases.table(studycases.rows("other", [1.0])))
    assert "done" == without.state
    assert "◐" == marks.state(dataclasses.replace(whole, points=[*whole.points[:2], without]))
    absent = study(TWO, stated(values=({"method": "C", "value": "14 ms"},)))
    assert "◐" == marks.state(absent)
    assert "○" == marks.state(dataclasses.replace(whole, points=[without]))


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (stated(text="x", rule=(Rule("range", "rtt.median"),)), "rule `range`: give `low`, `high`"),
        (stated(text="x", rule=(Rule("ratio", "rtt.median", low=1),)), "rule `ratio`: give `low`, `high`, `over`"),
        (stated(text="x", rule=(Rule("monotony", "rtt.median", along="rate"),)), "no axis `rate`"),
        (stated(text="x", rule=(Rule("independence", "rtt.median", along="method", within="1 ms"),)), "give a share"),
        (stated(text="x", rule=(Rule("range", "rt.median", low=1),)), "rt.median"),
        (stated(rule=(Rule("range", "rtt.median", high="1 ms"),)), "a rule without a text"),
        (stated(values=({"value": "1 ms"},), cannot_be_judged="x"), "delete one"),
        (stated(values=({"value": "1 ms"},), within="25 %"), "belong together: `within`"),
        (stated(values=({"value": "1 ms"},), along="method"), "have no such axis"),
    ],
)
def test_statements_that_contradict_themselves_are_refused(statement, message):
    """With the source, and what to write."""
    with pytest.raises(QuantityError, match=message):
        published.check((statement,), {}, {"method": ("A", "B")})


def test_differences_and_ratios_of_intervals_by_hand():
    """Of symmetric intervals the half widths add in quadrature; of ratios on the scale of the logarithm."""
    base, new = Interval(10, 7, 13, "t"), Interval(20, 16, 24, "t")
    assert (10, pytest.approx(5), pytest.approx(15)) == (
        (apart := effects.difference(base, new)).value,
        apart.low,
        apart.high,
    )
    ratio = effects.ratio(base, new)
    low = math.log(2) - math.hypot(math.log(20 / 16), math.log(13 / 10))
    assert (2, pytest.approx(math.exp(low))) == (ratio.value, ratio.low)
    assert math.isnan(effects.ratio(Interval(0, 0, 1, "t"), new).value)
    assert math.isnan(effects.difference(Interval(1, math.nan, math.nan, "none"), new).low)
