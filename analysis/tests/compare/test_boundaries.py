"""Comparisons at their limits: exactly there, one sample beyond, and with the fewest packets."""

from __future__ import annotations

import dataclasses
import math
import re
from fractions import Fraction

import numpy as np
import pytest

from gpiorig.analysis.compare import assertions, comparison, differences, limits, pair, sentences, thresholds
from gpiorig.analysis.compare.delays import Delays, _first_packet
from gpiorig.analysis.errors import TableError
from gpiorig.analysis.number_text import MINUS
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.statistics.intervals import Interval

NAN = math.nan
STEPS = ("request: udp to ipv6", "reply: udp to ipv6")
NOISE = np.random.default_rng(3).integers(0, 50, 400)


def run(shift: int | np.ndarray = 0, *, n: int = 400, lost: int = 0, route: str = "") -> Delays:
    """Delays of 10 to 10.05 us, of which the round trip is longer by some samples of 1 ns."""
    values = {"rtt": 10_000 + NOISE[:n] + shift} | {name: 5000 + NOISE[:n] for name in STEPS}
    return Delays(values, dict.fromkeys(STEPS, Kind.SOFTWARE), n + lost, lost, Fraction(10**9), route)


def judged(text: str, base: Delays, new: Delays) -> thresholds.Outcome:
    return thresholds.judge(limits.threshold(text), base, new, comparison.compare(base, new))


def changed(shift: int) -> comparison.Change:
    return comparison.compare(run(), run(shift)).changes[0]


def test_times_are_in_ns_at_any_samplerate() -> None:
    """The same samples at half the rate: times and resolution are twice as long, p-values and shares the same."""
    runs = run(), run(20)
    slower = [dataclasses.replace(part, samplerate_hz=Fraction(10**9, 2)) for part in runs]
    once, twice = comparison.compare(*runs), comparison.compare(*slower)
    assert 2 * once.resolution_ns == twice.resolution_ns
    first, second = once.changes[0], twice.changes[0]
    for of in ("base_median_ns", "new_median_ns", "moved_ns"):
        assert 2 * getattr(first, of) == getattr(second, of)
    for of in ("median_ns", "mean_ns", "p99_ns"):
        assert [2 * getattr(getattr(first, of), end) for end in ("value", "low", "high")] == pytest.approx(
            [getattr(getattr(second, of), end) for end in ("value", "low", "high")], nan_ok=True
        )
    for of in ("p_location", "p_shape", "p_tail", "p_corrected"):
        assert getattr(first, of) == pytest.approx(getattr(second, of))
    assert first.spread.value == pytest.approx(second.spread.value)


@pytest.mark.parametrize(("shift", "moves"), [(-3, True), (-2, False), (0, False), (2, False), (3, True)])
def test_a_shift_is_a_change_from_beyond_two_samples_on(shift: int, moves: bool) -> None:
    """Of 1 ns: significant from 2 on, reported from 3 on; its size is that of the shift."""
    change = changed(shift)
    assert (abs(shift), moves) == (change.moved_ns, change.changed)
    assert (shift, shift) == pytest.approx((change.median_ns.value, change.mean_ns.value))


def test_the_largest_move_of_a_quantile() -> None:
    """The tenth of the packets that is 700 ns later moves p95 and p99 only; an earlier one moves p1 and p5."""
    late = np.where(np.arange(400) % 10 == 0, 700, 0)
    for new in (run(late), run(-late)):
        expected = np.quantile(new.values["rtt"], [0.01, 0.05, 0.95, 0.99]) - np.quantile(
            run().values["rtt"], [0.01, 0.05, 0.95, 0.99]
        )
        assert np.abs(expected).max() == pytest.approx(comparison.compare(run(), new).changes[0].moved_ns, rel=0.02)


def test_two_packets_are_compared_and_one_is_not() -> None:
    for n in (1, 2):
        change = comparison.compare(run(n=n), run(7, n=n)).changes[0]
        assert (n == 1) == math.isnan(change.median_ns.value)
        assert n == 1 or change.median_ns.value == 7
        assert (change.base_n, change.new_n, change.moved_ns) == (n, n, 7)
    assert "too few packets" == comparison.compare(run(n=1), run(n=400)).changes[0].spread.note


def test_a_ratio_of_spreads_needs_two_runs_that_are_resolved() -> None:
    flat = run()
    flat.values["rtt"][:] = 10_000
    wide = run(NOISE)  # twice the noise
    for base, new in ((flat, wide), (wide, flat)):
        assert math.isnan(comparison.compare(base, new).changes[0].spread.value)
    assert 2.0 == pytest.approx(comparison.compare(run(), wide).changes[0].spread.value)


def test_ratios_of_nothing() -> None:
    old, new = np.array([0.0, 0.0, 4.0, 4.0]), np.array([0.0, 3.0, 6.0, 4.0])
    assert [0.0, math.inf, 0.5, 0.0] == differences.relative_increase(old, new).tolist()
    assert [NAN, NAN, 1.5, 1.0] == pytest.approx(differences.ratio(old, new).tolist(), nan_ok=True)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_threshold_is_exceeded_beyond_it(sign: int) -> None:
    """A shift of 100 ns keeps a threshold of 100 ns, and exceeds one of 99 in its direction only."""
    up, down = ("+", "-") if sign == 1 else ("-", "+")
    new = run(100 * sign)
    assert not judged(f"rtt.median {up}100 ns", run(), new).failed
    assert ("rtt",) == judged(f"rtt.median {up}99 ns", run(), new).exceeded
    assert () == judged(f"rtt.median {down}0 ns", run(), new).exceeded
    outcome = judged(f"rtt.median {up}1 %", run(), run(sign * 101))
    assert sign * 101 / np.median(run().values["rtt"]) == pytest.approx(outcome.changes["rtt"].value)


def test_an_extreme_decides_alone_and_not_among_several() -> None:
    """One packet that is 5 us late: a threshold of its delay is exceeded, one of all delays in doubt."""
    late = run()
    late.values["rtt"][7] += 5000
    assert ("rtt",) == judged("rtt.max +1 us", run(), late).exceeded
    several = judged("*.max +1 us", run(), late)
    assert ((), ("rtt",), ()) == (several.exceeded, several.doubtful, several.unknown)


def test_a_loss_that_chance_explains_is_in_doubt() -> None:
    """20 of 420 after none of 400 has p below 5 %, 2 of 402 has not."""
    assert ("loss",) == judged("loss +1 %", run(), run(lost=20)).exceeded
    outcome = judged("loss +0.1 %", run(), run(lost=2))
    assert ((), ("loss",)) == (outcome.exceeded, outcome.doubtful)
    assert 2 / 402 == pytest.approx(outcome.changes["loss"].value)


def test_why_runs_cannot_be_compared() -> None:
    nothing = dataclasses.replace(run(), values={"rtt": NOISE[:0]})
    apart = dataclasses.replace(run(), values={"one way": NOISE})
    reasons = [pair.obstacle(*runs) != "" for runs in ((run(), run()), (nothing, run()), (run(), apart))]
    assert [False, True, True] == reasons
    assert "" == pair.obstacle(run(), nothing)
    assert [] == pair._routes(run(route="a to b"), run(route="a to b"))
    assert 1 == len(pair._routes(run(route="a to b"), run(route="a to c")))
    assert [] == pair._routes(run(route="a to b"), dataclasses.replace(nothing, route="a to c"))


@pytest.mark.parametrize(
    ("median", "mean", "by"),
    [
        ((10, 5, 15), (0, -5, 5), "median"),  # an interval without 0
        ((-10, -15, -5), (0, -5, 5), "median"),
        ((2, 1, 3), (10, 5, 15), "mean"),  # no more than the resolution of 2 ns
        ((10, 0, 15), (-10, -15, -5), "mean"),  # 0 is an end of the interval
        ((-10, -15, 0), (2, 1, 3), None),
    ],
)
def test_the_statistic_by_which_a_delay_moved(median: tuple, mean: tuple, by: str | None) -> None:
    change = dataclasses.replace(changed(0), median_ns=Interval(*median, ""), mean_ns=Interval(*mean, ""))
    expected = {"median": (change.median_ns, ""), "mean": (change.mean_ns, " in the mean"), None: None}[by]
    assert expected == sentences.shift(change, 2.0)


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?(?= us| µs)", text)]


def test_a_size_has_no_sign_and_its_ends_in_order() -> None:
    interval = Interval(-15_000.0, -16_000.0, -14_000.0, "")
    assert [15.0, 14.0, 16.0] == numbers(sentences._size(interval, 2000.0))  # as wide as the resolution
    assert [15.0, 2.01] == numbers(sentences._size(interval, 2010.0))
    mirrored = dataclasses.replace(interval, value=15_000.0, low=14_000.0, high=16_000.0)
    assert sentences._size(interval, 10.0) == sentences._size(mirrored, 10.0)


def test_signs_and_digits_of_changes() -> None:
    def first(value: float, *, share: bool) -> str:
        interval = Interval(value, value - 1, value + 1, "")
        return sentences.signed_text(interval, share=share, resolution_ns=1.0).partition(" ")[0]

    assert ["+1235", "+1000", "+1000", "+99.9", "0", f"{MINUS}5"] == [
        first(value, share=True) for value in (12.346, 10.0, 9.9996, 0.999, 0.0, -0.05)
    ]
    assert ["+20.0", f"{MINUS}20.0", "0"] == [first(value, share=False) for value in (20.0, -20.0, 0.0)]
    one_step = Interval(20.0, 19.5, 20.5, "")
    assert "±" not in sentences.signed_text(one_step, share=False, resolution_ns=1.0)
    assert "±" in sentences.signed_text(one_step, share=False, resolution_ns=1.5)
    assert "±" not in sentences.signed_text(one_step, share=True, resolution_ns=1.5)


@pytest.mark.parametrize("count", [assertions.LISTED, assertions.LISTED + 3])
def test_what_is_not_listed_is_counted(count: int) -> None:
    """Of 12 delays all are listed, of 15 the other 3 are counted: in assertions, thresholds and changes."""
    names = [f"request: step {place}" for place in range(count)]

    def runs(shift: int) -> Delays:
        values = {name: 5000 + NOISE[:100] + shift for name in names}
        return Delays(values, dict.fromkeys(names, Kind.SOFTWARE), 100, 0, Fraction(10**9))

    compared = comparison.compare(runs(0), runs(90))
    rest = [count - assertions.LISTED] if count > assertions.LISTED else []
    outcome = thresholds.judge(limits.threshold("*.median +1 ns"), runs(0), runs(90), compared)
    texts = (
        assertions.evaluate(limits.assertion("*.median < 1 us"), runs(0)).sentence,
        sentences.outcome_sentence(outcome, resolution_ns=2.0),
        "\n".join(sentences.sentences(compared)),
        "\n".join(sentences.sentences(dataclasses.replace(compared, only_new=tuple(names), changes=()))),
    )
    for text in texts:
        assert rest == [int(number) for number in re.findall(r"[Aa]nd (\d+) more", text)]


def test_the_bounds_of_what_did_not_change() -> None:
    """One delay within the resolution, one beyond it, one unknown."""
    change = dataclasses.replace(changed(0), changed=False)
    ends = {"a": (0.0, -2.0, 2.0), "b": (0.0, -9000.0, 4000.0), "c": (NAN, NAN, NAN)}
    changes = tuple(dataclasses.replace(change, name=name, median_ns=Interval(*of, "")) for name, of in ends.items())
    compared = comparison.compare(run(), run())
    assert compared.resolution_ns == 2.0
    [sentence] = sentences._unchanged(dataclasses.replace(compared, changes=changes), 2.0)
    assert all(part in sentence for part in ("of 1 by no more than 2", "of b by no more than 9", "of 1 it is unknown"))
    [sentence] = sentences._unchanged(dataclasses.replace(compared, changes=changes[:1]), 2.0)
    assert "of 1 by no more than 2" in sentence
    assert "of a" not in sentence and "unknown" not in sentence


def test_steps_must_be_those_of_the_first_packet() -> None:
    assert [0, 2, 1] == [_first_packet(np.array(rows, np.int32)) for rows in ([], [0, 0, 1, 1], [0, 1, 2])]
    for rows in ([0, 0, 1], [0, 0, 1, 2], [0, 0, 1, 2, 2]):
        with pytest.raises(TableError):
            _first_packet(np.array(rows, np.int32))
