"""MTIE, TDEV and MAVAR of delays: allantools, the sums of ITU-T G.810 written out, lost packets, tables."""

from __future__ import annotations

import itertools
import math

import allantools
import numpy as np
import pytest
from network import Network

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.quantities import delay_stability
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.analysis.quantities.values import series_of

MS = 24_000
STEP_NS = 20_000_000


def delays(count: int = 120) -> np.ndarray:
    """Delays in ns of levels, as a backoff makes them, which drift."""
    rng = np.random.default_rng(34)
    return 5e6 + 320e3 * rng.integers(0, 8, count) + np.cumsum(rng.normal(0, 9e3, count))


def starts(count: int) -> np.ndarray:
    return np.arange(count) * float(STEP_NS)


def by_definition(x: list[float], n: int, tau0: float) -> tuple[float, float, float]:
    """MTIE, TDEV and MAVAR of G.810 (1996), II.5, II.3 and II.2, sum by sum; a missing phase is NaN.

    A window of MTIE leaves it out, a difference with one is not used.
    """
    windows = [[value for value in x[k : k + n + 1] if not math.isnan(value)] for k in range(len(x) - n)]
    ranges = [max(window) - min(window) for window in windows if window]
    squares = []
    for j in range(len(x) - 3 * n + 1):
        inner = sum(x[i + 2 * n] - 2 * x[i + n] + x[i] for i in range(j, j + n))
        squares += [] if math.isnan(inner) else [inner**2]
    mean = sum(squares) / len(squares)
    return max(ranges), math.sqrt(mean / (6 * n**2)), mean / (2 * n**4 * tau0**2)


@pytest.mark.parametrize("n", [1, 2, 5, 16, 38])
def test_allantools_and_the_definitions(n: int) -> None:
    x, tau = delays(), n * STEP_NS / 1e9
    shown = [delay_stability.statistic(f"{name}{n}", x, starts(len(x))) for name in ("mtie", "tdev", "mavar")]
    how = {"rate": 1e9 / STEP_NS, "data_type": "phase", "taus": [tau]}
    oracles = [
        allantools.mtie(x, **how)[1][0],
        allantools.tdev(x, **how)[1][0],
        allantools.mdev(x / 1e9, **how)[1][0] ** 2,
    ]
    assert oracles == pytest.approx(shown, rel=1e-9)
    mtie, tdev, mavar = by_definition(x.tolist(), n, float(STEP_NS))
    assert [mtie, tdev, mavar] == pytest.approx(shown, rel=1e-9)


def test_lost_packets_are_gaps_and_late_ones_keep_their_place() -> None:
    """Ten of eighty are lost, eight begin up to a third of a step late, and they come in any order."""
    rng = np.random.default_rng(3)
    x, order = delays(80), rng.permutation(80)
    lost, late = order[:10][(order[:10] > 0) & (order[:10] < 79)], order[10:18]
    at = starts(80)
    at[late] += rng.uniform(0, STEP_NS / 3, len(late)).round() * (late > 0)
    with_gaps = np.where(np.isin(np.arange(80), lost), math.nan, x)
    kept = order[~np.isin(order, lost)]
    for n in (1, 4):
        shown = [delay_stability.statistic(f"{name}{n}", x[kept], at[kept]) for name in ("mtie", "tdev", "mavar")]
        assert by_definition(with_gaps.tolist(), n, float(STEP_NS)) == pytest.approx(shown, rel=1e-9)


def test_what_a_record_is_too_short_for() -> None:
    x = delays(8)
    assert math.isfinite(delay_stability.statistic("mtie7", x, starts(8)))
    assert math.isnan(delay_stability.statistic("mtie8", x, starts(8)))
    assert math.isnan(delay_stability.statistic("tdev3", x, starts(8)))
    assert math.isnan(delay_stability.statistic("mtie1", x[:7], starts(7)))
    with pytest.raises(QuantityError, match="write it like `mtie8`"):
        delay_stability.statistic("mtie", x, starts(8))


def test_the_table_is_of_the_delays_of_a_recording() -> None:
    network = Network("ab")
    for n in range(1, 34):
        network.frame(n * 20 * MS, "a", n, {"b": "deliver"}, backoff=1000 + 7680 * (n * 5 % 8))
    stages = analysis.analyse(network.events(), {}, header_ns=network.headers(), destinations={"a": ("b",)})
    recorded = Recorded(stages, {"payload": 9}, network.headers())
    asked = [*series_of("app.tx -> app.rx", recorded), *series_of("goodput", recorded)]
    rows = delay_stability.table(delay_stability.of_series(asked, recorded.events.samplerate_hz)).to_pylist()
    assert [(0.02 * 2**k, 33, 0) for k in range(5)] == [
        (pytest.approx(row["tau_s"]), row["n"], row["missing"]) for row in rows
    ]
    assert {"a > b: app.tx -> app.rx"} == {row["quantity"] for row in rows}
    x = [value * 1000 / 24 for value in asked[0].values.tolist()]
    for row, n in zip(rows, itertools.accumulate([1, 2, 4, 8, 16], max), strict=True):
        if 3 * n > len(x):
            assert (None, None) == (row["tdev_ns"], row["mavar"])
            continue
        expected = by_definition(x, n, 20e6)
        assert expected == pytest.approx((row["mtie_ns"], row["tdev_ns"], row["mavar"]), rel=1e-6)
