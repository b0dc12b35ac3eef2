"""Assertions and thresholds: valid and refused texts, and their outcomes."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import stats
from tripcases import analysed

from gpiorig.analysis.compare import assertions, comparison, delays, limits, sentences, thresholds
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.errors import QuantityError, TableError
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.quantities.delay_names import RTT
from gpiorig.analysis.tables import registry

US = 1000
STEPS = {
    "request: udp to ipv6": Kind.SOFTWARE,
    "request: interrupt: line to ISR": Kind.INTERRUPT,
    "turn-around: app.rx to app.tx": Kind.APPLICATION,
    "reply: udp to ipv6": Kind.SOFTWARE,
    "reply: interrupt: line to ISR": Kind.INTERRUPT,
}


def run(seed: int = 1, *, n: int = 1000, sent: int = 1000, **more_us: float) -> Delays:
    """Steps of 10 to 11 us, 1 ns a sample; `more_us` makes a step longer by its place: s0, s1 and so on."""
    rng = np.random.default_rng(seed)
    extra = [round(more_us.get(f"s{place}", 0) * US) for place in range(len(STEPS))]
    samples = 10 * US + rng.integers(0, US, (n, len(STEPS))) + np.array(extra)
    columns = {name: samples[:, place] for place, name in enumerate(STEPS)}
    values = {RTT: samples.sum(axis=1)} | columns
    return Delays(values, STEPS, sent=sent, lost=sent - n, samplerate_hz=Fraction(1_000_000_000))


def holds(text: str, delays_: Delays | None = None) -> bool:
    return assertions.evaluate(limits.assertion(text), delays_ or run()).holds


@pytest.mark.parametrize(
    ("text", "quantity", "statistic", "relation", "limit"),
    [
        ("rtt.p99 < 20 ms", "rtt", "p99", "<", 20e6),
        ("rtt.p99.9<=20ms", "rtt", "p99.9", "<=", 20e6),
        ("isr.max < 50 us", "isr", "max", "<", 50e3),
        ("isr.max > 50 µs", "isr", "max", ">", 50e3),
        ("  loss >= 0.5 % ", "loss", "", ">=", 0.005),
        ("turn-around: app.rx to app.tx.p2p < 1_000 ns", "turn-around: app.rx to app.tx", "p2p", "<", 1e3),
        ("*.mean < 1.5 s", "*", "mean", "<", 1.5e9),
        ("rtt.p99 < 2e4 us", "rtt", "p99", "<", 20e6),
        ("rtt.p99 < .5e-3 s", "rtt", "p99", "<", 5e5),
        ("p99(span of udp.checksum) at n1 < 5 us", "span of udp.checksum at n1", "p99", "<", 5e3),
        ("isr.max < 50 \N{GREEK SMALL LETTER MU}s", "isr", "max", "<", 50e3),
    ],
)
def test_what_is_understood(text, quantity, statistic, relation, limit):
    assertion = limits.assertion(text)
    assert (quantity, statistic, relation) == (assertion.quantity, assertion.statistic, assertion.relation)
    assert math.isclose(limit, assertion.limit)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not understood"),
        ("rtt.p99 20 ms", "not understood"),
        ("rtt.p99 < ms", "not understood"),
        ("rtt.p99 = 20 ms", "not understood"),
        ("rtt.p99 < 20 ms and more", "not understood"),
        ("rtt < 20 ms", "`rtt` has no statistic; add one of min, p5"),
        ("rtt.p99 < 20 ms, rtt.max < 30 ms", "not understood"),
        ("rtt.p99 < 20", "the unit is missing; it must be ns or us or µs or ms or s"),
        ("rtt.p99 < 20 %", "the unit is `%`; it must be ns"),
        ("rtt.p99 < 20 min", "the unit is `min`"),
        ("rtt.q99 < 20 ms", "statistic `q99` is unknown; it is one of min"),
        ("rtt.p100 < 20 ms", "statistic `p100` is unknown"),
        ("loss < 1 ms", "the unit is `ms`; it must be %"),
        ("loss.p99 < 1 %", "`loss` is a share and has no `p99`"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(QuantityError) as error:
        limits.assertion(text)
    assert message in str(error.value)
    assert f"assertion `{text}`" in str(error.value)


def test_names_of_several_steps_hold_for_each():
    slower = run(s4=10)
    assert ("request: interrupt: line to ISR", "reply: interrupt: line to ISR") == slower.named("isr")
    assert ("request: udp to ipv6", "reply: udp to ipv6") == slower.named("udp to ipv6")
    assert 6 == len(slower.named("*"))
    assert holds("isr.max < 12 us")
    verdict = assertions.evaluate(limits.assertion("isr.max < 12 us"), slower)
    assert not verdict.holds
    assert "does not hold: reply: interrupt: line to ISR: 20.99" in verdict.sentence
    assert "request" not in verdict.sentence


def test_a_run_without_such_a_delay_does_not_hold_and_names_the_likely_one():
    verdict = assertions.evaluate(limits.assertion("iser.max < 1 s"), run())
    assert not verdict.holds
    assert "this run has no such delay; did you mean `isr`?" in verdict.sentence


def test_the_value_is_given_with_its_interval():
    verdict = assertions.evaluate(limits.assertion("udp to ipv6.median < 10.6 us"), run())
    assert verdict.holds
    assert "95 % interval 10." in verdict.sentence
    for interval in verdict.intervals.values():
        assert interval.low < interval.value < interval.high


@pytest.mark.parametrize(
    ("text", "n", "sure"),
    [
        ("rtt.median < 1 ms", 1000, True),
        ("rtt.median > 1 ms", 1000, True),
        ("rtt.median < 52.5 us", 1000, False),  # the true one
        ("rtt.p99 < 1 ms", 100, False),  # 368 packets have an upper end
        ("rtt.max < 1 ms", 100, True),  # what was seen
        ("loss < 1 %", 100, False),  # none of 100 may be 3.6 %
        ("loss < 5 %", 100, True),
    ],
)
def test_whether_more_packets_may_show_otherwise(text, n, sure):
    verdict = assertions.evaluate(limits.assertion(text), run(n=n, sent=n))
    assert sure == verdict.sure
    assert sure != ("but more packets may show otherwise" in verdict.sentence)


def test_an_open_end_states_what_it_lacks():
    verdict = assertions.evaluate(limits.assertion("rtt.p99 < 1 ms"), run(n=100, sent=100))
    assert "on; too few values for an upper end: 368 independent ones are needed)" in verdict.sentence


@pytest.mark.parametrize("quantity", ["rtt", "isr", "request: udp to ipv6", "*"])
def test_without_packets_nothing_holds(quantity):
    verdict = assertions.evaluate(limits.assertion(f"{quantity}.max < 1 s"), run(n=0, sent=10))
    assert not verdict.holds
    assert f"{quantity}.max < 1 s: does not hold: no packet is complete on the pins" == verdict.sentence


def test_many_broken_delays_are_listed_without_remarks():
    verdict = assertions.evaluate(limits.assertion("*.max < 1 us"), run())
    assert verdict.sentence.count("; ") == 5
    assert "no interval" not in verdict.sentence


def test_relations_and_loss():
    lossy = run(n=990)
    assert holds("loss < 1.1 %", lossy)
    assert holds("loss <= 1 %", lossy)
    assert not holds("loss < 1 %", lossy)
    assert not holds("loss > 1 %", lossy)
    expected = stats.binomtest(10, 1000).proportion_ci(0.95, method="exact")
    loss = lossy.loss()
    assert math.isclose(expected.low, loss.low, rel_tol=1e-9)
    assert math.isclose(expected.high, loss.high, rel_tol=1e-9)
    assert (0.0, 1.0) == (run(n=100, sent=100).loss().low, run(n=0, sent=5).loss().high)


@pytest.mark.parametrize(
    ("text", "up", "down", "limit", "relative"),
    [
        ("rtt.p99 +5%", True, False, 0.05, True),
        ("rtt.p99 + 5 %", True, False, 0.05, True),
        ("isr.median +-2 us", True, True, 2000, False),
        ("isr.median ±2 us", True, True, 2000, False),
        ("turn-around: app.rx to app.tx.mean -1 ms", False, True, 1e6, False),
        ("loss +1 %", True, False, 0.01, False),
    ],
)
def test_thresholds(text, up, down, limit, relative):
    threshold = limits.threshold(text)
    assert (up, down, limit, relative) == (threshold.up, threshold.down, threshold.limit, threshold.relative)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rtt.p99 < 5 %", "not understood; write it like `rtt.p99 +5 %`"),
        ("rtt +5 %", "`rtt` has no statistic"),
        ("rtt.p99 +5", "the unit is missing; it must be ns"),
        ("loss +1 us", "the unit is `us`; it must be %"),
    ],
)
def test_thresholds_that_are_refused(text, message):
    with pytest.raises(QuantityError) as error:
        limits.threshold(text)
    assert message in str(error.value)


@cache
def compared(base: Delays, new: Delays) -> comparison.Comparison:
    return comparison.compare(base, new)


def exceeded(text: str, base: Delays, new: Delays) -> tuple[str, ...]:
    return thresholds.judge(limits.threshold(text), base, new, compared(base, new)).exceeded


@pytest.mark.slow
def test_what_exceeds_a_threshold():
    base, slower = run(1), run(2, s0=1)  # one step of 10.5 us takes 1 us more, 2 % of the round trip
    step = "request: udp to ipv6"
    assert (step,) == exceeded(f"{step}.median +500 ns", base, slower)
    assert () == exceeded(f"{step}.median +1.5 us", base, slower)
    assert () == exceeded(f"{step}.median -500 ns", base, slower)
    assert (step,) == exceeded(f"{step}.median -5 %", slower, base)
    assert (step,) == exceeded(f"{step}.mean +-5 %", slower, base)
    assert ("rtt",) == exceeded("rtt.mean +1 %", base, slower)
    assert () == exceeded("rtt.mean +3 %", base, slower)
    assert ("rtt", step) == exceeded("*.median +0 ns", base, slower)
    assert (step,) == exceeded(f"{step}.max +10 ns", base, slower)


def judged(text: str, base: Delays, new: Delays) -> thresholds.Outcome:
    return thresholds.judge(limits.threshold(text), base, new, comparison.compare(base, new))


def sentence(outcome: thresholds.Outcome) -> str:
    return sentences.outcome_sentence(outcome, resolution_ns=2.0)


def test_too_few_packets_shut_the_gate():
    """The median of one packet is not defined, so the threshold fails."""
    outcome = judged("rtt.median +5 %", run(1), run(2, n=1))
    assert (True, ("rtt",)) == (outcome.failed, outcome.unknown)
    assert "rtt.median +5 %: cannot be judged: rtt not defined (too few packets)" == sentence(outcome)


def test_without_an_interval_a_change_must_be_more_than_chance():
    """100 packets have no interval of p99: one or two late ones in the new run are chance, late ones only are not."""
    base, late, shifted = run(1, n=100), run(2, n=100), run(3, n=100, s0=30)
    late.values[RTT][:2] += 100 * US
    outcome = judged("rtt.p99 +5 %", base, late)
    assert (False, (), ("rtt",)) == (outcome.failed, outcome.exceeded, outcome.doubtful)
    assert "but chance or the sampling may explain it" in sentence(outcome)
    assert ("rtt",) == judged("rtt.p99 +5 %", base, shifted).exceeded
    assert "chance" not in sentence(judged("rtt.p99 +5 %", base, base))


@pytest.mark.slow
def test_what_the_analyzer_does_not_resolve_exceeds_nothing():
    """Two samples of 1 ns."""
    base, new = run(1), run(1)
    base.values["request: udp to ipv6"][:] = 10 * US
    new.values["request: udp to ipv6"][:] = 10 * US + 2
    outcome = judged("request: udp to ipv6.median +1 ns", base, new)
    assert ((), ("request: udp to ipv6",)) == (outcome.exceeded, outcome.doubtful)
    new.values["request: udp to ipv6"][:] += 1
    assert ("request: udp to ipv6",) == judged("request: udp to ipv6.median +1 ns", base, new).exceeded


@pytest.mark.slow
def test_growth_from_nothing_is_beyond_any_share():
    base, new = run(1), run(2)
    step = "request: udp to ipv6"
    base.values[step][:] = 10 * US
    outcome = judged(f"{step}.std +1000 %", base, new)
    assert (step,) == outcome.exceeded
    assert "from 0 up" in sentence(outcome)
    assert 0 == judged(f"{step}.std +10 %", base, base).changes[step].value


@pytest.mark.slow
def test_the_delay_nearest_to_a_threshold_is_named():
    """The delay that moved most is not named if it moved away from the threshold."""
    outcome = judged("*.median +1 s", run(1, s0=50), run(2, s2=3))
    assert "turn-around: app.rx to app.tx +2.9" in sentence(outcome)


def test_the_run_that_lacks_a_delay_is_named():
    base, new = run(1), run(2)
    less = Delays({"rtt": new.values["rtt"]}, {}, 1000, 0, new.samplerate_hz)
    with pytest.raises(QuantityError, match=r"threshold `isr.max .*`: new run: `isr`: this run has no such delay"):
        judged("isr.max +1 us", base, less)
    renamed = Delays({"reply: b": new.values["rtt"]}, {"reply: b": Kind.INTERRUPT}, 1000, 0, new.samplerate_hz)
    with pytest.raises(QuantityError, match="have no `isr` in common"):
        judged("isr.max +1 us", base, renamed)


@pytest.mark.slow
def test_chance_exceeds_no_threshold():
    """Some medians of two equal runs always differ."""
    for seed in range(4):
        assert () == exceeded("*.median +0 ns", run(seed, n=200), run(seed + 100, n=200))


@pytest.mark.slow
def test_loss_against_a_threshold():
    base, lossy, one = run(1), run(2, n=950), run(2, n=999)
    assert ("loss",) == exceeded("loss +1 %", base, lossy)
    assert () == exceeded("loss +6 %", base, lossy)
    assert () == exceeded("loss +0 %", base, one)  # one of 1000 is chance


def test_from_tables_as_from_the_stages(new_bench):
    bench = new_bench(seed=3)
    for id_ in range(1, 21):
        bench.round_trip(id_, lost="reply" if id_ in (4, 9) else "")
    analysis = analysed(bench.events())
    direct = delays.from_analysis(analysis)
    trips, steps = (registry.table(analysis, name) for name in ("round_trips", "steps"))
    read = delays.from_tables(trips, steps)
    assert (20, 2) == (direct.sent, direct.lost) == (read.sent, read.lost)
    assert list(direct.values) == list(read.values)
    assert all(np.array_equal(direct.values[name], read.values[name]) for name in direct.values)
    assert direct.kinds == read.kinds
    assert direct.samplerate_hz == read.samplerate_hz
    with pytest.raises(TableError, match="analyse the recording again"):
        delays.from_tables(trips.drop_columns(["rtt_samples"]), steps)
