from __future__ import annotations

import datetime
from fractions import Fraction

import numpy as np
import pytest

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.sync import alignment, sync_line
from gpiorig.capture.sync.sync_line import LENGTH, PERIOD_NS, SyncPulses

FAST, SLOW = Fraction(24_000_000), Fraction(16_000_000)


def seen(
    rate: Fraction, *, first: int, count: int, ppm: float = 0.0, start_s: float = 0.0, wander_ppm: float = 0.0
) -> SyncPulses:
    """The pulses as an analyzer sees them whose clock is `ppm` fast, wanders by a sine of 40 s, and starts late."""
    positions = np.arange(first, first + count)
    time_s = positions * PERIOD_NS / 1e9 - start_s
    wander_s = wander_ppm * 1e-6 * 40 / (2 * np.pi) * np.sin(2 * np.pi * time_s / 40)
    samples = np.floor((time_s * (1 + ppm * 1e-6) + wander_s) * float(rate)).astype(np.int64)
    return SyncPulses(samples, positions - first // LENGTH * LENGTH, damaged=0)


def test_a_straight_line_fits_two_crystals() -> None:
    """Two clocks with constant error: one line, residuals of sampling only, and their difference in rate."""
    reference = seen(FAST, first=0, count=6000, ppm=-31)
    other = seen(SLOW, first=500, count=5000, ppm=22, start_s=4.9)

    fit = alignment.align(reference, other, reference_hz=FAST, aligned_hz=SLOW)

    assert 5000 == fit.pulses
    assert 2 == fit.aligned.size
    assert 53_000 == pytest.approx(fit.rate_ppb, abs=20)
    assert fit.residual_std_ns < 1.1 * fit.sampling_std_ns
    assert np.all(np.abs(fit.renumber(other.samples) - reference.samples[500:5500]) <= 2)


def test_a_longer_way_of_the_sync_line_is_corrected() -> None:
    """250 ns later at the slower analyzer: what it sees then, the reference sees 6 of its samples later."""
    both = seen(FAST, first=0, count=3000), seen(SLOW, first=0, count=3000)
    plain = alignment.align(*both, reference_hz=FAST, aligned_hz=SLOW)

    fit = alignment.align(*both, reference_hz=FAST, aligned_hz=SLOW, delay_ns=250, delay_limit_ns=60)

    assert np.array_equal(plain.renumber(both[1].samples) + 6, fit.renumber(both[1].samples))
    assert pytest.approx(np.hypot(plain.uncertainty_ns, 60 / np.sqrt(3))) == fit.uncertainty_ns


def test_wandering_clocks_get_more_knots() -> None:
    """A clock that wanders by 1 ppm is off a straight line by microseconds; the finer line follows it."""
    reference = seen(FAST, first=0, count=12_000)
    other = seen(FAST, first=0, count=12_000, wander_ppm=1.0)

    fit = alignment.align(reference, other, reference_hz=FAST, aligned_hz=FAST)

    assert fit.knot_s < 60
    assert fit.residual_std_ns < alignment.FIT_LIMIT * fit.sampling_std_ns
    assert np.all(np.abs(fit.renumber(other.samples) - reference.samples) <= 2)

    an_hour = 3600 * int(FAST)
    later = [SyncPulses(pulses.samples + an_hour, pulses.positions, damaged=0) for pulses in (reference, other)]
    assert fit.knot_s == pytest.approx(alignment.align(*later, reference_hz=FAST, aligned_hz=FAST).knot_s)


@pytest.mark.parametrize(("slow", "step"), [(SLOW, 1), (FAST, 1), (FAST, 2)])
def test_samples_of_one_burst_keep_their_distances(slow: Fraction, step: int) -> None:
    """Rows within two samples are as far apart as by the samplerates, wherever the clocks' difference goes."""
    fit = alignment.align(
        seen(FAST, first=0, count=3000), seen(slow, first=0, count=3000, ppm=43), reference_hz=FAST, aligned_hz=slow
    )
    begins = np.arange(100_000, dtype=np.int64) * 400
    bursts = (begins[:, None] + step * np.arange(4)).reshape(-1)
    plain = np.rint(np.interp(bursts, fit.aligned, fit.reference))

    renumbered = fit.renumber(bursts)

    assert np.all(np.abs(renumbered - plain) <= 1)
    assert np.all(renumbered.reshape(-1, 4)[:, 2] - renumbered.reshape(-1, 4)[:, 0] == 2 * step * FAST / slow)
    assert not np.all(plain.reshape(-1, 4)[:, 2] - plain.reshape(-1, 4)[:, 0] == 2 * step * FAST / slow)
    assert [] == fit.renumber(np.zeros(0, dtype=np.int64)).tolist()


def test_lost_samples_are_no_line() -> None:
    """A step of 100 samples in the middle is refused, with the place."""
    reference = seen(FAST, first=0, count=3000)
    other = seen(FAST, first=0, count=3000)
    stepped = SyncPulses(other.samples - np.where(other.positions > 1500, 100, 0), other.positions, 0)

    with pytest.raises(CaptureError, match=r"do not fall on a line: \d+ ns off at 36\d{7}"):
        alignment.align(reference, stepped, reference_hz=FAST, aligned_hz=FAST)


def test_no_common_pulses_are_refused() -> None:
    with pytest.raises(CaptureError, match="0 sync pulses in common"):
        alignment.align(
            seen(FAST, first=0, count=100), seen(FAST, first=30_000, count=100), reference_hz=FAST, aligned_hz=FAST
        )


def test_a_second_round_needs_the_wall_clocks() -> None:
    """Recordings longer than a round of the sequence fit in two ways; their epochs decide, and may contradict."""
    reference = seen(FAST, first=0, count=LENGTH + 2000)
    other = seen(FAST, first=LENGTH + 100, count=1000, start_s=655.35)
    day = "2026-01-01T00:00:00+00:00", "2026-01-01T00:10:55+00:00", "2026-01-01T00:05:00+00:00"

    with pytest.raises(CaptureError, match="in 2 ways"):
        alignment.align(reference, other, reference_hz=FAST, aligned_hz=FAST)
    fit = alignment.align(reference, other, reference_hz=FAST, aligned_hz=FAST, epochs=day[:2])
    assert 1 >= abs(reference.samples[LENGTH + 100] - fit.renumber(other.samples[:1])[0])
    with pytest.raises(CaptureError, match="300 s from where their wall clocks do"):
        alignment.align(reference, other, reference_hz=FAST, aligned_hz=FAST, epochs=(day[0], day[2]))


def test_positions_come_from_the_code() -> None:
    """The period that the alignment counts in is the sync line's."""
    assert 655.35 == pytest.approx(LENGTH * PERIOD_NS / 1e9)
    assert LENGTH == len(sync_line.code())


@pytest.mark.parametrize("late_s", [100.0, 400.0])
@pytest.mark.parametrize(("first", "error_s"), [(0, 0), (40_000, 60), (40_000, 61), (40_000, -61)])
def test_the_wall_clocks_of_recordings_that_begin_apart(late_s: float, first: int, error_s: int) -> None:
    """They may be wrong by a minute; the second recording begins later, and so do its samples and its positions."""
    shift = round(late_s * 100)
    reference = seen(FAST, first=first, count=shift + 1000, start_s=first / 100 - 5)
    other = seen(FAST, first=first + shift, count=500, start_s=first / 100 + late_s - 20)
    begin = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    epochs = begin.isoformat(), (begin + datetime.timedelta(seconds=late_s - 15 + error_s)).isoformat()

    def aligned() -> alignment.Alignment:
        return alignment.align(reference, other, reference_hz=FAST, aligned_hz=FAST, epochs=epochs)

    if abs(error_s) > 60:
        with pytest.raises(CaptureError, match="puts the two recordings 61 s from where their wall clocks do"):
            aligned()
    else:
        assert 1 >= abs(reference.samples[shift] - aligned().renumber(other.samples[:1])[0])
        assert 500 == aligned().pulses


@pytest.mark.parametrize("count", [15, 16])
def test_sixteen_pulses_are_the_fewest(count: int) -> None:
    """Late in the sequence, where two recordings still fit in one way."""
    both = [seen(FAST, first=40_000, count=count, start_s=399) for _ in range(2)]
    if count < 16:
        with pytest.raises(CaptureError, match="have 15 sync pulses in common; they need 16"):
            alignment.align(*both, reference_hz=FAST, aligned_hz=FAST)
    else:
        fit = alignment.align(*both, reference_hz=FAST, aligned_hz=FAST)
        assert both[0].samples.tolist() == fit.renumber(both[1].samples).tolist()
