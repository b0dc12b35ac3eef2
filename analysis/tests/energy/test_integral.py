"""The integral of a power trace, sample by sample: each column against the plain sums that its docstring states."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from energycases import IDEAL
from numpy.typing import NDArray

from gpiorig.analysis.energy import integral
from gpiorig.capture.power.instruments import Instrument
from gpiorig.capture.power.trace import PowerBlock, PowerTrace

RATE_HZ = 8
STEP_A = 0.05
BAD = replace(IDEAL, gain=0.01, offset_a=0.02, offset_v=0.03)
INSTRUMENTS = {
    "a mean over the period": BAD,
    "what was there at an instant": replace(BAD, averages=False),
    "a filter over three": replace(BAD, filter_samples=3),
    "a filter over three of instants": replace(BAD, filter_samples=3, averages=False),
}
RUNS = {
    "whole": [(0, 24)],
    "begins late": [(5, 19)],
    "two samples lost": [(0, 9), (11, 13)],
    "three": [(2, 1), (4, 6), (20, 5)],
}
Floats = NDArray[np.float64]


def trace_of(
    volts: Floats, amperes: Floats, runs: list[tuple[int, int]], instrument: Instrument, size: int
) -> PowerTrace:
    """A trace that has these runs (first sample, samples) only, in blocks of a size; some blocks are empty."""
    blocks = [
        PowerBlock(at, volts[at : min(at + size, begin + count)], amperes[at : min(at + size, begin + count)])
        for begin, count in runs
        for at in range(begin, begin + count, size)
    ]
    blocks.insert(1, PowerBlock(blocks[0].start + len(blocks[0].volts), np.empty(0), np.empty(0)))
    return PowerTrace(samplerate_hz=Fraction(RATE_HZ), read=lambda: iter(blocks), instrument=instrument, step_a=STEP_A)


def plain(
    volts: Floats, amperes: Floats, runs: list[tuple[int, int]], instrument: Instrument, at: float
) -> list[float]:
    """(joules, limit, missed, edge, watts, lost) up to a position."""
    period_s, reach = 1 / RATE_HZ, instrument.filter_samples
    joules = limit = missed = edge = watts_there = 0.0
    here = math.floor(at)
    for begin, count in runs:
        for sample in range(begin, begin + count):
            share = min(max(at - sample, 0.0), 1.0)
            watts = volts[sample] * amperes[sample]
            joules += share * watts * period_s
            error_w = 0.01 * abs(watts) + (0.02 + STEP_A / 2) * abs(volts[sample]) + 0.03 * abs(amperes[sample])
            limit += share * error_w * period_s
            if not instrument.averages and sample > begin:
                missed += share * ((watts - volts[sample - 1] * amperes[sample - 1]) * period_s) ** 2 / 12
        if begin <= here < begin + count:
            part = slice(max(here - reach, begin), min(here + reach + 1, begin + count))
            around = volts[part] * amperes[part]
            inside = (at - here) * (1 - (at - here)) + (reach - 1) / 8
            edge, watts_there = (around.max() - around.min()) * inside * period_s, volts[here] * amperes[here]
    begins, ends = runs[0][0], runs[-1][0] + runs[-1][1]
    has = sum(min(max(at - begin, 0.0), count) for begin, count in runs)
    return [
        joules,
        limit,
        missed,
        edge,
        watts_there,
        min(at - begins, 0.0) + max(0.0, min(at, ends) - begins) - has + max(at - ends, 0.0),
    ]


@pytest.mark.parametrize("size", [1, 4, 100])
@pytest.mark.parametrize("runs", RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("instrument", INSTRUMENTS.values(), ids=INSTRUMENTS)
def test_each_column_is_the_plain_sum(instrument: Instrument, runs: list[tuple[int, int]], size: int) -> None:
    rng = np.random.default_rng(1)
    volts, amperes = rng.uniform(2.0, 4.0, 25), rng.uniform(-0.5, 1.0, 25)
    positions = np.concatenate([rng.uniform(-2, 27, 40), np.arange(0.0, 26.0)])
    summed = integral.up_to(trace_of(volts, amperes, runs, instrument, size), positions)
    expected = np.array([plain(volts, amperes, runs, instrument, at) for at in positions.tolist()])
    columns = (summed.joules, summed.limit_joules, summed.missed_joules2, summed.edge_joules, summed.watts, summed.lost)
    for number, column in enumerate(columns):
        assert np.allclose(expected[:, number], column, rtol=1e-12, atol=1e-15), number


def test_the_noise_is_that_of_second_differences() -> None:
    """A power of 0 W and 1 W in turn has second differences of ±2 W: 1.4826 x 2 / sqrt(6); two samples have none."""
    ones = np.ones(25)
    in_turn = np.arange(25.0) % 2
    for runs, expected in (
        ([(0, 25)], 1.4826 * 2 / math.sqrt(6)),
        ([(0, 3)], 1.4826 * 2 / math.sqrt(6)),
        ([(0, 2)], 0.0),
    ):
        assert math.isclose(expected, integral.up_to(trace_of(ones, in_turn, runs, IDEAL, 100), ones[:0]).noise_w)
