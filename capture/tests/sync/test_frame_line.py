"""Frames that two receivers have in common, found by their intervals and lengths."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.sync import alignment, frame_line
from gpiorig.capture.sync.frame_line import Frames

RATE_HZ = Fraction(24_000_000)
FRAMES = 2000


def received(times_ns: NDArray[np.float64], lengths_ns: NDArray[np.float64], *, ppm: float, begin_s: float) -> Frames:
    """What a receiver's analyzer records of frames, with a clock of its own."""
    samples = np.rint((times_ns - begin_s * 1e9) * (1 + ppm * 1e-6) * float(RATE_HZ) / 1e9).astype(np.int64)
    there = samples >= 0
    return Frames(samples[there], lengths_ns[there], RATE_HZ)


def air(random: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Frames of 8 to 127 bytes at random intervals of 20 ms on average: instants, and how long they take."""
    return np.cumsum(random.exponential(20e6, FRAMES) + 1e6), 32e3 * random.integers(8, 128, FRAMES)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_receivers_that_miss_frames_and_are_late(seed: int) -> None:
    """A third is missed on each side, a receiver's instants scatter by 300 ns, some are late by more."""
    random = np.random.default_rng(seed)
    times_ns, lengths_ns = air(random)
    left, right = (random.random(FRAMES) > 1 / 3 for _ in range(2))
    late_ns = random.normal(0, 300, FRAMES) + 4000 * (random.random(FRAMES) < 0.01)
    reference = received(times_ns[left], lengths_ns[left], ppm=-20, begin_s=0)
    other = received((times_ns + late_ns)[right], lengths_ns[right], ppm=80, begin_s=7.3)

    x, y, noise_ns = frame_line.in_common(reference, other)
    fit = alignment.fit(x, y, reference_hz=RATE_HZ, aligned_hz=RATE_HZ, noise_ns=noise_ns)

    seen = np.count_nonzero(left & right & (times_ns > 7.3e9))
    assert 0.95 * seen < fit.pulses <= seen
    assert 300 == pytest.approx(noise_ns, rel=0.25)
    assert 100_000 == pytest.approx(fit.rate_ppb, abs=50)
    assert 300 == pytest.approx(fit.residual_std_ns, rel=0.1)
    instants_ns = np.array([10e9, 30e9])
    own = (instants_ns - 7.3e9) * (1 + 80e-6) * 24e6 / 1e9
    expected = instants_ns * (1 - 20e-6) * 24e6 / 1e9
    assert np.all(np.abs(fit.renumber(np.rint(own).astype(np.int64)) - expected) * 1e9 / 24e6 < 100)


def test_frames_at_equal_intervals_are_refused() -> None:
    """Which of them are the same is unknown."""
    times_ns = np.arange(FRAMES) * 20e6
    regular = [received(times_ns, np.full(FRAMES, 640e3), ppm=0, begin_s=begin_s) for begin_s in (0, 3.0)]
    with pytest.raises(CaptureError, match="intervals that repeat"):
        frame_line.in_common(*regular)


def test_receivers_of_different_radios_are_refused() -> None:
    """Nothing falls on each other; nor does it where a receiver received nothing."""
    left, right = (received(*air(np.random.default_rng(seed)), ppm=0, begin_s=0) for seed in (1, 2))
    silent = Frames(left.samples[:0], left.lengths_ns[:0], RATE_HZ)
    for other in (right, silent):
        with pytest.raises(CaptureError, match="no frames in common"):
            frame_line.in_common(left, other)


def pairs_of_frames(count: int, *, seed: int = 5) -> NDArray[np.float64]:
    """Instants in ns of frames 5 ms apart in pairs, the pairs at random distances; a length states nothing."""
    gaps_ns = np.full(count, 5e6)
    gaps_ns[::2] = np.random.default_rng(seed).uniform(40e6, 90e6, gaps_ns[::2].size)
    return np.cumsum(gaps_ns)


def frames_at(times_ns: NDArray[np.float64]) -> Frames:
    return Frames(np.rint(times_ns * 0.024).astype(np.int64), np.full(times_ns.size, 640e3), RATE_HZ)


def test_each_frame_is_found_while_the_clocks_drift() -> None:
    """60 s in which the rates come to differ by 100 ppm; either interval of two alone would fit everywhere."""
    times_ns = pairs_of_frames(1200)
    drifting_ns = times_ns + 100e-6 * times_ns**2 / 120e9 + 3e9
    x, y, noise_ns = frame_line.in_common(frames_at(times_ns), frames_at(drifting_ns))

    found = np.isin(frames_at(times_ns).samples, y)
    assert np.count_nonzero(~found) <= 12  # at both ends, which have no frames on the other side
    assert frames_at(drifting_ns).samples[found].tolist() == x.tolist()
    assert noise_ns < 1000


@pytest.mark.parametrize("ppm", [-150, 150])
def test_six_frames_are_the_fewest(ppm: int) -> None:
    """They begin four times the same two intervals, by clocks that differ; of five frames there are three only."""
    times_ns = pairs_of_frames(6)
    reference, aligned = frames_at(times_ns), frames_at(times_ns * (1 + ppm * 1e-6))

    assert frame_line.in_common(reference, aligned)[0].size >= 4
    with pytest.raises(CaptureError, match="no frames in common"):
        frame_line.in_common(reference, Frames(aligned.samples[:5], aligned.lengths_ns[:5], RATE_HZ))


def test_a_window_at_another_distance_is_not_taken() -> None:
    """Of 60 s, ten in which the other recorder is late by 12 ms, which no two clocks are."""
    times_ns = pairs_of_frames(1200)
    late = (times_ns >= 40e9) & (times_ns < 50e9 - 12e6)
    other = frames_at(times_ns + 12e6 * late)
    _, y, _ = frame_line.in_common(frames_at(times_ns), other)

    assert not set(frames_at(times_ns).samples[late]) & set(y)
    assert set(frames_at(times_ns).samples[~late & (times_ns < 50e9)]) <= set(y)
