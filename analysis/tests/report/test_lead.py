"""The first sentence of a page: for each kind of cause, by delays of which each part is known."""

from __future__ import annotations

import dataclasses
import re

import attributioncases
import evaluations
import numpy as np
import pytest
from reportcases import PLAIN, attributed, finding, one_way, routes_of

from gpiorig.analysis.attribution.attribute import attribute
from gpiorig.analysis.attribution.covariates import QUEUED
from gpiorig.analysis.attribution.step_series import TOTAL
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.report.conclusions import summary_lines
from gpiorig.analysis.report.lead import facts_line, lead_sentence, stressed_kinds

PACKETS = 600
UNIT = 7680  # samples of 320 µs
WAITS = {0: "request", 2: "reply"}


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def run_of(
    rng, added, kinds=(Kind.RADIO_WAIT, Kind.AIR, Kind.RADIO_WAIT, Kind.SOFTWARE), *, lost=0, begun=None, **given
):
    """A run whose steps last some time each, and `added`, samples by column; attributed by the real tests."""
    n = len(next(iter(added.values()))) if added else PACKETS
    noise = rng.integers(0, 12, (n, len(kinds)))
    samples = np.array([4000, 40_000, 4000, 6000]) + noise
    for column, extra in added.items():
        samples[:, column] += np.rint(extra).astype(np.int64)
    route = attributioncases.route(
        samples, attributioncases.starts(rng, n, irregular=False) if begun is None else begun
    )
    ways = ("request", "request", "reply", "reply")
    steps = tuple(
        dataclasses.replace(step, way=way, short=f"{kind.value} {way}", kind=kind)
        for step, way, kind in zip(route.steps.steps, ways, kinds, strict=True)
    )
    route = dataclasses.replace(route, steps=dataclasses.replace(route.steps, steps=steps), lost=lost)
    names = [step.name for step in steps]
    by_step = {key: {names[0]: given.pop(key)} for key in ("waits", "retransmissions") if key in given}
    data = one_way(route, **PLAIN)
    about = dataclasses.replace(data.evaluation.routes[0], attributions=attribute(route, **by_step, **given))
    return dataclasses.replace(data, evaluation=dataclasses.replace(data.evaluation, routes=(about,)))


def truth(data, *parts):
    """Share of the variance of the total, in percent, that these parts of each packet make."""
    totals = data.evaluation.routes[0].route.totals
    return 100 * np.cov(np.sum(parts, axis=0), totals)[0, 1] / totals.var(ddof=1)


def shares(text):
    """The claims of a sentence: percent by words."""
    claims = text.partition(": ")[2].partition(" (shares")[0].split("; ")
    return {
        words: float(number)
        for number, words in (
            re.match(r"(?:> )?([\d.]+) % (?:of its variance is )?(.*)", one).groups() for one in claims
        )
    }


def claim(text, words):
    (found,) = [share for name, share in shares(text).items() if words in name]
    return found


def ms_of(text):
    value, unit = re.match(r"Jitter ([\d.]+) (ms|µs)", text).groups()
    return float(value) / (1 if unit == "ms" else 1000)


def test_a_backoff_is_named_with_its_steps_and_all_else_has_a_bound(rng):
    """The bound is the range of the delays minus the backoffs that were drawn."""
    drawn = {column: rng.integers(0, 8, PACKETS) for column in WAITS}
    data = run_of(rng, {column: UNIT * levels for column, levels in drawn.items()})
    totals = data.evaluation.routes[0].route.totals
    rest_us = np.ptp(totals - UNIT * sum(drawn.values())) / 24
    text = lead_sentence(data)
    assert "all of it CSMA backoff, 0 to 7 \N{MULTIPLICATION SIGN} 320 µs each way; everything else within" in text
    assert rest_us == pytest.approx(float(re.search(r"within ([\d.]+) µs", text)[1]), rel=0.01)
    assert np.ptp(totals) / 24e3 == pytest.approx(ms_of(text), rel=0.01)
    assert {Kind.RADIO_WAIT} == stressed_kinds(data)


def test_a_backoff_of_one_way_names_that_one(rng):
    data = run_of(rng, {2: UNIT * rng.integers(0, 4, PACKETS)})
    assert "CSMA backoff, 0 to 3 \N{MULTIPLICATION SIGN} 320 µs in the reply; everything else" in lead_sentence(data)


def test_other_levels_are_no_backoff(rng):
    """Of another period, and of 320 µs outside of the radio's wait."""
    for column, period, place in ((0, 6000, "in radio wait"), (3, UNIT, "in stack software")):
        text = lead_sentence(run_of(rng, {column: period * rng.integers(0, 8, PACKETS)}))
        assert "CSMA" not in text
        assert re.search(rf"all of it 8 levels [\d.]+ µs apart {place}", text)


def test_a_backoff_does_not_claim_the_outliers_of_another_step(rng):
    """Two of 600 packets add little variance and much range: it is not all of the jitter then."""
    late = np.where(np.arange(PACKETS) % 300 == 150, 6 * UNIT, 0)
    data = run_of(rng, {0: UNIT * rng.integers(0, 8, PACKETS), 3: late})
    text = lead_sentence(data)
    assert "all of it" not in text
    assert claim(text, "CSMA backoff") < 100


def test_several_causes_have_a_share_each(rng):
    """Two backoffs and a step with two values; the shares are those of what was added."""
    backoff, slow = UNIT * rng.integers(0, 8, PACKETS), 30_000.0 * (rng.random(PACKETS) < 0.4)
    data = run_of(rng, {0: backoff, 3: slow})
    text = lead_sentence(data)
    assert claim(text, "CSMA backoff, 0 to 7 \N{MULTIPLICATION SIGN} 320 µs in the request") == pytest.approx(
        truth(data, backoff), abs=2
    )
    assert claim(text, "2 separate values") == pytest.approx(truth(data, slow), abs=2)
    assert {Kind.RADIO_WAIT} == stressed_kinds(data) if truth(data, backoff) > 50 else {Kind.SOFTWARE}


def test_a_periodic_activity(rng):
    """A step is longer in a part of each period: known activities have their name, others are unseen."""
    period = 31 * attributioncases.MS + 777
    begun = attributioncases.starts(np.random.default_rng(3), PACKETS)
    late = np.where((begun + 48_000) % period < period // 3, 20_000, 0)
    end = int(begun[-1]) + 10 * period
    seen = attributioncases.activity("a: task 6", period, end)
    for activities, words in (({"a: task 6": seen}, "timing against task 6 of a"), ({}, "something unseen")):
        data = run_of(rng, {3: late}, activities=activities, begun=begun)
        text = lead_sentence(data)
        assert words in text
        assert period / 24e3 == pytest.approx(float(re.search(r"every ([\d.]+) ms", text)[1]), rel=0.01)
        assert claim(text, words) <= truth(data, late) + 1


@pytest.mark.parametrize(("shape", "words"), [
    (lambda at: 20_000 * at / PACKETS, "a growth of"), (lambda at: 9000.0 * (at > 250), "1 jump during the run"),
])  # fmt: skip
def test_what_changes_over_the_run(rng, shape, words):
    late = shape(np.arange(PACKETS)) + 1000 * rng.normal(size=PACKETS) + 4000
    data = run_of(rng, {3: late})
    text = lead_sentence(data)
    assert words in text
    assert claim(text, words) <= truth(data, late) + 1
    if "growth" in words:  # 20 000 samples in 600 times 20 ms
        assert 20_000 / 24 / 12 == pytest.approx(float(re.search(r"of ([\d.]+) µs a second", text)[1]), rel=0.1)


def test_retransmissions(rng):
    """How many packets waited for one, of how many."""
    again = np.where(rng.random(PACKETS) < 0.1, 90_000, 0)
    data = run_of(rng, {0: again + rng.integers(0, 9000, PACKETS)}, retransmissions=again)
    text = lead_sentence(data)
    assert f"retransmissions of {np.count_nonzero(again)} of {PACKETS} packets in the request" in text
    assert claim(text, "retransmissions") == pytest.approx(truth(data, again), abs=2)


def test_queueing(rng):
    """A step that waits for the messages before it."""
    queued = rng.poisson(1.2, PACKETS).astype(float)
    added = 5000 * queued
    kinds = (Kind.RADIO_WAIT, Kind.AIR, Kind.RADIO_WAIT, Kind.MAC)
    values = np.column_stack([*[np.full(PACKETS, np.nan)] * 3, queued])
    data = run_of(rng, {3: added + rng.normal(0, 1000, PACKETS) + 9000}, kinds, covariates={QUEUED: values})
    text = lead_sentence(data)
    assert claim(text, "queueing behind other messages in the MAC") == pytest.approx(truth(data, added), abs=3)


def test_other_traffic(rng):
    """Waits end only after a frame of others; backoffs on their own are another cause."""
    backoff = UNIT * rng.integers(0, 8, PACKETS)
    met = rng.random(PACKETS) < 0.2
    held = np.where(met, rng.integers(20, 90, PACKETS) * 1000 + UNIT * 8, 0)
    begun = attributioncases.starts(rng, PACKETS, irregular=False)
    air = dataclasses.replace(
        attributioncases.others_on_air(rng, 4000 + backoff + held, begun),
        others=np.where(met, 100.0, np.inf),
        repeated=np.zeros(PACKETS, dtype=bool),
    )
    data = run_of(rng, {0: backoff + held}, waits=air)
    text = lead_sentence(data)
    assert claim(text, "other traffic in the request") <= truth(data, held) + 3
    assert claim(text, "other traffic") + claim(text, "CSMA backoff") <= 100.6  # each is rounded


def test_no_cause(rng):
    """Delays without structure: where they arise is known, and no share is claimed for a cause."""
    spread = attributioncases.STRUCTURELESS["gamma"](rng, PACKETS)
    data = run_of(rng, {3: spread})
    text = lead_sentence(data)
    assert re.search(r": no cause found in \d+ tests; > 99.9 % of its variance arises in stack software\.$", text)
    assert {Kind.SOFTWARE} == stressed_kinds(data)


@pytest.mark.parametrize(("packets", "words"), [
    (1, r"One packet, delay [\d.]+ ms: \d+ % of it on the air; one packet has no jitter\."),
    (9, r"Jitter [\d.]+ ms by 9 packets, too few to tell where it arises\."),
    (29, r"Jitter [\d.]+ ms: 29 packets, fewer than the 30 that a cause needs to be found; "
     r"> 99.9 % of its variance arises in radio wait\."),
])  # fmt: skip
def test_few_packets(packets, words):
    data = one_way(evaluations.one_way(packets=packets, lost=0), **PLAIN)
    about = data.evaluation.routes[0]
    data = dataclasses.replace(
        data,
        evaluation=dataclasses.replace(
            data.evaluation, routes=(dataclasses.replace(about, attributions=attribute(about.route)),)
        ),
    )
    assert re.fullmatch(words, lead_sentence(data))
    assert ("most of the variance" in " ".join(summary_lines(data))) == (packets >= 10)


def test_delays_that_do_not_vary(rng):
    data = one_way(evaluations.one_way(equal=True, lost=0), **PLAIN)
    assert re.fullmatch(
        r"No jitter above the resolution \(83\.3 ns\): the delay of each of 200 packets is [\d.]+ ms\.",
        lead_sentence(data),
    )
    assert frozenset() == stressed_kinds(data)


def test_packets_that_did_not_arrive(rng):
    text = lead_sentence(run_of(rng, {2: UNIT * rng.integers(0, 8, PACKETS)}, lost=3))
    assert text.endswith(" 3 of 603 packets did not arrive.")


def test_without_a_packet_it_says_why_not():
    nothing = one_way()
    assert "No packet is complete on the pins, from its first milestone to its last." == lead_sentence(nothing)
    silent = dataclasses.replace(
        nothing.analysis, no_packets="no packet in the events; are the probes in the firmware?"
    )
    assert "No packet in the events; are the probes in the firmware?" == lead_sentence(
        dataclasses.replace(nothing, analysis=silent)
    )


def test_a_cause_of_the_total_delay():
    """Of the packet as a whole: no kind of steps is its place."""
    data = routes_of(50)
    total = attributed(TOTAL, finding("beat", 0.6, activity="", period_ns=4e7))
    about = dataclasses.replace(data.evaluation.routes[0], attributions=(total,))
    data = dataclasses.replace(data, evaluation=dataclasses.replace(data.evaluation, routes=(about,)))
    assert "60 % timing against something unseen, every 40.0 ms, of the delay as a whole" in lead_sentence(data)
    assert {Kind.RADIO_WAIT} == stressed_kinds(data)


def test_the_line_below_it():
    """Board, system, image, packets, checks, date; a recording that is cut and failed checks are in it."""
    data = dataclasses.replace(
        routes_of(50), made_with=("iotlab-m3 \N{MULTIPLICATION SIGN} 2", "RIOT"), made_on="2026-11-28"
    )
    assert (
        "iotlab-m3 \N{MULTIPLICATION SIGN} 2 · RIOT · 50 of 53 packets arrived · all checks passed · 2026-11-28"
        == facts_line(data)
    )
    failed = dataclasses.replace(data, notes=("one",), cut="interrupted", made_with=())
    assert "50 of 53 packets arrived · recording interrupted · 1 check failed · 2026-11-28" == facts_line(failed)
    assert facts_line(one_way()).startswith("no packet · ")
