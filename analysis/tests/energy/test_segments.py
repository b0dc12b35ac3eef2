"""Energies of steps against a load whose energy is known exactly, at several rates, clocks and noises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from energycases import IDEAL, VOLTS, Recorded, record, samples_of, with_instrument
from numpy.typing import NDArray
from scipy import stats

from gpiorig.analysis.energy import segments
from gpiorig.analysis.energy.segments import Energies, Segments

RATES = {1000: 0.02, 10_000: 0.005, 100_000: 0.002, 1_000_000: 0.001}  # with the length of a step in s
TRACES, PACKETS = 12, 20
NOISE_W = 0.01
UNLIKELY = 1e-3


def traces(rate_hz: int, noise_w: float) -> list[Recorded]:
    """Traces with clocks of any offset and rate; 240 packets in all."""
    recorded = []
    for seed in range(TRACES):
        rng = np.random.default_rng([rate_hz, seed])
        offset_s, ppm = RATES[rate_hz] * rng.uniform(0.2, 10), rng.uniform(-100, 100)
        recorded.append(
            record(
                rng,
                rate_hz=rate_hz,
                packets=PACKETS,
                step_s=RATES[rate_hz],
                offset_s=offset_s,
                ppm=ppm,
                noise_w=noise_w,
            )
        )
    return recorded


def of_steps(recorded: Recorded) -> tuple[Segments, Energies]:
    starts, ends = (samples_of(times.ravel()) for times in (recorded.starts_s, recorded.ends_s))
    bounds = np.unique(np.concatenate([starts, ends]))
    measured = segments.measure(recorded.trace, recorded.clock(), bounds)
    owners = np.ones(len(bounds) - 1, dtype=np.int64)
    return measured, measured.owned(np.searchsorted(bounds, starts), np.searchsorted(bounds, ends), owners)


def covered(recorded: Recorded) -> NDArray[np.bool_]:
    _, energies = of_steps(recorded)
    return np.asarray(np.abs(energies.joules - recorded.joules.ravel()) <= energies.expanded)


@pytest.mark.slow
@pytest.mark.parametrize("rate_hz", RATES)
def test_noise_is_within_its_95_percent(rate_hz: int) -> None:
    """Where noise is most of ±, errors are independent: as many of 720 steps are within ± as 95 % give."""
    hits = np.concatenate([covered(recorded) for recorded in traces(rate_hz, NOISE_W)])

    assert TRACES * PACKETS * 3 == len(hits)
    assert UNLIKELY < stats.binom.cdf(hits.sum(), len(hits), 0.95)
    assert UNLIKELY < stats.binom.sf(hits.sum() - 1, len(hits), 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("rate_hz", RATES)
def test_alignment_and_sampling_are_within_95_percent(rate_hz: int) -> None:
    """Without noise the errors of a trace have a cause in common: the mean over traces is not below 95 %."""
    shares = [covered(recorded).mean() for recorded in traces(rate_hz, 0.0)]

    assert 0.95 <= np.mean(shares) + np.std(shares) / np.sqrt(TRACES)


def test_instrument_is_within_its_limits() -> None:
    """The gain and the offset that an instrument has are within ± of its limits, and not within that without them."""
    limited = replace(IDEAL, gain=0.01, offset_a=1e-4)
    for error in ((0.01, 1e-4 * VOLTS), (-0.01, -1e-4 * VOLTS)):
        recorded = record(np.random.default_rng(5), rate_hz=100_000, packets=20, step_s=0.002, error=error)

        assert not covered(recorded).any()
        assert covered(with_instrument(recorded, limited)).all()


def test_energies_add_up() -> None:
    """Steps that overlap share; with the time of no step they add up to all, as do labels; errors are not shared out.

    Half of the steps are made twice as long, so that they reach into the next ones.
    """
    recorded = record(np.random.default_rng(6), rate_hz=10_000, packets=30, step_s=0.005, noise_w=0.002)
    starts, ends = (samples_of(times.ravel()) for times in (recorded.starts_s, recorded.ends_s))
    ends[::2] += ends[::2] - starts[::2]
    bounds = np.unique(np.concatenate([starts, ends]))
    measured = segments.measure(recorded.trace, recorded.clock(), bounds)
    begins, stops = np.searchsorted(bounds, starts), np.searchsorted(bounds, ends)
    owners = np.cumsum(np.bincount(begins, minlength=len(bounds)) - np.bincount(stops, minlength=len(bounds)))[:-1]

    rows = measured.owned(begins, stops, owners)
    outside = measured.labelled(np.minimum(owners, 1), 2)
    total = measured.owned(np.array([0]), np.array([len(bounds) - 1]), np.ones_like(owners))

    assert set(owners.tolist()) == {0, 1, 2}
    assert np.isclose(rows.joules.sum(), outside.joules[1], rtol=1e-12)
    assert np.isclose(outside.joules.sum(), total.joules[0], rtol=1e-12)
    assert np.isclose(measured.joules.sum(), total.joules[0], rtol=1e-12)
    assert total.expanded[0] < outside.expanded.sum() < rows.expanded.sum()


def test_a_part_that_the_trace_lacks_has_no_energy() -> None:
    """Steps before the trace, after it and over lost samples are NaN; the others are what they are without loss."""
    recorded = record(np.random.default_rng(7), rate_hz=10_000, packets=20, step_s=0.005, block=1000)
    blocks = list(recorded.trace.read())
    holed = replace(recorded, trace=replace(recorded.trace, read=lambda: iter([*blocks[1:7], *blocks[9:-1]])))

    _, full = of_steps(recorded)
    _, lacking = of_steps(holed)

    known = np.isfinite(lacking.joules)
    positions, _ = recorded.clock().positions(samples_of(recorded.starts_s.ravel()))
    ends, _ = recorded.clock().positions(samples_of(recorded.ends_s.ravel()))
    inside = ((positions > 1000) & (ends < 7000)) | ((positions > 9000) & (ends < 1000 * (len(blocks) - 1)))
    assert np.array_equal(inside, known)
    assert 0 < known.sum() < len(known)
    assert np.allclose(full.joules[known], lacking.joules[known], rtol=1e-9)


@pytest.mark.parametrize("block", [1, 7, 100, 10**9])
def test_blocks_do_not_matter(block: int) -> None:
    """Any size of blocks gives the same energies and the same ±."""
    made = [
        record(np.random.default_rng(8), rate_hz=1000, packets=12, step_s=0.02, block=size) for size in (333, block)
    ]
    energies = [of_steps(recorded)[1] for recorded in made]

    assert np.allclose(energies[0].joules, energies[1].joules, rtol=1e-9)
    assert np.allclose(energies[0].sampling, energies[1].sampling, rtol=1e-9)
