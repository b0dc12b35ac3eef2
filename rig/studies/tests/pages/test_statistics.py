"""Statistics over repeats against plain formulas."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import studycases
from scipy import stats

from gpiorig.analysis.quantities import values
from gpiorig.analysis.statistics import intervals
from gpiorig.studies.pages import bounds, expressions, statistics

RNG = np.random.default_rng(5)


def points(runs, *, states=()):
    """One combination with a repeat for each run of round-trip times."""
    return [
        studycases.point(
            {"payload": 20},
            studycases.table(studycases.rows("rtt", run)),
            repeat=number,
            state=states[number] if number < len(states) else "done",
            reason="check failed" if number < len(states) and states[number] != "done" else "",
        )
        for number, run in enumerate(runs)
    ]


def estimate(text, runs, **more):
    (cell,) = statistics.estimate(expressions.parse(text, {}), points(runs, **more))
    return cell


def test_mean_and_spread_of_repeats():
    """The statistic is computed in each repeat; the interval is that of a mean that cannot be negative."""
    runs = [1e6 * RNG.random(50) for _ in range(5)]
    p2p = np.array([run.max() - run.min() for run in runs]) * 1e-9
    got = estimate("rtt.p2p", runs).estimate
    assert (pytest.approx(p2p.mean()), pytest.approx(p2p.std(ddof=1))) == (got.value, got.sd)
    factor = math.exp(stats.t.ppf(0.975, 4) * math.sqrt(math.log1p((stats.sem(p2p) / p2p.mean()) ** 2)))
    assert (pytest.approx(p2p.mean() / factor), pytest.approx(p2p.mean() * factor)) == (got.low, got.high)
    assert "log-normal mean, Student's t" == got.method
    assert (5, 5, (50, 50), "") == (got.repeats, got.asked, got.n, got.note)


def test_nothing_is_pooled():
    """The median of repeats of unequal length is the mean of the medians, not that of all packets."""
    got = estimate("rtt.median", [np.full(10, 1e6), np.full(1000, 3e6)]).estimate
    assert pytest.approx(2e-3) == got.value
    assert (10, 1000) == got.n


def test_two_repeats_have_a_spread_and_no_interval():
    """From three repeats on there is an interval."""
    got = estimate("rtt.max", [[1e6, 2e6], [1e6, 4e6]]).estimate
    assert (pytest.approx(3e-3), pytest.approx(math.sqrt(2) * 1e-3)) == (got.value, got.sd)
    assert math.isnan(got.low) and math.isnan(got.high)


def test_one_run_has_its_own_interval():
    """With one repeat the interval is that of the run, and a sentence states what it does not know."""
    run = 1e6 * RNG.random(200)
    own = intervals.for_statistic(run, "median", unit=1e-9)
    got = estimate("rtt.median", [run]).estimate
    assert (own.value, own.low, own.high) == (got.value, got.low, got.high)
    assert statistics.ONE_RUN in got.note
    assert math.isnan(got.sd)
    difference = estimate("rtt.p99 - rtt.p1", [run]).estimate
    assert math.isnan(difference.low) and "no interval within a run" in difference.note


@pytest.mark.parametrize(("hits", "n"), [(0, 100), (3, 100), (100, 100), (1, 7)])
def test_a_share_of_one_run_is_clopper_and_pearson(hits, n):
    """The interval of a share equals scipy's exact one."""
    exact = stats.binomtest(hits, n).proportion_ci(0.95, "exact")
    outcomes = np.arange(n) < hits
    table = studycases.table(studycases.rows("loss", outcomes, unit="share"))
    (cell,) = statistics.estimate(expressions.parse("loss", {}), [studycases.point({}, table)])
    assert (pytest.approx(exact.low), pytest.approx(exact.high)) == (cell.estimate.low, cell.estimate.high)
    assert hits / n == cell.estimate.value == intervals.for_share(hits, n, what="packets").value


@pytest.mark.parametrize(
    ("text", "runs", "within"),
    [
        ("rtt.p2p", [[0, 4.48e6], [0, 4.48e6], [0, 14.5e6]], (0, math.inf)),
        ("gap error of radio.tx_start.iqr", [[0, 1], [0, 1], [0, 300e3]], (0, math.inf)),
        ("gap error of radio.tx_start.median", [[-10], [20], [-1000]], (-math.inf, math.inf)),
        ("duty of radio", [[0.002], [0.004], [0.5]], (0, 1)),
    ],
)
def test_intervals_stay_within_what_a_quantity_can_be(text, runs, within):
    """A duration is not negative, a share is between 0 and 1; an error may be negative, its spread may not."""
    expression = expressions.parse(text, {})
    unit = "share" if "duty" in text else "ns"
    content = [studycases.table(studycases.rows(expression.terms[0].quantity, run, unit=unit)) for run in runs]
    given = [studycases.point({}, table, repeat=number) for number, table in enumerate(content)]
    (cell,) = statistics.estimate(expression, given)
    assert within[0] <= cell.estimate.low < cell.estimate.value < cell.estimate.high <= within[1]
    if within[0] < 0:
        assert cell.estimate.low < 0 and "Student's t" == cell.estimate.method


def test_packets_that_were_never_lost_have_the_exact_interval():
    """No loss in 3 x 100 packets is not a loss of 0 to 0 %; repeats that differ more than chance are wider."""
    given = [
        studycases.point({}, studycases.table(studycases.rows("loss", np.zeros(100), unit="share")), repeat=number)
        for number in range(3)
    ]
    (cell,) = statistics.estimate(expressions.parse("loss", {}), given)
    assert (0, pytest.approx(stats.binomtest(0, 300).proportion_ci(0.95, "exact").high)) == (
        cell.estimate.low,
        cell.estimate.high,
    )
    uneven = [np.arange(100) < lost for lost in (0, 0, 60)]
    given = [
        studycases.point({}, studycases.table(studycases.rows("loss", run, unit="share")), repeat=number)
        for number, run in enumerate(uneven)
    ]
    (cell,) = statistics.estimate(expressions.parse("loss", {}), given)
    assert stats.binomtest(60, 300).proportion_ci(0.95, "exact").high < cell.estimate.high < 1


def test_failed_points_are_in_no_mean():
    """A mean over fewer repeats states so, with the reasons."""
    cell = estimate("rtt.max", [[1e6, 2e6], [1e6, 9e6], [1e6, 4e6]], states=("done", "failed", "done"))
    assert pytest.approx(3e-3) == cell.estimate.value
    assert "2 of 3 repeats" in cell.estimate.note
    assert "repeat 1 failed: check failed" == cell.trouble
    assert cell.failed


def test_a_combination_without_a_value():
    """Without a repeat that is done an estimate is missing, and the reasons remain."""
    cell = estimate("rtt.max", [[1e6], [1e6]], states=("failed", "missing"))
    assert cell.estimate is None
    assert "repeat 0 failed: check failed; repeat 1 missing: check failed" == cell.trouble


def test_a_repeat_without_values_is_not_in_the_mean():
    """All packets of a repeat are lost: its round-trip time is not zero, it is absent."""
    cell = estimate("rtt.max", [[1e6, 2e6], []])
    assert (pytest.approx(2e-3), 1, 2) == (cell.estimate.value, cell.estimate.repeats, cell.estimate.asked)
    assert "repeat 1 without a value: no values of `rtt`." == cell.trouble


def test_equal_repeats_have_no_spread():
    """Their mean in floating point is another number than each of them."""
    runs = [[5e4, 5e4]] * 7
    got = estimate("rtt.mean", runs).estimate
    assert 0 < np.std(got.of_repeats, ddof=1)
    assert 0 == got.sd


def test_what_all_values_may_be_off_is_in_every_interval():
    """Repeats do not narrow it, a sum has that of both sides, and a verdict that hangs on it cannot be judged."""
    name = "estimated power"
    tables = [studycases.rows(name, [0.030 + 0.001 * number], unit="W") for number in range(3)]
    doubts = json.dumps({f"{name} at initiator": 0.002})
    runs = [part.replace_schema_metadata({values.DOUBTS: doubts}) for part in tables]
    several = [studycases.point({"payload": 20}, run, repeat=number) for number, run in enumerate(runs)]
    plain = [studycases.point({"payload": 20}, run, repeat=number) for number, run in enumerate(tables)]
    (exact,), (wide,) = (statistics.estimate(expressions.parse(name, {}), of) for of in (plain, several))
    assert (0.0, 0.002) == (exact.estimate.doubt, pytest.approx(wide.estimate.doubt))
    assert pytest.approx(exact.estimate.low - 0.002) == wide.estimate.low
    assert pytest.approx(exact.estimate.high + 0.002) == wide.estimate.high
    (single,) = statistics.estimate(expressions.parse(name, {}), several[:1])
    assert (pytest.approx(0.028), pytest.approx(0.032)) == (single.estimate.low, single.estimate.high)
    (both,) = statistics.estimate(expressions.parse(f"{name} + {name}", {}), several)
    assert pytest.approx(0.004) == both.estimate.doubt
    (ratio,) = statistics.estimate(expressions.parse(f"{name} / {name}", {}), several)
    assert pytest.approx(np.mean([2 * 0.002 / watts for watts in (0.030, 0.031, 0.032)])) == ratio.estimate.doubt
    why = bounds.undecided(wide.estimate.interval, [wide.estimate], 0.001)
    assert "2.0 mW of it are what each value may be off" in why
