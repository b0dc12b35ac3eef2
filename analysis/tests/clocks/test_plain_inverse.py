"""Numbers of clock fits that follow from others, against plain second versions."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gpiorig.analysis.clocks import clock_fit, host_clock, node_json
from gpiorig.analysis.statistics.intervals import Interval

EPOCH_NS = 1_763_000_000 * 10**9


@pytest.mark.parametrize(("low", "high"), [(-20.0, 30.0), (-999_999.0, 5.0), (-1e6, 5.0), (np.nan, np.nan)])
def test_the_rate_of_the_reference_is_the_inverse_of_the_clocks(low: float, high: float) -> None:
    """(1 + a)(1 + b) = 1, the ends exchanged; none for a clock that may stand still."""
    ends = node_json._inverse_ends(Interval(0.0, low, high, method=""))
    if np.isnan(low) or low <= -1e6:
        assert ends is None
        return
    assert ends is not None
    assert [1.0, 1.0] == pytest.approx(
        [(1 + high * 1e-6) * (1 + ends[0] * 1e-6), (1 + low * 1e-6) * (1 + ends[1] * 1e-6)]
    )
    assert ends[0] < ends[1]


def test_differences_of_an_epoch_are_exact() -> None:
    """The first is 0 but for what the host gained; the integers that they are relative to give them back."""
    reference = EPOCH_NS + np.array([0, 7, 1000, 10**12])
    host = EPOCH_NS + 77 + np.array([0, 8, 1003, 10**12 + 5])
    x, y, (centre, start) = host_clock._differences(host, reference)
    assert [0, 1, 3, 5] == y.tolist()
    assert (reference - centre).tolist() == x.astype(np.int64).tolist()
    assert round(float((reference - EPOCH_NS).mean())) == centre - EPOCH_NS
    assert (host - start - (reference - centre)).tolist() == y.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_a_lower_hull_has_no_point_below_its_chords(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.integers(0, 60, 40)).astype(float)
    y = np.rint(rng.exponential(10, 40) + 0.3 * x)
    hull = host_clock._hull(x, y).tolist()
    corners = [
        i
        for i in range(40)
        if not any(
            (x[i], y[i]) not in ((x[a], y[a]), (x[b], y[b]))
            and x[a] <= x[i] <= x[b]
            and y[i] >= np.interp(x[i], [x[a], x[b]], [y[a], y[b]])
            for a in range(40)
            for b in range(40)
            if x[a] < x[b]
        )
    ]
    assert {(x[i], y[i]) for i in corners} == {(x[i], y[i]) for i in hull}


@pytest.mark.parametrize(
    ("low", "high", "residual", "outliers", "notes"),
    [
        (-5.0, 5.0, 0.0, 0, 0),
        (1.0, 3.0, 0.0, 0, 0),
        (1.01, 3.0, 0.0, 0, 1),
        (-3.0, -1.01, 0.0, 0, 1),
        (-3.0, 1.0, 0.0, 0, 0),
        (-0.1, 0.1, 1.0, 0, 1),
        (-0.1, 0.1, 0.0, 26, 1),
        (-0.1, 0.1, 0.0, 25, 0),
    ],
)
def test_a_clock_that_does_not_follow_is_noted(
    low: float, high: float, residual: float, outliers: int, notes: int
) -> None:
    """Its rate is too far from 1, its residual is too large a share of the span, or a fifth are outliers."""
    ppm = Interval(0.0, low * clock_fit.STRANGE_PPM, high * clock_fit.STRANGE_PPM, method="")
    segment = SimpleNamespace(
        ppm=ppm, residual_std_ns=residual * 1e9, start_ns=10**9, end_ns=2 * 10**9, n=100, outliers=outliers
    )
    assert notes == len(clock_fit._strange([segment]))  # type: ignore[list-item]
