"""The first sentence of a page."""

from __future__ import annotations

import dataclasses
import re

import evaluations
import pytest
from reportcases import PLAIN, one_way

from gpiorig.analysis.attribution.findings import Attribution, Finding
from gpiorig.analysis.attribution.step_series import TOTAL
from gpiorig.analysis.report.conclusions import summary_lines
from gpiorig.analysis.report.lead import lead_sentence


def sentence(route=None, *attributions, **options):
    """The sentence of a run of one route, whose attributions are replaced by those given."""
    data = one_way(evaluations.one_way() if route is None else route, **PLAIN | options)
    if attributions:
        evaluation = dataclasses.replace(data.evaluation.routes[0], attributions=attributions)
        data = dataclasses.replace(data, evaluation=dataclasses.replace(data.evaluation, routes=(evaluation,)))
    return lead_sentence(data)


def finding_of(step, kind, share, **numbers):
    finding = Finding(kind, "A sentence.", 1e-9, share, numbers)
    return Attribution(step, (finding,), 6, 0.01, finding.sentence)


WAIT = "a to b: radio wait: exec done to first bit on air"


@pytest.mark.parametrize(("attribution", "words"), [
    (finding_of(WAIT, "lattice", 0.9, levels=8, period_ns=320_000.0),
     "90 % of its variance is explained by 8 levels of a to b radio wait, 320 µs apart."),
    (finding_of(WAIT, "beat", 0.4, activity="b: task 6", period_ns=4e7),
     "40 % of its variance is explained by a beat of a to b radio wait with b: task 6, period 40.0 ms."),
    (finding_of(WAIT, "modes", 0.5, modes=2), "50 % of its variance is explained by 2 modes of a to b radio wait."),
    (finding_of(WAIT, "trend", 0.3), "30 % of its variance is explained by a trend in a to b radio wait."),
    (finding_of(WAIT, "dependence", 0.2, on="the packets before it"),
     "20 % of its variance is explained by a dependence of a to b radio wait on the packets before it."),
    (finding_of(TOTAL, "beat", 0.6, activity="", period_ns=4e7),
     "60 % of its variance is explained by a beat of the delay with an unknown activity, period 40.0 ms."),
])  # fmt: skip
def test_it_names_the_cause_with_the_share_that_this_explains(attribution, words):
    text = sentence(None, attribution)
    assert re.match(r"\d+ % of the mean delay of [\d.]+ ms is spent on the air; ", text)
    assert text.endswith(words)


def test_it_says_that_no_cause_was_finding_of():
    """The kind of step that varies is known, its cause is not: no share is claimed for one."""
    text = sentence()
    assert "of its variance arises in radio wait, where no cause was found." in text
    assert "explained" not in text


def test_it_says_that_causes_could_not_be_tested():
    assert sentence(None, Attribution(WAIT, (), 0, 0.01, "Too few packets.")).endswith(
        "whose cause could not be tested."
    )


def test_delays_that_do_not_vary_and_single_packets_have_no_cause():
    assert "does not vary by more than the resolution" in sentence(evaluations.one_way(equal=True))
    assert "of the only complete packet is spent on the air." in sentence(evaluations.one_way(packets=1))


@pytest.mark.parametrize(("packets", "divided"), [(2, False), (9, False), (10, True)])
def test_the_variance_of_few_packets_is_not_divided(packets, divided):
    data = one_way(evaluations.one_way(packets=packets), **PLAIN)
    lines = " ".join(summary_lines(data))
    assert divided == ("of its variance" in lead_sentence(data))
    assert divided == ("most of the variance" in lines)
    assert divided == ("too few" not in lead_sentence(data) and "too few to divide" not in lines)


def test_without_a_packet_it_says_why_not():
    nothing = one_way()
    assert "No packet is complete on the pins, from its first milestone to its last." == lead_sentence(nothing)
    silent = dataclasses.replace(
        nothing.analysis, no_packets="no packet in the events; are the probes in the firmware?"
    )
    assert "No packet in the events; are the probes in the firmware?" == lead_sentence(
        dataclasses.replace(nothing, analysis=silent)
    )
