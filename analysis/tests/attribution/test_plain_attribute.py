"""Which findings of a step count, and the parts of a radio wait, against plain second versions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from attributioncases import series
from scipy import stats

from gpiorig.analysis.attribution import attribute, channel, radio_waits
from gpiorig.analysis.attribution.airtime import NONE, Intervals
from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.attribution.frame_lines import ACK_WAIT_NS
from gpiorig.analysis.attribution.on_air import Air
from gpiorig.analysis.statistics.intervals import Interval

LONG = series(np.arange(0, 30_000, 100), np.arange(300) * 1000)


def finding(kind: str, p: float, share: float, **numbers: object) -> Finding:
    return Finding(kind, f"{kind}.", p, share, numbers)  # type: ignore[arg-type]


def significant(*tested: Finding) -> list[str]:
    return [found.kind for found in attribute._significant(list(tested), LONG)]


@pytest.mark.parametrize("seed", range(10))
def test_findings_pass_holms_procedure(seed: int) -> None:
    """The k-th smallest of m p-values against 0.01/(m - k + 1), until the first that is larger; the largest first."""
    rng = np.random.default_rng(seed)
    tested = [finding(f"kind {i}", float(p), float(rng.random())) for i, p in enumerate(10 ** rng.uniform(-4, -1.5, 6))]
    tested[0] = finding("kind 0", 0.01 / 6, 0.5)
    ordered = sorted(tested, key=lambda found: found.p_value)
    passed = 0
    while passed < 6 and ordered[passed].p_value <= 0.01 / (6 - passed):
        passed += 1
    assert [found.kind for found in sorted(ordered[:passed], key=lambda found: -found.share)] == significant(*tested)


def test_what_another_finding_explains_is_left_out() -> None:
    named, searched = finding("beat", 1e-9, 0.3, activity="a: task"), finding("beat", 1e-9, 0.4, activity="")
    assert ["beat", "beat"] == significant(searched, searched)
    assert ["beat", "modes"] == significant(searched, named, finding("modes", 1e-9, 0.2))
    assert ["lattice"] == significant(finding("lattice", 1e-9, 0.3), finding("modes", 1e-9, 0.4))
    assert ["channel"] == significant(finding("channel", 1e-9, 0.3), finding("retransmission", 0, 0.2))
    assert ["retransmission"] == significant(finding("channel", 1e-9, 0.3), finding("retransmission", 0, 0.4))
    for jump, kept in ((0.54, "trend"), (0.55, "trend"), (0.56, "change")):
        assert [kept] == significant(finding("trend", 1e-9, 0.5), finding("change", 1e-9, jump)), jump
    for share, kinds in ((0.25, ["channel", "trend"]), (0.26, ["channel"])):
        assert kinds == significant(finding("channel", 1e-9, 0.75), finding("trend", 1e-9, share))
    resolution = (2 / np.sqrt(12) / np.std(LONG.delays)) ** 2
    assert ["b"] == significant(finding("a", 1e-9, 0.99 * resolution), finding("b", 1e-9, 1.01 * resolution))


@pytest.mark.parametrize(("low", "counts"), [(1499.0, True), (1500.0, True), (1501.0, False)])
def test_a_step_that_is_preempted_since_it_waits_is_left_out(low: float, counts: bool) -> None:
    slope = Interval(2000.0, low, 2500.0, method="")
    preempted = finding("dependence", 1e-9, 0.5, on=attribute.PREEMPTED, slope=slope)
    assert counts == bool(significant(preempted))
    assert significant(finding("dependence", 1e-9, 0.5, on="retries", slope=slope))


@pytest.mark.parametrize(("n", "tests"), [(50.0, 3), (1000.0, 12), (5.0, 1)])
def test_a_share_that_would_have_been_found(n: float, tests: int) -> None:
    z = stats.norm.isf(0.01 / (2 * tests)) + stats.norm.ppf(0.8)
    assert min(1.0, z**2 / n) == pytest.approx(attribute._detectable(n=n, tests=tests))


def test_the_sentence_counts_the_findings_after_the_largest() -> None:
    texts = [attribute._sentence(LONG, (finding("a", 0, 1.0),) * count, 7, []) for count in (1, 2, 3)]
    assert ["more finding" in text for text in texts] == [False, True, True]
    assert "1 more finding." in texts[1] and "2 more findings." in texts[2]
    assert "chosen at random" not in texts[0]


def test_delays_near_their_median_settle_on_it() -> None:
    """Where the middle half is within two samples; delays farther away stay."""
    delays = np.array([100, 101, 102, 98, 97, 103, 900] + [100] * 6)
    assert [100, 100, 100, 100, 97, 103, 900] + [100] * 6 == attribute.settled(delays).tolist()
    for high, moved in ((102, True), (103, False)):
        halves = np.repeat([100, high], 20)
        assert moved == (attribute.settled(halves).tolist() != halves.tolist())


def test_waits_for_retransmissions_have_their_covariance_with_the_delay() -> None:
    rng = np.random.default_rng(1)
    repeats = 400 * rng.integers(0, 3, 50)
    delays = 1000 + repeats + rng.integers(0, 300, 50)
    found = attribute.finding(delays, repeats, period_ns=50.0)
    assert found is not None
    assert np.cov(repeats, delays, ddof=0)[0, 1] / np.var(delays) == pytest.approx(found.share)
    assert np.count_nonzero(repeats) == found.numbers["retransmitted_packets"]
    assert attribute.finding(delays, 0 * repeats, period_ns=50.0) is None
    assert attribute.finding(0 * delays, repeats, period_ns=50.0) is None


def backoff(seed: int, n: int = 300) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return 500 + 320 * rng.integers(0, 8, n) + rng.integers(0, 2, n)


def test_levels_of_a_backoff_are_those_of_all_waits_or_of_the_shortest() -> None:
    """A third of the waits met something: their levels are those of the others."""
    assert channel.one_backoff(np.arange(300) ** 2) is None
    clean = channel.backoff_levels(backoff(1))
    assert clean is not None and (8, 320) == (clean.levels, round(clean.period))
    longer = np.random.default_rng(2).integers(3000, 30_000, 100)
    mixed = channel.backoff_levels(np.append(backoff(1), longer))
    assert channel.one_backoff(np.append(backoff(1), longer)) is None
    assert mixed is not None and (8, 320) == (mixed.levels, round(mixed.period))


def air(delays: np.ndarray, *, attempts: Intervals = NONE, others: Intervals = NONE, flag: int | None = None) -> Air:
    """Waits of a radio that repeats frames alone, 100 ms apart at 1 MHz; frames of 2 ms."""
    n = len(delays)
    begins = 100_000 * np.arange(1, n + 1)
    none, foreign = np.zeros(n, dtype=bool), np.arange(n) == (-1 if flag is None else flag)
    lengths = np.full(n, 2000)
    return Air(
        begins,
        begins + delays,
        lengths,
        attempts,
        others,
        NONE,
        none,
        none,
        none,
        foreign,
        False,
        Fraction(10**6),
        100_000 * (n + 2),
    )


def test_a_first_attempt_that_no_line_shows_comes_after_the_mean_wait() -> None:
    """Where the wait is longer than a backoff, a frame and its acknowledgement, and no other node was sending."""
    delays = backoff(3, 100)
    again = 2000 + ACK_WAIT_NS // 1000
    fewest = int(delays.min()) + again
    delays[90:96] = [fewest + 3000, fewest + 3000, fewest + 3000, fewest, 3100, fewest + 3000]
    waits = air(delays, others=Intervals(np.array([9_300_100]), np.array([9_302_000])), flag=91)
    alone = np.arange(100) != 95
    divided = np.arange(100) < 90
    found = radio_waits._first_attempts(waits, alone, divided, free=np.arange(100) != 91)
    levels = channel.backoff_levels(delays[:90])
    assert levels is not None
    unseen = [i for i in (90, 93) if delays[i] >= fewest and delays[i] > levels.beyond]
    assert [90, 93] == unseen
    assert unseen == np.flatnonzero(found.unseen).tolist()
    once = delays[:90][levels.on_levels(delays[:90])]
    usual = round(float(once.mean()))
    for i in range(100):
        expected = min(usual, delays[i] - again) if i in unseen else delays[i]
        assert expected == found.bits[i] - waits.begins[i], i
    assert np.std(once) == pytest.approx(found.spread)
    note = radio_waits._notes(waits, {}, found)[1]
    middle = np.median([min(usual, delays[i] - again) for i in unseen])
    assert f"2 of 100 packets; it is taken to come after {middle / 1000:.2f} ms" in note


def test_a_first_attempt_on_a_line_is_taken_from_it() -> None:
    """A wait with an attempt on a line, which is divided, and one without levels."""
    delays = backoff(4, 60)
    delays[59] = 9000
    shown = Intervals(np.array([6_001_000]), np.array([6_003_000]))
    waits = air(delays, attempts=shown)
    for free in (np.arange(60) < 59, np.zeros(60, dtype=bool)):
        found = radio_waits._first_attempts(waits, np.ones(60, dtype=bool), np.ones(60, dtype=bool), free=free)
        assert [*delays[:59].tolist(), 1000] == (found.bits - waits.begins).tolist()
        assert not found.unseen.any() and found.spread == 0


def test_a_wait_is_divided_by_the_frames_on_the_air() -> None:
    """Attempt, acknowledgement, frames of others and the rest make the wait, sample by sample."""
    delays = np.full(40, 1000) + np.arange(40)
    delays[10:13] = [9000, 9000, 4000]
    attempts = Intervals(np.array([1_100_500, 1_303_000]), np.array([1_102_500, 1_303_900]))
    others = Intervals(np.array([1_102_600, 1_203_000, 1_500_000]), np.array([1_104_000, 1_204_000, 1_500_100]))
    waits = air(delays, attempts=attempts, others=others)
    parts = radio_waits._divided(2, waits, np.ones(40, dtype=bool))
    kinds = np.zeros(waits.span, dtype=int)
    for start, end in zip(others.starts, others.ends, strict=True):
        kinds[start:end] = 3
    for start, end in zip(attempts.starts, attempts.ends, strict=True):
        kinds[end : min(end + ACK_WAIT_NS // 1000, 10**9)] = 2
        kinds[start:end] = 1
    for i, (begin, end) in enumerate(zip(waits.begins, waits.ends, strict=True)):
        attempt, ack, busy = (int(np.sum(kinds[begin:end] == kind)) for kind in (1, 2, 3))
        assert (attempt, ack, busy) == (parts.attempts[i], parts.acknowledgements[i], parts.others[i]), i
        assert end - begin - attempt - ack - busy == parts.backoff[i] + parts.again[i]
        first = min([s for s in attempts.starts.tolist() if begin <= s < end], default=end)
        assert int(np.sum(kinds[begin:first] == 0)) == parts.backoff[i]
    assert 0 == parts.undivided.sum() == parts.repeated.sum()
