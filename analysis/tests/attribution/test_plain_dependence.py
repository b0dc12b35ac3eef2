"""Dependence on a covariate against plain second versions, over delays drawn at random."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import statsmodels.api as sm

from gpiorig.analysis.attribution import dependence, series


@pytest.mark.parametrize("seed", range(4))
def test_a_line_has_whites_errors(seed: int) -> None:
    """Slope, adjusted share and interval of statsmodels, HC1 with Student's t."""
    rng = np.random.default_rng(seed)
    c = rng.exponential(3, 40)
    x = 100 - 2 * c + c * rng.normal(size=40)
    expected = sm.OLS(x, sm.add_constant(c)).fit(cov_type="HC1", use_t=True)
    share, slope = dependence._line(x, c, 25.0)
    assert expected.rsquared_adj == pytest.approx(share)
    low, high = 25 * expected.conf_int()[1]
    assert (25 * expected.params[1], low, high) == pytest.approx((slope.value, slope.low, slope.high))


@pytest.mark.parametrize("seed", range(6))
def test_a_monotone_regression_is_the_largest_of_the_least_means(seed: int) -> None:
    """Fitted value at i: max over a <= i of min over b >= i of the mean from a to b, for equal covariates together."""
    rng = np.random.default_rng(seed)
    c = rng.integers(0, 12, 40).astype(float)
    x = rng.normal(0, 3, 40) + [-1, 0.2, 1][seed % 3] * c + 50
    values = np.unique(c)
    cells = [x[c == value] for value in values]
    best = 0.0
    for sign in (1, -1):
        fitted = [
            max(
                min(np.mean(sign * np.concatenate(cells[a : b + 1])) for b in range(i, len(cells)))
                for a in range(i + 1)
            )
            for i in range(len(cells))
        ]
        rest = sum(float(np.sum((sign * cell - level) ** 2)) for cell, level in zip(cells, fitted, strict=True))
        levels = 1 + sum(b - a > 1e-9 for a, b in pairwise(fitted))
        best = max(best, 1 - rest / (40 - levels) / np.var(x, ddof=1))
    assert best == pytest.approx(dependence._isotonic_share(x, c), abs=1e-9)


def test_equal_values_have_no_shares() -> None:
    """Nor have as many groups, or levels, as values."""
    assert 0.0 == series.grouped_share(np.ones(6), np.arange(6) % 2)
    assert (
        0.0
        == dependence._isotonic_share(np.ones(6), np.arange(6.0))
        == dependence._isotonic_share(np.arange(6.0), np.arange(6.0))
    )


@pytest.mark.parametrize(
    ("packets", "values", "rare", "method"),
    [
        (29, 5, 3, None),
        (30, 5, 3, "Kruskal-Wallis"),
        (30, 2, 2, None),
        (30, 2, 3, "Kruskal-Wallis"),
        (60, 8, 3, "Kruskal-Wallis"),
        (60, 9, 3, "Spearman"),
    ],
)
def test_how_a_covariate_is_tested(packets: int, values: int, rare: int, method: str | None) -> None:
    """By groups for eight values or fewer; of thirty packets or more, of which three differ from the rest."""
    c = np.resize(np.arange(values), packets) if values > 2 else (np.arange(packets) < rare)
    x = (1000 - 50 * c + np.random.default_rng(1).integers(0, 9, packets)).astype(np.int64)
    found = dependence.test(x, c.astype(float), name="c", period_ns=1.0)
    assert method == (found.numbers["method"] if found is not None else None)
    assert found is None or "shorter for one more" in found.sentence
