"""The baud rate of a line, from pulses whose lengths are known."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from gpiorig.capture.buses.baudrate import estimate_baudrate
from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.errors import CaptureError

RATE_HZ = 1_000_000  # a bit of 10 000 baud is 100 samples; 9600 is the usual rate near it


def pulses(lengths: list[int], *, rest: int, idle: int = 5000) -> Edges:
    """Pulses of these lengths on a line that rests at a level, `idle` samples between two."""
    samples = np.cumsum([0, *(length for pulse in lengths for length in (idle, pulse)), idle])[:-1]
    levels = (np.arange(samples.size) % 2) ^ rest
    return Edges(
        samples=samples,
        levels=levels.astype(np.uint64),
        samplerate_hz=Fraction(RATE_HZ),
        channels=("tx",),
        start=0,
        end=int(samples[-1]) + idle,
        gaps=no_gaps(),
    )


def bits(baudrate: int, counts: list[float]) -> list[int]:
    return [round(count * RATE_HZ / baudrate) for count in counts]


@pytest.mark.parametrize("rest", [0, 1])
@pytest.mark.parametrize("baudrate", [1200, 9600, 38400])
def test_pulses_of_one_to_nine_bits(baudrate: int, rest: int) -> None:
    """Whatever the level at rest; pulses of ten bits and more hold idle time, and state nothing."""
    lengths = bits(baudrate, [1, 2, 3, 5, 9, 1, 2, 4, 7, 1, 10.4, 25.5])

    assert baudrate == estimate_baudrate(pulses(lengths, rest=rest, idle=50 * RATE_HZ // baudrate), "tx")


def test_ten_pulses_are_the_fewest() -> None:
    assert 9600 == estimate_baudrate(pulses(bits(9600, [1, 2, 3, 5, 1] * 2), rest=1), "tx")
    with pytest.raises(CaptureError, match="fits the 9 pulses"):
        estimate_baudrate(pulses(bits(9600, [1, 2, 3, 5, 1] * 2)[:9], rest=1), "tx")


def test_one_pulse_of_fifty_may_not_fit() -> None:
    """98 % are enough; with two of them the rate is one at which they fit, too."""
    fitting = bits(9600, [1, 2, 3, 5, 1, 2, 1] * 7)

    assert 9600 == estimate_baudrate(pulses([*fitting, 157], rest=1), "tx")
    assert 19200 == estimate_baudrate(pulses([*fitting[:-1], 157, 157], rest=1), "tx")


def test_a_line_that_is_as_long_high_as_low_rests_high() -> None:
    """Its pulses are the low ones."""
    low, high = [104] * 12, [57] * 10 + [678]
    assert sum(low) == sum(high)
    lengths = [length for pair in zip(low, [*high, 0], strict=True) for length in pair][:-1]
    samples = np.cumsum([100, *lengths])
    edges = Edges(
        samples=np.append(0, samples),
        levels=(np.arange(samples.size + 1) % 2 ^ 1).astype(np.uint64),
        samplerate_hz=Fraction(RATE_HZ),
        channels=("tx",),
        start=0,
        end=int(samples[-1]) + 1,
        gaps=no_gaps(),
    )

    assert 9600 == estimate_baudrate(edges, "tx")


def test_a_pulse_of_ten_bits_holds_idle_time() -> None:
    edges = pulses([100] * 9 + [1000], rest=1)
    edges = dataclasses.replace(edges, samplerate_hz=Fraction(960_000))
    with pytest.raises(CaptureError, match="fits the 10 pulses"):
        estimate_baudrate(edges, "tx")
    edges = dataclasses.replace(pulses([100] * 9 + [999], rest=1), samplerate_hz=Fraction(960_000))
    assert 9600 == estimate_baudrate(edges, "tx")
