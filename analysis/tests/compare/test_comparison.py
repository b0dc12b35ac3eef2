"""Comparison of two runs: only the delays that changed are named."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from depth import by_depth, fewest, most
from scipy.signal import lfilter

from gpiorig.analysis.compare import comparison, differences, sentences
from gpiorig.analysis.compare.comparison import LEVEL
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.packets.path import Kind

NAMES = tuple(f"request: step {i}" for i in range(8))


def run(seed: int, *, n: int = 600, phi: float = 0.0, rate: int = 24_000_000, changed=None, lost: int = 0) -> Delays:
    """Steps of 1000 samples or so, of which each is autoregressive; `changed` may do something to step 3."""
    rng = np.random.default_rng(seed)
    noise = lfilter([1], [1, -phi], rng.normal(size=(n + 100, len(NAMES))), axis=0)[100:] * 50
    samples = np.round(1000 + noise).astype(np.int64)
    if changed is not None:
        samples[:, 3] = changed(samples[:, 3])
    values = {"rtt": samples.sum(axis=1)} | dict(zip(NAMES, samples.T, strict=True))
    return Delays(values, dict.fromkeys(NAMES, Kind.SOFTWARE), n + lost, lost, Fraction(rate))


def names(compared: comparison.Comparison) -> list[str]:
    return [change.name for change in compared.changed]


@pytest.mark.slow
@pytest.mark.parametrize("phi", [0.0, 0.7])
def test_equal_runs_seldom_differ(phi):
    """Pairs of runs: those in which anything is significant are no more than the level allows."""
    count = by_depth(30, 100)
    pairs = [(run(seed, n=300, phi=phi), run(seed + 1000, n=300, phi=phi)) for seed in range(count)]
    alarms = sum(min(comparison.significance(base, new, NAMES)[1]) < LEVEL for base, new in pairs)
    assert alarms <= most(count, LEVEL)


@pytest.mark.slow
def test_a_slower_step_is_named_with_its_size():
    compared = comparison.compare(run(1), run(2, changed=lambda step: step + 24))
    assert names(compared)[0] == NAMES[3]
    assert set(names(compared)) <= {NAMES[3], "rtt"}
    change = compared.changed[0]
    assert change.median_ns.low < 1000 < change.median_ns.high
    assert change.mean_ns.low < 1000 < change.mean_ns.high
    lines = sentences.sentences(compared)
    assert lines[0] in ("1 of 9 delays changed.", "2 of 9 delays changed.")
    assert any(line.startswith("request: step 3 got slower by 1.0") for line in lines)
    assert any("did not change measurably" in line for line in lines)


@pytest.mark.slow
def test_a_faster_step():
    compared = comparison.compare(run(1, changed=lambda step: step + 240), run(2))
    lines = sentences.sentences(compared)
    assert {NAMES[3], "rtt"} == set(names(compared))
    assert any(
        line.startswith("request: step 3 got faster by 10.0") or line.startswith("request: step 3 got faster by 9.9")
        for line in lines
    )


@pytest.mark.slow
def test_a_change_of_spread_is_a_change_of_the_distribution():
    compared = comparison.compare(run(1), run(2, changed=lambda step: 1000 + (step - 1000) * 2))
    assert NAMES[3] in names(compared)
    change = compared.changed[0]
    assert change.spread.low < 2 < change.spread.high
    text = "\n".join(sentences.sentences(compared))
    assert "request: step 3 has another distribution: a quantile moved by" in text
    assert "times as large" in text


@pytest.mark.slow
def test_a_few_late_packets_are_a_change():
    """5 % of 1000 packets are ten standard deviations late: ranks and shares hardly see it."""
    late = np.random.default_rng(5).random(1000) < 0.05
    compared = comparison.compare(run(1, n=1000), run(2, n=1000, changed=lambda step: step + 500 * late))
    assert NAMES[3] in names(compared)
    change = compared.changed[0]
    assert change.p_tail < 1e-5 < min(change.p_location, change.p_shape)


@pytest.mark.slow
def test_a_difference_by_sampling_is_not_a_change():
    """A step that takes one sample more in every packet is significant, and within the resolution of two samples."""
    compared = comparison.compare(
        run(1, changed=lambda step: 0 * step + 500), run(2, changed=lambda step: 0 * step + 501)
    )
    change = next(change for change in compared.changes if change.name == NAMES[3])
    assert change.p_corrected < LEVEL
    assert not change.changed
    assert "a run varies by no more than the analyzer resolves" == change.spread.note


@pytest.mark.slow
def test_samplerates_may_differ():
    """The same steps at twice the rate are the same in ns."""
    slow, fast = run(1), run(2, rate=48_000_000)
    fast = Delays(
        {name: 2 * samples for name, samples in fast.values.items()}, fast.kinds, fast.sent, 0, fast.samplerate_hz
    )
    assert [] == names(comparison.compare(slow, fast))


@pytest.mark.slow
def test_swapping_the_runs_turns_the_changes():
    a, b = run(1), run(2, changed=lambda step: step + 24)
    there, back = comparison.compare(a, b), comparison.compare(b, a)
    assert names(there) == names(back)
    for one, other in zip(there.changes, back.changes, strict=True):
        assert math.isclose(one.median_ns.value, -other.median_ns.value, abs_tol=1e-6)
        assert math.isclose(one.p_location, other.p_location, rel_tol=1e-9)
        assert math.isclose(one.p_shape, other.p_shape, rel_tol=1e-9)
        assert math.isclose(one.p_tail, other.p_tail, rel_tol=1e-9)


def test_steps_of_one_run_only_are_listed():
    base, new = run(1), run(2)
    less = Delays({k: v for k, v in new.values.items() if k != NAMES[5]}, new.kinds, 600, 0, new.samplerate_hz)
    compared = comparison.compare(base, less)
    assert ((NAMES[5],), ()) == (compared.only_base, compared.only_new)
    assert f"Only the base has {NAMES[5]}." in sentences.sentences(compared)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_few_packets_raise_nothing_and_change_nothing(n):
    compared = comparison.compare(run(1), run(2, n=n, lost=5))
    assert [] == names(compared)
    for change in compared.changes:
        assert not math.isnan(change.median_ns.low) or change.median_ns.note
    opening = "None of 9 delays changed." if n else "No packet of the new run is complete on the pins, so its delays"
    assert sentences.sentences(compared)[0].startswith(opening)


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["median", "std"])
def test_intervals_of_differences_hold_the_truth(statistic):
    """Two runs of 400, the second 10 later and as wide: the intervals of 95 % hold it as often."""
    truth = {"std": 0.0}.get(statistic, 10.0)
    runs, held = by_depth(60, 150), 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        interval = differences.difference(rng.normal(0, 30, 400), rng.normal(10, 30, 400), statistic)
        held += interval.low <= truth <= interval.high
    assert held >= fewest(runs, 0.95)


def test_table():
    table = comparison.as_table(comparison.compare(run(1), run(2)))
    assert ["rtt", *NAMES] == table["delay"].to_pylist()
    assert {"median_change_ns", "median_change_low_ns", "p99_change_high_ns", "std_ratio", "p_corrected"} <= set(
        table.column_names
    )


def test_the_phase_of_sampling_hides_no_change():
    """Steps that wander by one sample, slowly, as two clocks do; a shift of 50 samples is found nevertheless."""
    drift = np.arange(600) // 100 % 3 // 2
    base, new = run(1, changed=lambda step: 500 + drift), run(2, changed=lambda step: 550 + drift)
    compared = comparison.compare(base, new)
    change = next(change for change in compared.changes if change.name == NAMES[3])
    assert change.changed
    assert change.median_ns.high - change.median_ns.low <= compared.resolution_ns
    size = "2.08 µs, to the resolution of the analyzer (± 83.3 ns)"
    assert f"{NAMES[3]} got slower by {size}; its median was 20.83 µs." in sentences.sentences(compared)


def test_a_shift_below_the_resolution_is_not_the_reported_change():
    """The median moves by one sample, and every tenth packet takes 400 more: the sentence is about these."""
    late = np.arange(600) % 10 == 0
    compared = comparison.compare(
        run(1, changed=lambda step: 0 * step + 500), run(2, changed=lambda step: np.where(late, 900, 501))
    )
    (sentence,) = (line for line in sentences.sentences(compared) if line.startswith(f"{NAMES[3]} "))
    assert "got slower in the mean by" in sentence


@pytest.mark.slow
def test_lost_packets_are_a_difference():
    base, lossy = run(1), run(1, lost=200)
    assert not comparison.compare(base, base).differs
    compared = comparison.compare(base, lossy)
    assert ([], True, True) == (names(compared), compared.loss_changed, compared.differs)
    assert sentences.sentences(compared)[-1].endswith(": the loss changed.")


def test_a_run_without_a_complete_packet_is_reported():
    empty = Delays({"rtt": np.zeros(0, dtype=np.int64)}, {}, 20, 20, Fraction(24_000_000))
    lines = sentences.sentences(comparison.compare(run(1), empty))
    assert lines[0] == "No packet of the new run is complete on the pins, so its delays are unknown."
    assert "100 % (95 % interval 83 % to 100 %) now" in lines[1]


def test_without_an_interval_no_bound_is_claimed():
    lines = sentences.sentences(comparison.compare(run(1), run(2, n=3)))
    assert "9 delays cannot be distinguished: too few packets." == lines[1]


def test_the_loss_of_a_recording_that_is_cut_is_not_known():
    """Nothing that would be a share of all packets is stated of it, and no change of the loss is found."""
    compared = comparison.compare(run(1, n=60), dataclasses.replace(run(2, n=60, lost=60), cut="interrupted"))
    (line,) = (line for line in sentences.sentences(compared) if "ost" in line.split()[0])
    assert not compared.loss_changed
    assert "Lost packets cannot be compared: the recording of the new run is interrupted." == line
