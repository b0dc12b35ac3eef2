"""The check by the host's clock where every block is late by the same, so that each number follows by hand.

A window is 0.1 s and 100 000 samples; a block comes 5 ms after its last sample. The crystals allow 20 µs a window.
"""

from __future__ import annotations

import numpy as np
import pytest

from gpiorig.capture.sigrok.loss_by_clock import SETTLED_WINDOWS, Arrivals, is_settled, steps

WINDOW = 100_000
LATE_NS, FLOOR_SAMPLES = 5e6, 1001  # 1 ms, and the sample that it is rounded up to


def arrivals(count: int, *, lost: dict[int, int] | None = None, began_ns: float | None = None) -> Arrivals:
    """Windows of a capture that loses samples just before some of them."""
    number = np.arange(count)
    gone = sum((samples * (number >= window) for window, samples in (lost or {}).items()), start=np.zeros(count, int))
    return Arrivals(
        times_ns=number * 1e8,
        delays_ns=LATE_NS + gone * 1e3,
        samples=WINDOW * number - gone,
        began_ns=began_ns,
        ns_per_sample=1000.0,
    )


@pytest.mark.parametrize("samples", [5_000, 10_000, 90_000])
def test_a_loss_is_between_the_windows_around_it(samples: int) -> None:
    """From the last window before it to the third after it, which confirms it; its size is exact."""
    seen = arrivals(40, lost={20: samples})
    (loss,) = steps(seen, end=4_000_000).losses

    assert (19 * WINDOW, 22 * WINDOW - samples) == (loss.start, loss.end)
    assert (samples, FLOOR_SAMPLES) == (loss.samples, loss.uncertainty)


def test_two_losses_are_two() -> None:
    first, second = steps(arrivals(60, lost={20: 10_000, 40: 30_000}), end=6_000_000).losses

    assert (19 * WINDOW, 10_000) == (first.start, first.samples)
    assert (39 * WINDOW - 10_000, 30_000) == (second.start, second.samples)


@pytest.mark.parametrize(("samples", "count"), [(900, 0), (1_300, 1)])
def test_a_step_must_be_more_than_a_millisecond(samples: int, count: int) -> None:
    """And more than what crystals make of the time until blocks are on time again."""
    assert count == len(steps(arrivals(40, lost={20: samples}), end=4_000_000).losses)


def test_a_loss_needs_eight_windows_after_it() -> None:
    """With seven, a host that was busy may be the cause; a loss after the end is none of the capture's."""
    for window, count in ((32, 1), (33, 0)):
        assert count == len(steps(arrivals(40, lost={window: 10_000}), end=4_000_000).losses)
    for end, count in ((19 * WINDOW + 1, 1), (19 * WINDOW, 0)):
        assert count == len(steps(arrivals(40, lost={20: 10_000}), end=end).losses)


def test_bounds_of_a_capture_in_which_nothing_is_late() -> None:
    """1 ms and half of it, which a late block can hide; before the first eight windows nothing came.

    There the 8 ms from the analyzer's start to the first block are the limit, and 20 µs of each later window.
    """
    start, rest = steps(arrivals(40), end=39 * WINDOW).bounds

    assert (0, 8 * WINDOW, 39 * WINDOW) == (start.start, start.end, rest.end)
    assert 1501 == rest.limit_samples
    assert not start.is_checked
    (began, *_) = steps(arrivals(40, began_ns=-3e6), end=39 * WINDOW).bounds
    assert 8141 == began.limit_samples
    (short,) = steps(arrivals(6, began_ns=-3e6), end=500_000).bounds
    assert (0, 500_000, 8081) == (short.start, short.end, short.limit_samples)
    assert () == steps(arrivals(40), end=0).bounds


def test_the_end_is_settled_once_enough_came_after_it() -> None:
    """More windows than eight, and one beyond the end."""
    assert not is_settled(arrivals(SETTLED_WINDOWS), end=100)
    assert is_settled(arrivals(SETTLED_WINDOWS + 1), end=100)
    assert not is_settled(arrivals(20), end=19 * WINDOW)
    assert is_settled(arrivals(20), end=19 * WINDOW - 1)
    assert not is_settled(arrivals(20, lost={15: 10_000}), end=19 * WINDOW - 20_000)
