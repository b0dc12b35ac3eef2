"""Breaks of one timer: its boots, late timestamps, and what it shows of another one's."""

from __future__ import annotations

import numpy as np
import pytest

from gpiorig.analysis.clocks import timer_breaks
from gpiorig.analysis.clocks.breaks import left_by_lines
from gpiorig.analysis.clocks.pairing import Pairs
from gpiorig.analysis.clocks.timer_breaks import Break, Timer

RATE_HZ = 24_000_000
PERIOD = RATE_HZ // 50  # samples between packets


def timer(*, gains_us: dict[int, int] | None = None, boots: tuple[int, ...] = (), packets: int = 40) -> Timer:
    """A node that sends 50 packets a second, 7 µs apart or so; its timestamps gain from some packets on."""
    random = np.random.default_rng(5)
    samples = RATE_HZ + PERIOD * np.arange(packets) + 24 * random.integers(0, 7, packets)
    stamps_us = samples // 24
    for packet, gain_us in (gains_us or {}).items():
        stamps_us[packet:] += gain_us
    for boot in boots:
        stamps_us[boot:] -= stamps_us[boot] - 12_345
    pairs = Pairs(stamps_us, samples, np.arange(packets), "", 0, 0, boots=boots)
    return timer_breaks.timer(pairs, node="a", ns_per_sample=1e9 / RATE_HZ)


def steps(timer: Timer) -> list[tuple[int, int]]:
    """The packet before each break, and the µs of its step."""
    return [(int(np.searchsorted(timer.samples, one.start)), round(one.step_ns / 1000)) for one in timer.breaks]


def test_a_step_after_a_boot() -> None:
    """Each boot is looked at alone, and no boot is a break."""
    assert [] == steps(timer(boots=(20,)))
    assert [(9, 500), (30, -300)] == steps(timer(boots=(20,), gains_us={10: 500, 31: -300}))


@pytest.mark.parametrize("late", [1, 2])
@pytest.mark.parametrize("by_us", [400, -400])
def test_late_timestamps_are_not_a_step(late: int, by_us: int) -> None:
    """One or two in a row that are late, or early, and then right again."""
    assert [] == steps(timer(gains_us={15: by_us, 15 + late: -by_us}))
    assert [(14, by_us), (17, -by_us)] == steps(timer(gains_us={15: by_us, 18: -by_us}))


def test_a_timer_shows_nothing_of_what_is_after_its_end() -> None:
    """It lacks a step within its timestamps, and does not know of one before the first or after the last."""

    def step(start: int, end: int) -> Break:
        return Break("b", start, end, step_ns=500_000.0, uncertainty_ns=1000.0)

    witness = timer()
    end = int(witness.samples[-1])
    assert witness.lacks(step(end - 3 * PERIOD, end - 2 * PERIOD), ns_per_sample=1e9 / RATE_HZ)
    assert witness.lacks(step(end - PERIOD, end), ns_per_sample=1e9 / RATE_HZ)
    for start, stop in [(end - PERIOD, end + 1), (end, end + PERIOD), (end + 1, end + PERIOD), (0, RATE_HZ)]:
        assert not witness.lacks(step(start, stop), ns_per_sample=1e9 / RATE_HZ)


def test_what_a_line_through_the_first_points_leaves() -> None:
    """Against numpy's fit of each number of them: nothing of one point or two."""
    random = np.random.default_rng(3)
    x, y = np.sort(random.uniform(-0.5, 0.5, 30)), random.normal(0, 100, 30)
    plain = [np.sum((y[:n] - np.polyval(np.polyfit(x[:n], y[:n], 1), x[:n])) ** 2) for n in range(3, 31)]
    assert [0.0, 0.0, *plain] == pytest.approx(left_by_lines(x, y[None])[0], abs=1e-6)
