"""The step on which instants lie: found where it shows, and not taken from a signal."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from gpiorig.capture.edges import step_likelihood, time_step
from gpiorig.capture.edges.time_step import StepEstimator
from gpiorig.capture.edges.waveform import Block, TimeStep

NS, US = 10**9, 10**6


def estimated(
    instants: NDArray[np.int64], samplerate_hz: int, *, is_text: bool = True, levels: NDArray[np.uint64] | None = None
) -> TimeStep:
    """The estimate of sample numbers, that of the beginning in front; levels of one channel that toggles, or these."""
    estimator = StepEstimator(Fraction(samplerate_hz), is_text=is_text)
    rows = np.concatenate([[instants[0] - 1], instants])
    levels = np.arange(rows.size, dtype=np.uint64) & np.uint64(1) if levels is None else levels
    estimator.feed(Block(rows, levels, int(rows[-1]) + 1))
    return estimator.step()


def random_s(count: int, *, seed: int = 1, mean_s: float = 1e-5) -> NDArray[np.float64]:
    """Instants of edges that no clock makes."""
    return np.cumsum(np.random.default_rng(seed).uniform(0.1, 1.9, count) * mean_s)


def printed(instants_s: NDArray[np.float64], rate_hz: float, unit: int) -> NDArray[np.int64]:
    """What is sampled at a rate and printed in units of 1/unit s."""
    return np.unique(np.rint(np.ceil(instants_s * rate_hz) / rate_hz * unit).astype(np.int64))


@pytest.mark.parametrize(
    ("rate_hz", "unit"),
    [
        *[(rate_hz, NS) for rate_hz in (500e3, 8e6, 16e6, 24e6, 100e6, 13.56e6, 84e6)],
        *[(rate_hz, US) for rate_hz in (20e3, 32768.0, 44100.0)],
        *[(rate_hz, 10**7) for rate_hz in (4e6, 6e6, 8e6, 12e6)],
    ],
)
def test_the_period_of_the_recorder_is_found(rate_hz: float, unit: int) -> None:
    """In times that are printed finer, that are not multiples of it, and that are hardly finer or even coarser."""
    step = estimated(printed(random_s(3000, mean_s=100 / rate_hz), rate_hz, unit), unit)

    assert pytest.approx(1 / rate_hz, rel=1e-6) == float(step.step_s)
    assert step.is_rounded == (Fraction(unit / rate_hz).limit_denominator(1000).denominator > 1)
    assert (step.is_coarser, step.is_certain, step.edges) == (True, True, pytest.approx(3000, rel=0.01))


def test_times_on_their_last_digit_alone_show_no_step() -> None:
    """A recorder that samples with the step of the text, 20 times."""
    for seed in range(20):
        step = estimated(printed(random_s(500, seed=seed), 1e9, NS), NS)

        assert (False, Fraction(1, NS), 0) == (step.is_coarser, step.step_s, step.possible_s)


def test_few_edges_show_a_step_that_may_be_chance() -> None:
    """Below FEWEST it is only possible, from there on the step; a step twice too large has 2^-20 then."""
    instants = printed(random_s(step_likelihood.FEWEST, mean_s=1e-3), 8e6, NS)
    few, enough = estimated(instants[:-1], NS), estimated(instants, NS)

    assert (Fraction(1, NS), Fraction(125, NS)) == (few.step_s, few.possible_s)
    assert (Fraction(125, NS), 0) == (enough.step_s, enough.possible_s)
    assert 0.5**step_likelihood.FEWEST < step_likelihood.RISK


@pytest.mark.parametrize("is_text", [False, True])
def test_the_jitter_of_a_clock_line_shows_the_samples(is_text: bool) -> None:
    """1 MHz at 100 MS/s: where the clocks differ by 20 ppm some distances are a sample longer; 500 ns is not named."""
    edges_s = np.arange(1, 40_000) * 0.5e-6 * (1 + 20e-6)
    step = estimated(np.ceil(edges_s * 100e6).astype(np.int64), 10**8, is_text=is_text)

    assert (Fraction(1, 10**8), False, 0) == (step.step_s, step.is_coarser, step.possible_s)


@pytest.mark.parametrize("is_text", [False, True])
def test_a_signal_on_the_clock_of_the_recorder_is_not_its_step(is_text: bool) -> None:
    """A clock line, and bits, of exactly 1 µs: possible, no more."""
    clock = np.arange(1, 40_000) * 50
    bits = np.cumsum(np.random.default_rng(1).geometric(0.5, 40_000)) * 100

    for instants, period in ((clock, 50), (bits, 100)):
        step = estimated(instants, 10**8, is_text=is_text)

        assert (False, Fraction(period, 10**8)) == (step.is_coarser, step.possible_s)


def test_channels_that_change_a_sample_apart_show_the_step() -> None:
    """A bus whose second line is 125 ns late: a third of the distances is one step, but of no channel."""
    starts = printed(random_s(2000, mean_s=1e-5), 8e6, NS)
    instants = np.sort(np.concatenate([starts, starts + 125]))
    levels = np.array([0, 1, 3, 2], dtype=np.uint64)[np.arange(instants.size + 1) % 4]

    assert Fraction(125, NS) == estimated(instants, NS, levels=levels).step_s


@pytest.mark.parametrize("is_text", [False, True])
def test_events_by_a_slower_clock_do_not_coarsen_a_fast_capture(is_text: bool) -> None:
    """An MCU at 16 MHz that is 3 ppm off, at 500 MS/s for 10 ms: the step stays 2 ns, whatever one could fit."""
    cycles = np.cumsum(np.random.default_rng(1).integers(20, 300, 1000))
    step = estimated(np.ceil(cycles / 16e6 * (1 + 3e-6) * 500e6).astype(np.int64), 5 * 10**8, is_text=is_text)

    assert (Fraction(2, NS), 0) == (step.step_s, step.possible_s)


def test_metadata_that_claim_more_are_given_up_for_what_is_certain() -> None:
    """1 GHz where all distances but 2 of 100 000 are multiples of 20 ns; not where the capture is short."""
    distances = np.random.default_rng(1).integers(5, 500, 100_000) * 20
    distances[[300, 70_000]] += 7
    long = estimated(np.cumsum(distances), NS, is_text=False)
    short = estimated(np.cumsum(distances[1000:1100]), NS, is_text=False)

    assert (Fraction(20, NS), True, False) == (long.step_s, long.is_certain, long.is_rounded)
    assert (Fraction(1, NS), Fraction(20, NS)) == (short.step_s, short.possible_s)


def test_a_text_keeps_the_step_of_a_short_capture_as_uncertain() -> None:
    """Its last digit states no rate: 200 edges in 2 ms at 8 MS/s; two clocks may keep step for that time."""
    step = estimated(printed(random_s(200), 8e6, NS), NS)

    assert (Fraction(125, NS), False) == (step.step_s, step.is_certain)


def test_floats_have_the_resolution_of_their_largest_times() -> None:
    """Seven digits: 1 us from 1 s on, whatever the finest digit is; a step of 50 us is a multiple of it."""
    digits = np.array([round(float(f"{time_s:.7g}") * NS) for time_s in random_s(2000, mean_s=4e-3)])
    coarse = np.array([round(float(f"{n / 20e3:.7g}") * NS) for n in np.ceil(random_s(2000, mean_s=4e-3) * 20e3)])

    assert (Fraction(1, US), False) == (estimated(digits, NS).resolution_s, estimated(digits, NS).is_coarser)
    assert Fraction(50, US) == estimated(coarse, NS).step_s


def test_the_begin_and_the_ends_of_gaps_are_not_edges() -> None:
    """Rows there are off the step."""
    estimator = StepEstimator(Fraction(NS), is_text=True)
    instants = printed(random_s(4000), 8e6, NS)
    begin, half = instants[0] - 3, instants[2000] + 7
    rows = np.concatenate([[begin], instants[:2000], [half], instants[2001:]])
    for part in (rows[:1000], rows[1000:2001], rows[2001:]):
        gaps = np.array([[instants[1999] + 1, half]] if part[0] <= half <= part[-1] + 125 * 200 else [])
        estimator.feed(Block(part, np.zeros(part.size, np.uint64), int(part[-1]) + 1, gaps.reshape(-1, 2)))
    step = estimator.step()

    assert Fraction(125, NS) == step.step_s
    assert 3990 < step.edges < 4000


def test_memory_does_not_grow_with_the_capture() -> None:
    """800 000 edges in blocks: at most MAX_RUNS runs are kept, from all of the capture."""
    estimator = StepEstimator(Fraction(NS), is_text=True)
    distances = np.random.default_rng(1).integers(5, 500, 1 << 16) * 125
    for block in range(12):
        rows = np.cumsum(distances) + block * int(distances.sum())
        estimator.feed(Block(rows, np.zeros(rows.size, dtype=np.uint64), int(rows[-1]) + 1))
    step = estimator.step()

    assert Fraction(125, NS) == step.step_s
    assert step.edges <= time_step.MAX_RUNS * step_likelihood.RUN_LENGTH


@pytest.mark.parametrize(
    ("stamps_ns", "step_ns"),
    [
        pytest.param(np.arange(40) ** 2 * 1_000_000, 1_000_000, id="integer ms"),
        pytest.param(np.cumsum([1, 997, 1, 1005] * 5 + list(range(30))) * 1_000_000, 1_000_000, id="pairs 1 ms apart"),
        pytest.param(np.arange(10) ** 2 * 1000, 0, id="few"),
        pytest.param(np.arange(400) * 10**9, 0, id="a period of 1 s"),
        pytest.param(np.round(np.arange(99) ** 2 * 1e6 / 32768).astype(int) * 1000, 30517.578125, id="a watch crystal"),
        pytest.param(np.arange(40)[::-1] ** 2 * 15_625_000, 15_625_000, id="backwards, 64 Hz"),
    ],
)
def test_the_step_of_timestamps(stamps_ns: NDArray[np.int64], step_ns: float) -> None:
    """Where they show it; a regular sender does not."""
    assert step_ns == time_step.of_timestamps(stamps_ns.astype(np.int64))
