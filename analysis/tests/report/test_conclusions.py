"""Conclusions and delays: where their words change, at counts and shares on either side of each limit."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import evaluations
import numpy as np
import pytest
from reportcases import AIR, NAN, WAIT, attributed, data_of, finding, interval, routes_of, with_evaluation

from gpiorig.analysis.attribution.step_series import TOTAL
from gpiorig.analysis.delays.budget import Group, Part
from gpiorig.analysis.delays.radio_parts import PART_NAMES
from gpiorig.analysis.number_text import DASH
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.report import (
    blocks,
    conclusions,
    delays,
    texts,
)  # fmt: skip


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (interval(1.0, 0.9, 0.99), "100 % (90 to 99 %)"),
        (interval(1.01, 0.9, 0.99), "all of it"),
        (interval(0.995, 0.9, 1.01), "all of it"),
        (interval(0.995, 0.9, 1.0), "99.5 % (90 to 100 %)"),
        (interval(0.99, 0.9, 1.2), "99 % (90 to 120 %)"),
    ],
)
def test_a_share_of_nearly_all(share, expected):
    assert texts.capped_share(share).startswith(expected)


def test_a_time_with_one_end_has_no_interval():
    assert "5.00 µs" == texts.time_interval(interval(5000.0, low=4000.0)) == texts.time_interval(interval(5000.0))


@pytest.mark.parametrize(
    ("packets", "name"),
    [(2, "longest delay"), (99, "longest delay"), (100, "99 % of the delays within")],
)
def test_the_third_number_on_top(packets, name):
    rows = conclusions.headline(routes_of(packets))
    assert name == rows[2][0]
    assert ("packets timelined", f"{packets} of {packets + 3}") == rows[3]


@pytest.mark.parametrize(("packets", "words"), [(19, "by 19 packets."), (20, "95 % of the 20 packets need")])
def test_the_delay_of_few_packets(packets, words):
    assert words in conclusions.summary_lines(routes_of(packets))[0]


def test_variance_on_top_needs_ten_packets_and_shares():
    assert [4, 5] == [len(conclusions.headline(routes_of(packets))) for packets in (9, 10)]
    data = routes_of(50)
    unknown = replace(data.evaluation.routes[0].numbers, variances=np.array([NAN] * 4))
    assert 4 == len(conclusions.headline(with_evaluation(data, numbers=unknown)))


@pytest.mark.parametrize(("tail", "words"), [(1.0, "100 % of what"), (1.001, "all of what"), (0.5, "50 % of what")])
def test_the_part_of_the_tail(tail, words):
    data = routes_of(50)
    evaluation = data.evaluation.routes[0]
    whole = (Group(Kind.AIR, (0,), interval(1.0), interval(1.0), interval(tail)),)
    budget = replace(evaluation.budget, by_kind=whole)
    numbers = replace(evaluation.numbers, budget=budget)
    assert f", and {words} the slowest" in conclusions.budget_sentence(
        replace(evaluation, budget=budget, numbers=numbers)
    )


def evaluation_of(*attributions, shares=(0.0, 0.5, 0.25, 0.0)):
    """An evaluation whose steps have these shares of the variance, and these attributions."""
    evaluation = routes_of(50).evaluation.routes[0]
    numbers = replace(evaluation.numbers, variances=np.array(shares))
    return replace(evaluation, numbers=numbers, attributions=attributions)


def test_causes_and_what_they_explain():
    """A finding's share times that of its step; of one kind in a step the largest; alike ones of two steps add up."""
    wait = attributed(WAIT, finding("lattice", 0.8, period_ns=320e3, levels=8), finding("lattice", 0.7, period_ns=1e3))
    air = attributed(
        AIR, finding("lattice", 0.8, period_ns=320.3e3, levels=8), finding("trend", 0.04), finding("beat", 0.039)
    )
    lattice, trend = conclusions.found_causes(evaluation_of(wait, air))
    assert ("a to b radio wait", "a to b air") == lattice.steps and ("a to b air",) == trend.steps
    assert [0.6, 0.01] == pytest.approx([lattice.share, trend.share])
    assert lattice.finding.kind == "lattice" and trend.finding.kind == "trend"
    apart = attributed(AIR, finding("lattice", 0.8, period_ns=320.33e3, levels=8))
    assert 2 == len(conclusions.found_causes(evaluation_of(wait, apart)))
    trends = (attributed(step, finding("trend", 0.5, period_ns=1.0)) for step in (WAIT, AIR))
    assert 2 == len(conclusions.found_causes(evaluation_of(*trends)))


def test_a_cause_of_the_total():
    """It has to explain twice what those of the steps explain together, or more, and 1 % at least."""
    wait = attributed(WAIT, finding("trend", 0.5))
    for share, expected in ((0.5, "the delay"), (0.49, "a to b radio wait")):
        total = attributed(TOTAL, finding("lattice", share, period_ns=1.0, levels=2))
        assert (expected,) == conclusions.largest_cause(evaluation_of(wait, total)).steps
    for share, found in ((0.01, True), (0.0099, False)):
        total = attributed(TOTAL, finding("trend", share))
        assert found == (conclusions.largest_cause(evaluation_of(attributed(WAIT), total)) is not None)


def test_no_structure_and_no_test():
    def line(*attributions):
        return conclusions.summary_lines(with_evaluation(routes_of(50), attributions=attributions))[3]

    assert "No structure was found in any of 1 step (6 tests)." == line(attributed(WAIT))
    assert line(attributed(WAIT, tests=0)).startswith("What causes the jitter could not be tested. Nothing")
    small = finding("trend", 1e-6)
    assert not line(attributed(WAIT, small)).startswith(("No structure", "Where"))


def test_the_uncertainty_of_a_delay_is_named_where_it_is_known():
    data = routes_of(50)
    assert "The uncertainty of one delay is ±" in conclusions.summary_lines(data)[0]
    exact = tuple(replace(part, components=()) for part in data.evaluation.routes[0].uncertainties)
    assert "uncertainty" not in conclusions.summary_lines(with_evaluation(data, uncertainties=exact))[0]


def account(**counts):
    given = {"total": 9, "arrived": 9, "lost": {}, "extra": 0, "unaccounted": 0, "not_arrived": {}, "given_up": 0}
    return SimpleNamespace(**given | counts)


def test_the_firmware_s_count():
    """None lost, some lost, and how many it sent in place of those on the pins."""
    data = routes_of(50)

    def counted(**counts):
        analysis = SimpleNamespace(account=account(**counts), no_packets="", timelines=None)
        return SimpleNamespace(analysis=analysis, evaluation=data.evaluation, virtual=False, timelines=None)

    sentence = "The firmware sent 9 packets: 9 timelined, lost: none; every packet is accounted for."
    assert sentence == conclusions.summary_lines(counted())[-1]
    assert ("packets timelined", "50 of 9") == conclusions.headline(counted())[3]
    assert "lost: 2 timed out;" in conclusions.summary_lines(counted(lost={"timed out": 2}))[-1]


def test_what_cannot_be_divided():
    """One packet has no variance; two that are equal within the resolution have none that is known."""
    for packets, words in ((1, "fewer than two packets"), (2, "all delays are equal within")):
        evaluation = evaluations.about(evaluations.one_way(packets=packets, equal=True))
        assert words in delays.budget_notes(evaluation)[0].lines[0]
    noted = evaluations.about(evaluations.one_way(packets=50))
    for note, sentence in (("few packets", "Few packets."), ("Few.", "Few.")):
        assert sentence == delays.budget_notes(replace(noted, budget=replace(noted.budget, note=note)))[0].lines[1]


def test_the_rows_of_a_radio_wait_s_parts():
    """Median and range of each part, below its step; the other columns have no value."""
    data = routes_of(50)
    evaluation = data.evaluation.routes[0]
    samples = [np.zeros(50, dtype=np.int64) for _ in PART_NAMES]
    samples[0][:] = 2400
    samples[0][0] = 4800
    part = Part(PART_NAMES[0], 1, 50, 1.0, interval(0.5), interval(0.25), interval(0.125))
    evaluation = replace(
        evaluation,
        parts=(SimpleNamespace(column=1, by_part=tuple(samples), notes=()),),
        part_uncertainties=(replace(evaluation.uncertainties[0], name=f"{WAIT}: {PART_NAMES[0]}"),),
        budget=replace(evaluation.budget, parts=(part,)),
    )
    table = delays.step_table(data, evaluation, "")[0]
    assert [1, 2, 1, 1] == [len(group.rows) for group in table.groups]
    row = dict(zip(table.header, table.groups[1].rows[1], strict=True))
    assert f"{delays.INDENT}{PART_NAMES[0]}" == row["<step"] if "<step" in row else True
    assert "100 µs" == row["peak-to-peak"] and row["median"].startswith("100.")
    assert {DASH} == {row[name] for name in ("probe events in it", "median without its probes")}


def test_steps_that_add_up():
    """Durations of 0 are exact, too; a negative one is a failure."""
    for least, failed in ((0, False), (-1, True)):
        data = routes_of(50)
        evaluation = data.evaluation.routes[0]
        evaluation.route.steps.samples[0, 0] = least
        words = " ".join(
            line
            for block in delays.step_table(data, evaluation, "")
            if isinstance(block, blocks.Text)
            for line in block.lines
        )
        assert ("Failed: the steps" in words) == failed and ("Checked: the steps of each of 50" in words) != failed


def test_the_table_of_jitter():
    """A measure without a method has a dash there."""
    evaluation = evaluations.about(evaluations.one_way(packets=50))
    first, second = evaluation.jitter
    bare = replace(first, ns=replace(first.ns, method=""))
    assert [DASH, second.ns.method] == [
        row[3] for row in delays.jitter_table(replace(evaluation, jitter=(bare, second))).rows
    ]


def test_a_median_without_its_probes():
    """Is the median less their cost."""
    delay = SimpleNamespace(probe_cost_ns=1500.0, corrected_expanded_ns=100.0)
    assert "7.50 ± 0.10 µs" == delays._without_probes(9000.0, delay)
    data = routes_of(50)
    evaluation = data.evaluation.routes[0]
    table = delays.step_table(data, evaluation, "")[0]
    at = table.header.index("median without its probes")
    expected = [summary.median_ns - 7000.0 for summary in evaluation.numbers.steps]
    assert expected == [group.values[at] for group in table.groups]


def test_steps_of_a_route_that_is_no_round_trip(new_bench):
    """They are checked by themselves, also where there are round trips."""
    bench = new_bench()
    bench.round_trip(1)
    evaluation = evaluations.about(evaluations.one_way(packets=50))
    table = delays.step_table(data_of(bench), evaluation, "")
    words = " ".join(line for block in table if isinstance(block, blocks.Text) for line in block.lines)
    assert "Checked: the steps of each of 50 packets add up" in words


@pytest.mark.parametrize(
    ("p", "expected"), [(9.9e-5, "< 0.0001"), (1e-4, "0.0001"), (0.0099, "0.0099"), (0.01, "0.01"), (NAN, DASH)]
)
def test_p_values(p, expected):
    assert expected == texts.p_text(p)
