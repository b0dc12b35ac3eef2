"""Timers of few bits: wraps, resets, steps back and strays."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpiorig.analysis.clocks.unwrap import Unwrapped, unwrap
from gpiorig.analysis.errors import EventError

NS_PER_S = 10**9
LONGEST_STALL_S = 3


def stamps(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def counted(found: Unwrapped) -> tuple[list[int], int, tuple[int, ...], tuple[int, ...]]:
    return found.ticks.tolist(), found.wraps, found.resets, found.backsteps


@pytest.mark.parametrize("bits", [16, 32])
def test_wraps_are_undone(bits: int) -> None:
    """Steps of a fifth of the modulus come out as they went in, four wraps long."""
    true = np.arange(26, dtype=np.int64) * (2**bits // 5)
    assert counted(unwrap(true % 2**bits, 2**bits)) == (true.tolist(), 4, (), ())


def test_stray_zero_adds_no_modulus() -> None:
    """Four of the stamps of seemoo-lab/pyshimmer pull request 44: they span 455 ticks, not 455 + 2^24."""
    found = unwrap(stamps(7406116, 7406506, 0, 7406571), 2**24)
    assert (found.ticks[-1] - found.ticks[0], found.wraps, found.resets, found.backsteps) == (455, 0, (), (2,))


def test_strays_do_not_lengthen_a_recording() -> None:
    """9.5 minutes at 32768 Hz, four strays of 0 among the stamps of a timer of 24 bits, stay 9.5 minutes."""
    true = np.arange(0, 570 * 32768, 640, dtype=np.int64)
    raw = true % 2**24
    strays = [5000, 12000, 20000, 28000]
    raw[strays] = 0
    found = unwrap(raw, 2**24)
    kept = np.delete(found.ticks, strays)
    assert (kept == np.delete(true, strays)).all()
    assert (found.wraps, found.resets, found.backsteps) == (1, (), tuple(strays))


def test_out_of_order_across_a_wrap() -> None:
    """Two stamps in the wrong order across a wrap are one step back and one wrap."""
    found = unwrap(stamps(65530, 5, 65533, 8, 20), 2**16, reorder=100)
    assert counted(found) == ([65530, 65541, 65533, 65544, 65556], 1, (), (2,))


def test_out_of_order_without_a_modulus() -> None:
    assert counted(unwrap(stamps(10, 110, 90, 210), None)) == ([10, 110, 90, 210], 0, (), (2,))


def test_reset_far_from_the_modulus() -> None:
    """A node that begins anew after 30 ms is no timer that wrapped."""
    found = unwrap(stamps(10_000, 20_000, 30_000, 100, 10_100), 2**32)
    assert counted(found) == ([10_000, 20_000, 30_000, 100, 10_100], 0, (3,), ())
    assert found.stretches.tolist() == [0, 0, 0, 1, 1]


def test_reset_near_the_modulus() -> None:
    """Past half of its range, a timer that begins anew an hour before it would wrap was reset."""
    at = np.arange(2_500_000_000, 2_520_000_000, 1_000_000)
    again = np.arange(500_000, 5_000_000, 1_000_000)
    found = unwrap(np.concatenate((at, again)), 2**32)
    assert (found.wraps, found.resets, found.backsteps) == (0, (len(at),), ())


def test_boot_marker_near_the_modulus() -> None:
    """Where only a marker can say that it was a reset, it does."""
    raw = stamps(2**16 - 200, 2**16 - 100, 5, 105)
    assert unwrap(raw, 2**16).wraps == 1
    assert counted(unwrap(raw, 2**16, boots=[2])) == (raw.tolist(), 0, (2,), ())


def test_reference_counts_all_wraps_of_a_pause() -> None:
    """A pause of an hour in a timer that wraps every 2 s is an hour."""
    at_s = np.concatenate((np.arange(0, 10, 0.25), np.arange(3600, 3610, 0.25)))
    true = np.rint(at_s * 32768).astype(np.int64)
    host = np.rint(at_s * NS_PER_S).astype(np.int64)
    found = unwrap(true % 2**16, 2**16, reference_ns=host, tick_hz=Fraction(32768), slack_ns=1_000_000)
    assert (found.ticks == true).all()
    assert (found.resets, found.backsteps) == ((), ())


def test_reference_tells_a_crash_loop_from_steps_back() -> None:
    """A node that boots every 30 s, and one stamp 10 ms early: both are what they are."""
    node = np.tile(np.arange(200_000, 30_000_000, 1_000_000), 3)
    host = np.arange(len(node), dtype=np.int64) * NS_PER_S
    node[10] -= 1_010_000
    found = unwrap(node, 2**32, reference_ns=host, tick_hz=Fraction(10**6), slack_ns=NS_PER_S // 10)
    assert (found.wraps, found.resets, found.backsteps) == (0, (30, 60), (10,))


def test_clock_set_back_with_a_reference() -> None:
    """A clock that is set back by 5 s shows far more than since the last stamp: no reset."""
    host = np.arange(100, dtype=np.int64) * NS_PER_S
    node = 10**9 + np.arange(100, dtype=np.int64) * 10**6
    node[50:] -= 5 * 10**6
    found = unwrap(node, None, reference_ns=host, tick_hz=Fraction(10**6))
    assert counted(found) == (node.tolist(), 0, (), (50,))


def test_nothing_and_one() -> None:
    assert counted(unwrap(stamps(), 2**16)) == ([], 0, (), ())
    assert counted(unwrap(stamps(7), None)) == ([7], 0, (), ())


def test_ns() -> None:
    """Ticks of 32768 Hz become ns to the nearest."""
    assert unwrap(stamps(0, 1, 32768), 2**16).ns(Fraction(32768)).tolist() == [0, 30518, NS_PER_S]


@pytest.mark.parametrize(
    ("raw", "modulus", "message"),
    [
        ([0, 70_000], 2**16, "timer stamp 70000: outside 0 to 65536"),
        ([-1], 2**16, "timer stamp -1"),
        ([0], 1, "modulus 1"),
    ],
)
def test_wrong_use(raw: list[int], modulus: int | None, message: str) -> None:
    with pytest.raises(EventError, match=message):
        unwrap(stamps(*raw), modulus)


def test_reference_needs_a_rate() -> None:
    with pytest.raises(EventError, match="nominal rate"):
        unwrap(stamps(1, 2), None, reference_ns=stamps(1, 2))


@given(
    st.integers(2, 40).map(lambda bits: 2**bits),
    st.integers(0, 2**40),
    st.lists(st.integers(0, 2**40), max_size=60),
)
def test_any_steps_with_a_reference(modulus: int, start: int, steps: list[int]) -> None:
    """Whatever the steps and the modulus, an exact reference of the same rate gives the ticks back."""
    true = start % modulus + np.concatenate(([0], np.cumsum(np.array(steps, dtype=np.int64))))
    found = unwrap(true % modulus, modulus, reference_ns=true, tick_hz=Fraction(10**9), slack_ns=0)
    assert (found.ticks == true).all()
    assert (found.resets, found.backsteps) == ((), ())
    assert found.wraps == int(true[-1]) // modulus


@given(st.lists(st.integers(0, 2**16 // 64), min_size=1, max_size=200), st.integers(0, 2**16 - 1))
def test_short_steps_without_a_reference(steps: list[int], start: int) -> None:
    """Steps below a 64th of the modulus are unwrapped without help."""
    true = start + np.concatenate(([0], np.cumsum(np.array(steps, dtype=np.int64))))
    assert (unwrap(true % 2**16, 2**16).ticks == true).all()


def host_of(random: np.random.Generator, at_s: np.ndarray, *, stalls: float = 0.0) -> np.ndarray:
    """Stamps of a host that reads lines in order, 1 ms late or so, and at times stalls."""
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
        found = unwrap(true, None, reference_ns=host_of(random, at_s, stalls=0.1), tick_hz=Fraction(10**6))
        assert counted(found) == (true.tolist(), 0, (), ())


def test_a_host_that_is_set_ahead_makes_no_reset() -> None:
    """A node 10 s old, and a host whose clock is set ahead by 20 s."""
    at_s = np.arange(10, 40, 0.25)
    host = np.rint((at_s + np.where(at_s > 12, 20, 0)) * NS_PER_S).astype(np.int64)
    true = np.rint(at_s * 1e6).astype(np.int64)
    assert counted(unwrap(true, None, reference_ns=host, tick_hz=Fraction(10**6))) == (true.tolist(), 0, (), ())


def test_a_node_that_says_one_line_after_each_boot() -> None:
    """Its stamps go forward at times, by a few ms in a minute of the host: each is a reset."""
    node = np.array([200_000, 200_400, 200_100, 200_900, 201_000], dtype=np.int64)
    host = np.arange(5, dtype=np.int64) * 60 * NS_PER_S
    assert unwrap(node, None, reference_ns=host, tick_hz=Fraction(10**6)).resets == (1, 2, 3, 4)


def test_a_reset_as_a_timer_of_few_bits_would_wrap() -> None:
    """32768 Hz and 16 bits: a node that begins anew 0.3 s before a wrap is told from one that wraps."""
    random = np.random.default_rng(21)
    at_s = np.cumsum(random.uniform(0.05, 0.4, 200))
    ticks = np.floor((at_s + 5) * 32768).astype(np.int64)
    new = int(np.flatnonzero(np.diff(ticks // 2**16 > 10))[0])  # the stamp before the eleventh wrap
    begins = ticks[new + 1] // 2**16 * 2**16 - int(0.3 * 32768)
    ticks[new + 1 :] -= begins
    host = host_of(random, at_s)
    found = unwrap(ticks % 2**16, 2**16, reference_ns=host, tick_hz=Fraction(32768))
    assert (found.resets, found.backsteps) == ((new + 1,), ())


def test_a_late_stamp_adds_no_wrap() -> None:
    """A host that stalls for 2.2 s, longer than a timer of 16 bits at 32768 Hz takes to wrap, and reads all at once."""
    at_s = np.arange(0, 60, 0.1)
    true = np.floor(at_s * 32768).astype(np.int64)
    host = np.where((at_s > 30) & (at_s < 32.2), 32.2, at_s)
    found = unwrap(true % 2**16, 2**16, reference_ns=np.rint(host * NS_PER_S).astype(np.int64), tick_hz=Fraction(32768))
    assert counted(found) == (true.tolist(), int(true[-1]) // 2**16, (), ())
