"""The sections on delays and the conclusions: notes on shown columns only, one sentence for the share of each step."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import evaluations
import pytest
from reportcases import PLAIN, evaluated

from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.delays.budget import Group
from gpiorig.analysis.report import conclusions, delays, uncertainties
from gpiorig.analysis.statistics.intervals import Interval


def data_and_evaluation(new_bench, **options):
    bench = new_bench()
    for id_ in range(1, 61):
        bench.round_trip(id_)
    data = evaluated(bench, **options)
    return data, data.evaluation.routes[0]


@pytest.mark.parametrize("occupancy", [True, False])
def test_the_note_explains_the_columns_that_are_there(new_bench, occupancy):
    data, evaluation = data_and_evaluation(new_bench, **PLAIN | {"occupancy": occupancy})
    table = delays.step_table(data, evaluation, "")[0]
    assert occupancy == ("pre-empted" in table.header) == ("Pre-empted:" in table.note)
    assert "Without its probes:" in table.note


def test_a_step_that_is_longer_without_its_probes_says_so(new_bench):
    """A median of 216 us, without its probes 310 us: the step waits for an event that began earlier."""
    data, evaluation = data_and_evaluation(new_bench, **PLAIN)
    first, *others = evaluation.uncertainties
    longer = dataclasses.replace(first, probe_cost_ns=-94_000.0)
    evaluation = dataclasses.replace(evaluation, uncertainties=(longer, *others))
    table = delays.step_table(data, evaluation, "")[0]
    column = table.header.index("median without its probes")
    assert [True, *[False] * (len(table.rows) - 1)] == [row[column].endswith(", longer") for row in table.rows]


def test_steps_with_different_shares_have_sentences_of_their_own(new_bench):
    """A lattice makes 24 % of the variance of one wait and 12 % of the other: no sentence gives both the one share."""
    _, evaluation = data_and_evaluation(new_bench, **PLAIN)
    waits = [step.name for step in evaluation.route.steps.steps if "radio wait" in step.name]
    assert 2 == len(waits)

    def sentences(*shares):
        lattices = [
            Finding("lattice", f"The delays lie on levels, {share}.", 1e-9, share, {"period_ns": 320e3, "levels": 8})
            for share in shares
        ]
        attributions = tuple(
            dataclasses.replace(
                attribution, findings=(lattices[waits.index(attribution.step)],) if attribution.step in waits else ()
            )
            for attribution in evaluation.attributions
        )
        return conclusions.cause_sentences(dataclasses.replace(evaluation, attributions=attributions))

    assert 1 == len(sentences(0.24, 0.24))
    assert 2 == len(sentences(0.24, 0.12))


def test_a_share_above_100_percent_is_not_printed(new_bench):
    """Neither in the sentence nor in the tile: 102 % of a variance reads as an error."""
    data, evaluation = data_and_evaluation(new_bench, **PLAIN)
    budget = evaluation.budget
    kind = conclusions.routenumbers.largest_kind(evaluation.numbers.by_kind("variance"))[0]
    variance = Interval(1.02, 1.01, 1.03, "")
    group = Group(kind, (0,), variance, variance, Interval(1.05, 1.0, 1.1, ""))
    budget = dataclasses.replace(budget, by_kind=(group,), tail_packets=13, packets=60)
    routes = (dataclasses.replace(evaluation, budget=budget),)
    data = dataclasses.replace(data, evaluation=dataclasses.replace(data.evaluation, routes=routes))
    sentence = conclusions.budget_sentence(data.evaluation.routes[0])
    assert f"most of the variance: {kind.text}, all of it (other steps are short when it is long)" in sentence
    assert "what the slowest 13 of 60 take longer" in sentence
    assert (f"of the variance: {kind.text}", "100 %") == conclusions.headline(data)[-1]


def test_a_median_is_longer_without_probes_beyond_its_uncertainty() -> None:
    """Where probes took less than nothing by more than what the difference is uncertain by."""
    for cost_ns, longer in ((-501.0, True), (-500.0, False), (501.0, False)):
        delay = SimpleNamespace(probe_cost_ns=cost_ns, corrected_expanded_ns=500.0)
        assert longer == delays._without_probes(9000.0, delay).endswith(", longer")  # type: ignore[arg-type]


def test_the_matrix_of_uncertainties():
    """Delays by components, the total first; delays with equal cells are one row; the note has the sources."""
    evaluation = evaluations.about(evaluations.one_way(packets=50))
    first, *rest = evaluation.uncertainties
    longer = dataclasses.replace(first, components=(dataclasses.replace(first.components[0], standard_ns=250.0),))
    (details,) = uncertainties.components(dataclasses.replace(evaluation, uncertainties=(longer, *rest)))
    (table,) = details.blocks
    assert ("<delay", "sample quantisation", "skew between channels", "probes: spread of the calibration burst") == (
        table.header
    )
    assert ("17 ns", "5.0 ns", "28 ns") == table.rows[0][1:]
    assert (first.name, "250 ns", "", "28 ns") == table.rows[1]
    assert sum(len(row[0].split(", ")) for row in table.rows) >= len(rest) and 2 == len(table.rows)
    assert "skew between channels (B, data sheet of the analyzer)" in table.note
