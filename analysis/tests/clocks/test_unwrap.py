"""Timers of few bits: wraps, resets, steps back and strays."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpiorig.analysis.clocks.levels import Levels
from gpiorig.analysis.clocks.unwrap import Unwrapped, unwrap
from gpiorig.analysis.errors import EventError

NS_PER_S = 10**9
LONGEST_STALL_S = 3


def timestamps(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def counted(unwrapped: Unwrapped) -> tuple[list[int], int, tuple[int, ...], tuple[int, ...]]:
    return unwrapped.ticks.tolist(), unwrapped.wraps, unwrapped.resets, unwrapped.backsteps


@pytest.mark.parametrize("bits", [16, 32])
def test_wraps_are_undone(bits: int) -> None:
    """Steps of a fifth of the modulus come out as they went in, four wraps long."""
    true = np.arange(26, dtype=np.int64) * (2**bits // 5)
    assert counted(unwrap(true % 2**bits, 2**bits)) == (true.tolist(), 4, (), ())


def test_stray_zero_adds_no_modulus() -> None:
    """Four of the timestamps of seemoo-lab/pyshimmer pull request 44: they span 455 ticks, not 455 + 2^24."""
    unwrapped = unwrap(timestamps(7406116, 7406506, 0, 7406571), 2**24)
    assert (unwrapped.ticks[-1] - unwrapped.ticks[0], unwrapped.wraps, unwrapped.resets, unwrapped.backsteps) == (
        455,
        0,
        (),
        (2,),
    )


def test_strays_do_not_lengthen_a_recording() -> None:
    """9.5 minutes at 32768 Hz, four strays of 0 among the timestamps of a timer of 24 bits, stay 9.5 minutes."""
    true = np.arange(0, 570 * 32768, 640, dtype=np.int64)
    raw = true % 2**24
    strays = [5000, 12000, 20000, 28000]
    raw[strays] = 0
    unwrapped = unwrap(raw, 2**24)
    regular = np.delete(unwrapped.ticks, strays)
    assert (regular == np.delete(true, strays)).all()
    assert (unwrapped.wraps, unwrapped.resets, unwrapped.backsteps) == (1, (), tuple(strays))


def test_out_of_order_without_a_modulus() -> None:
    assert counted(unwrap(timestamps(10, 110, 90, 210), None)) == ([10, 110, 90, 210], 0, (), (2,))


def test_reset_far_from_the_modulus() -> None:
    """A node that restarts after 30 ms is not a timer that wrapped."""
    unwrapped = unwrap(timestamps(10_000, 20_000, 30_000, 100, 10_100), 2**32)
    assert counted(unwrapped) == ([10_000, 20_000, 30_000, 100, 10_100], 0, (3,), ())
    assert unwrapped.boot_periods.tolist() == [0, 0, 0, 1, 1]


def test_reset_near_the_modulus() -> None:
    """Past half of its range, a timer that restarts an hour before it would wrap was reset."""
    at = np.arange(2_500_000_000, 2_520_000_000, 1_000_000)
    again = np.arange(500_000, 5_000_000, 1_000_000)
    unwrapped = unwrap(np.concatenate((at, again)), 2**32)
    assert (unwrapped.wraps, unwrapped.resets, unwrapped.backsteps) == (0, (len(at),), ())


def test_boot_marker_near_the_modulus() -> None:
    """A marker shows a reset that is visible nowhere else."""
    raw = timestamps(2**16 - 200, 2**16 - 100, 5, 105)
    assert unwrap(raw, 2**16).wraps == 1
    assert counted(unwrap(raw, 2**16, boots=[2])) == (raw.tolist(), 0, (2,), ())


def test_reference_counts_all_wraps_of_a_pause() -> None:
    """A pause of an hour in a timer that wraps every 2 s is an hour."""
    at_s = np.concatenate((np.arange(0, 10, 0.25), np.arange(3600, 3610, 0.25)))
    true = np.rint(at_s * 32768).astype(np.int64)
    host = np.rint(at_s * NS_PER_S).astype(np.int64)
    unwrapped = unwrap(true % 2**16, 2**16, reference_ns=host, tick_hz=Fraction(32768), slack_ns=1_000_000)
    assert (unwrapped.ticks == true).all()
    assert (unwrapped.resets, unwrapped.backsteps) == ((), ())


def test_reference_distinguishes_a_crash_loop_from_steps_back() -> None:
    """A node that boots every 30 s, and one timestamp 10 ms early: both are recognised."""
    node = np.tile(np.arange(200_000, 30_000_000, 1_000_000), 3)
    host = np.arange(len(node), dtype=np.int64) * NS_PER_S
    node[10] -= 1_010_000
    unwrapped = unwrap(node, 2**32, reference_ns=host, tick_hz=Fraction(10**6), slack_ns=NS_PER_S // 10)
    assert (unwrapped.wraps, unwrapped.resets, unwrapped.backsteps) == (0, (30, 60), (10,))


def test_clock_set_back_with_a_reference() -> None:
    """A clock that is set back by 5 s shows far more than since the last timestamp: no reset."""
    host = np.arange(100, dtype=np.int64) * NS_PER_S
    node = 10**9 + np.arange(100, dtype=np.int64) * 10**6
    node[50:] -= 5 * 10**6
    unwrapped = unwrap(node, None, reference_ns=host, tick_hz=Fraction(10**6))
    assert counted(unwrapped) == (node.tolist(), 0, (), (50,))


def test_nothing_and_one() -> None:
    assert counted(unwrap(timestamps(), 2**16)) == ([], 0, (), ())
    assert counted(unwrap(timestamps(7), None)) == ([7], 0, (), ())


def test_ns() -> None:
    """Ticks of 32768 Hz become ns to the nearest."""
    assert unwrap(timestamps(0, 1, 32768), 2**16).ns(Fraction(32768)).tolist() == [0, 30518, NS_PER_S]


@pytest.mark.parametrize(
    ("raw", "modulus", "message"),
    [
        ([0, 70_000], 2**16, "timer timestamp 70000: outside 0 to 65536"),
        ([-1], 2**16, "timer timestamp -1"),
        ([0], 1, "modulus 1"),
    ],
)
def test_wrong_use(raw: list[int], modulus: int | None, message: str) -> None:
    with pytest.raises(EventError, match=message):
        unwrap(timestamps(*raw), modulus)


def test_reference_needs_a_rate() -> None:
    with pytest.raises(EventError, match="nominal rate"):
        unwrap(timestamps(1, 2), None, reference_ns=timestamps(1, 2))


@given(
    st.integers(2, 40).map(lambda bits: 2**bits),
    st.integers(0, 2**40),
    st.lists(st.integers(0, 2**40), max_size=60),
)
def test_any_steps_with_a_reference(modulus: int, start: int, steps: list[int]) -> None:
    """An exact reference of the same rate gives the ticks back, for any steps and modulus."""
    true = start % modulus + np.concatenate(([0], np.cumsum(np.array(steps, dtype=np.int64))))
    unwrapped = unwrap(true % modulus, modulus, reference_ns=true, tick_hz=Fraction(10**9), slack_ns=0)
    assert (unwrapped.ticks == true).all()
    assert (unwrapped.resets, unwrapped.backsteps) == ((), ())
    assert unwrapped.wraps == int(true[-1]) // modulus


@given(st.lists(st.integers(0, 2**16 // 64), min_size=1, max_size=200), st.integers(0, 2**16 - 1))
def test_short_steps_without_a_reference(steps: list[int], start: int) -> None:
    """Steps below a 64th of the modulus are unwrapped without help."""
    true = start + np.concatenate(([0], np.cumsum(np.array(steps, dtype=np.int64))))
    assert (unwrap(true % 2**16, 2**16).ticks == true).all()


def host_of(random: np.random.Generator, at_s: np.ndarray, *, stalls: float = 0.0) -> np.ndarray:
    """Timestamps of a host that reads lines in order, 1 ms late or so, and at times stalls."""
    n = len(at_s)
    late_s = random.exponential(1e-3, n) + (random.random(n) < stalls) * random.random(n) * LONGEST_STALL_S
    return np.maximum.accumulate(np.rint((at_s + late_s) * NS_PER_S).astype(np.int64))


@pytest.mark.parametrize("rate", [0.2, 1, 50])
def test_a_host_that_stalls_makes_no_reset_and_no_step_back(rate: float) -> None:
    """A tenth of the lines up to 3 s late, with a slack of 1 s, of a node that has just booted."""
    random = np.random.default_rng(20)
    for _ in range(5):
        at_s = np.cumsum(random.exponential(1 / rate, 500))
        true = np.rint(at_s * 1e6).astype(np.int64)
        unwrapped = unwrap(true, None, reference_ns=host_of(random, at_s, stalls=0.1), tick_hz=Fraction(10**6))
        assert counted(unwrapped) == (true.tolist(), 0, (), ())


def test_a_host_that_is_set_ahead_makes_no_reset() -> None:
    """A node 10 s old, and a host whose clock is set ahead by 20 s."""
    at_s = np.arange(10, 40, 0.25)
    host = np.rint((at_s + np.where(at_s > 12, 20, 0)) * NS_PER_S).astype(np.int64)
    true = np.rint(at_s * 1e6).astype(np.int64)
    assert counted(unwrap(true, None, reference_ns=host, tick_hz=Fraction(10**6))) == (true.tolist(), 0, (), ())


def test_a_node_that_prints_one_line_after_each_boot() -> None:
    """Its timestamps go forward at times, by a few ms in a minute of the host: each is a reset."""
    node = np.array([200_000, 200_400, 200_100, 200_900, 201_000], dtype=np.int64)
    host = np.arange(5, dtype=np.int64) * 60 * NS_PER_S
    assert unwrap(node, None, reference_ns=host, tick_hz=Fraction(10**6)).resets == (1, 2, 3, 4)


def test_a_reset_as_a_timer_of_few_bits_would_wrap() -> None:
    """32768 Hz and 16 bits: a node that restarts 0.3 s before a wrap is distinguished from one that wraps."""
    random = np.random.default_rng(21)
    at_s = np.cumsum(random.uniform(0.05, 0.4, 200))
    ticks = np.floor((at_s + 5) * 32768).astype(np.int64)
    new = int(np.flatnonzero(np.diff(ticks // 2**16 > 10))[0])  # the timestamp before the eleventh wrap
    begins = ticks[new + 1] // 2**16 * 2**16 - int(0.3 * 32768)
    ticks[new + 1 :] -= begins
    host = host_of(random, at_s)
    unwrapped = unwrap(ticks % 2**16, 2**16, reference_ns=host, tick_hz=Fraction(32768))
    assert (unwrapped.resets, unwrapped.backsteps) == ((new + 1,), ())


def test_a_late_timestamp_adds_no_wrap() -> None:
    """A host that stalls for 2.2 s, longer than a timer of 16 bits at 32768 Hz takes to wrap, and reads all at once."""
    at_s = np.arange(0, 60, 0.1)
    true = np.floor(at_s * 32768).astype(np.int64)
    host = np.where((at_s > 30) & (at_s < 32.2), 32.2, at_s)
    unwrapped = unwrap(
        true % 2**16, 2**16, reference_ns=np.rint(host * NS_PER_S).astype(np.int64), tick_hz=Fraction(32768)
    )
    assert counted(unwrapped) == (true.tolist(), int(true[-1]) // 2**16, (), ())


def test_the_rate_of_a_timer_that_shows_each_tick_several_times() -> None:
    """A timer of 1 Hz that is read four times a second is not four times too fast."""
    deltas, expected = np.tile([0, 0, 0, 1], 45), np.full(180, 0.25)
    levels = Levels(deltas, expected, np.ones(180, dtype=bool), slack=1.0)
    assert [0.25, 0.25, 0.25, 0.75] == pytest.approx(levels.away()[-4:].tolist())


@pytest.mark.parametrize(("scatter", "step", "seen"), [(20, 2000, False), (20, 5000, True), (2000, 0, False)])
def test_a_shift_is_more_than_scatter_and_rate_explain(scatter: int, step: int, seen: bool) -> None:
    """Steps of a second by a timer of 1 MHz; its rate to 0.1 % over three of them leaves 3000 ticks open."""
    expected = np.full(60, 1e6)
    deltas = np.rint(expected + np.random.default_rng(1).normal(0, scatter, 60)).astype(np.int64)
    deltas[30] += step
    levels = Levels(deltas, expected, np.arange(60) != 30, slack=1.0)
    assert levels.shift(30, 0, 60) == (pytest.approx(step, abs=10 * scatter) if seen else 0.0)
