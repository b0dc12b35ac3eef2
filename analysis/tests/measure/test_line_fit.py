"""A line through delays, and the mean of periods: against arithmetic by hand, and how often ± holds the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpiorig.analysis.delays.instruments import CLOCK_PPM
from gpiorig.analysis.measure import line_fit, nominal, timestamps
from gpiorig.capture.edges.time_step import TimestampStep


def test_a_line_by_hand() -> None:
    """Points (0, 1), (1, 3), (2, 4), (3, 8): slope 11/5, intercept 0.7, sum of squared residuals 1.8."""
    line = line_fit.fit(np.arange(4.0), np.array([1, 3, 4, 8]), step_ns=0.0)

    assert line is not None
    assert (2.2, 0.7) == pytest.approx((line.slope_ns, line.intercept_ns))
    assert math.sqrt(1.8 / 2) == pytest.approx(line.residual_std_ns)
    student = 4.5266  # t for 95.45 % of 2 degrees of freedom (JCGM 100:2008, table G.2: 4.53)
    assert student * math.sqrt(0.9 / 5) == pytest.approx(line.slope_scatter_ns, rel=1e-4)
    assert student * math.sqrt(0.9 * (1 / 4 + 1.5**2 / 5)) == pytest.approx(line.intercept_scatter_ns, rel=1e-4)
    assert (0.0, 0.0) == (line.slope_step_ns, line.intercept_step_ns)


def test_what_cannot_be_fitted() -> None:
    """Two points leave nothing to judge the line by; one abscissa has no slope."""
    assert None is line_fit.fit(np.array([1.0, 2.0]), np.array([1, 2]), step_ns=0.0)
    assert None is not line_fit.fit(np.array([1.0, 2.0, 4.0]), np.array([1, 2, 3]), step_ns=0.0)
    assert None is line_fit.fit(np.array([1.0, 1.0, 1.0, math.nan]), np.array([1, 2, 3, 4]), step_ns=0.0)


@pytest.mark.parametrize("in_phase", [True, False])
def test_quantised_timestamps_are_covered(in_phase: bool) -> None:
    """Delays by length, to steps of 1 ms: ± holds the slope, also where each length is always rounded alike."""
    random = np.random.default_rng(7)
    lengths, hits = np.tile(np.arange(20.0, 120.0, 20.0), 40), 0
    for _ in range(200):
        slope, offset = random.uniform(25_000, 40_000), random.uniform(0, 5e6)
        phase = random.uniform(0, 1e6, 5)[np.tile(np.arange(5), 40)] if in_phase else random.uniform(0, 1e6, 200)
        ends = phase + offset + slope * lengths
        delays = (np.round(ends / 1e6) - np.round(phase / 1e6)) * 1e6
        line = line_fit.fit(lengths, delays.astype(np.int64), step_ns=1e6)
        assert line is not None
        hits += abs(line.slope_ns - slope) <= line.slope_uncertainty_ns

    assert 188 <= hits  # 94 %


def test_a_mean_against_its_nominal_value_by_hand() -> None:
    """Two runs of 3 and 2 periods of 1001 units of 1 ns: 1000 ppm from 1 us; the ends of two runs share ±."""
    starts = np.array([0, 1001, 2002, 9000, 10_001])

    deviation = nominal.deviation(
        starts, np.full(5, 1001), unit_ns=1.0, nominal_ns=1000.0, ends_ns=4.0, clock_ppm=100.0
    )

    assert deviation is not None
    assert (1000.0, 2, 0.0) == pytest.approx((deviation.ppm, deviation.runs, deviation.scatter_ppm))
    assert 4.0 * 2 / 5 / 1000 * 1e6 == pytest.approx(deviation.ends_ppm)
    assert 1600.0 + 200 / math.sqrt(3) == pytest.approx(deviation.uncertainty_ppm)
    assert None is nominal.deviation(starts[:0], starts[:0], unit_ns=1.0, nominal_ns=1.0, ends_ns=0.0)


@pytest.mark.parametrize("jitter", ["edges", "periods", "wander"])
def test_the_scatter_of_a_mean_is_covered(jitter: str) -> None:
    """Jitter of single edges, of the periods, and a rate that wanders: ± holds the true mean."""
    random, hits, n = np.random.default_rng(3), 0, 600
    for _ in range(300):
        noise = random.normal(0, 1000, n + 1)
        instants = 1e6 * np.arange(n + 1.0) + noise
        if jitter != "edges":
            instants = np.cumsum(1e6 + noise)
        if jitter == "wander":
            instants = np.cumsum(1e6 + np.convolve(random.normal(0, 300, n + 8), np.ones(8), "valid"))
        rounded = np.round(instants).astype(np.int64)
        deviation = nominal.deviation(
            rounded[:-1], np.diff(rounded), unit_ns=1.0, nominal_ns=1e6, ends_ns=2 / math.sqrt(6)
        )
        assert deviation is not None
        hits += abs(deviation.ppm) <= deviation.uncertainty_ppm

    assert 0.93 * 300 <= hits


def test_steps_of_timestamps_by_the_pseudoinverse() -> None:
    """Delays of one abscissa are rounded alike: a line's weights, added where they have that, times 2 steps / √6."""
    x = np.array([1.0, 1.0, 2.0, 5.0, 5.0, 5.0, 12.0])
    weights = np.linalg.pinv(np.stack([np.ones(7), x], axis=1))
    together = np.stack([weights[:, x == place].sum(axis=1) for place in (1, 2, 5, 12)])
    intercept, slope = 2 * 30.0 / math.sqrt(6) * np.sqrt((together**2).sum(axis=0))

    line = line_fit.fit(x, np.array([3, 5, 7, 9, 12, 11, 20]), step_ns=30.0)

    assert line is not None
    assert (intercept, slope) == pytest.approx((line.intercept_step_ns, line.slope_step_ns))


def test_one_period_shows_no_scatter() -> None:
    deviation = nominal.deviation(None, np.array([1002]), unit_ns=1.0, nominal_ns=1000.0, ends_ns=4.0)
    assert deviation is not None
    assert math.isnan(deviation.scatter_ppm)
    assert (2000.0, 1, 4000.0) == pytest.approx((deviation.ppm, deviation.runs, deviation.uncertainty_ppm))


def test_the_step_of_timestamps_is_null_where_it_is_not_known() -> None:
    for step, expected in (((0.0, "format"), (None, None)), ((1e6, "timestamps"), (1e6, "timestamps"))):
        numbers = timestamps.numbers(TimestampStep(*step))
        assert expected == (numbers.step_ns, numbers.step_origin)


def test_the_scatter_of_a_mean_in_units() -> None:
    """Four periods of 2.5 ns a unit: t for 95.45 % of 3 degrees of freedom is 3.3068 (table G.2: 3.31)."""
    periods = np.array([400, 402, 398, 404])
    deviation = nominal.deviation(None, periods, unit_ns=2.5, nominal_ns=1000.0, ends_ns=4.0)
    assert deviation is not None
    expected_ns = 3.3068 * 2.5 * periods.std(ddof=1) / 2
    assert (2500.0, expected_ns * 1000) == pytest.approx((deviation.ppm, deviation.scatter_ppm), rel=1e-4)
    assert (4, 4000.0) == (deviation.runs, deviation.ends_ppm)


def test_the_uncertainty_of_a_delay_between_timestamps() -> None:
    """0.95 of a step (`quantised`), and 2 / √3 of what the clock may be off over the delay, of either sign."""
    clock_ns = 2 * CLOCK_PPM * 1e-6 / math.sqrt(3) * 5e9
    for longest_ns in (5e9, -5e9):
        assert 0.95 * 1000.0 + clock_ns == pytest.approx(timestamps.expanded_ns(1000.0, longest_ns))
