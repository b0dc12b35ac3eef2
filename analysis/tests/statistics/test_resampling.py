"""The block bootstrap against plain resampling, and its ends against a second program."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from gpiorig.analysis.statistics import resampling
from gpiorig.analysis.statistics.resampling import CELLS, REPLICATES


def plain(x, weights):
    """The resamples themselves, sorted; of cells of one row."""
    return [np.sort(np.repeat(x, row.astype(int))) for row in weights]


@pytest.mark.parametrize(("n", "block"), [(1, 1), (7, 1), (37, 4), (37, 37), (1000, 10)])
def test_quantiles_and_means_of_resamples_are_the_plain_ones(n, block):
    x = np.random.default_rng(2).integers(0, 50, n)
    plan = resampling.resample(n, block)
    cells, resamples = resampling.value_cells(x, plan), plain(x, plan.weights)
    for p in (0.01, 0.5, 0.9):
        expected = [resample[math.floor((len(resample) - 1) * p)] for resample in resamples]
        assert expected == cells.quantiles(p, plan.weights).tolist()
    np.testing.assert_allclose([resample.mean() for resample in resamples], resampling.means(x, plan, plan.weights))


def test_quantiles_of_many_rows_are_the_plain_ones():
    """Several rows in a cell: every row of a cell comes as often as the cell."""
    n = 5 * CELLS + 321
    x = np.random.default_rng(3).integers(0, 1000, n)
    plan = resampling.resample(n, 20)
    rows = np.repeat(plan.weights[:5], plan.sizes, axis=1)
    expected = [resample[math.floor((len(resample) - 1) * 0.99)] for resample in plain(x, rows)]
    assert expected == resampling.value_cells(x, plan).quantiles(0.99, plan.weights[:5]).tolist()
    assert (0, n) == (plan.edges[0], plan.edges[-1])
    assert plan.block >= 20


@pytest.mark.parametrize("kind", ["far apart", "fractions", "nearly all equal"])
def test_quantiles_of_values_in_groups_of_groups_are_the_plain_ones(kind):
    """Thousands of different values are searched level by level."""
    rng = np.random.default_rng(5)
    x = {
        "far apart": rng.integers(-(1 << 50), 1 << 50, 9000),
        "fractions": rng.normal(size=9000),
        "nearly all equal": np.where(rng.random(9000) < 0.95, 7, rng.integers(0, 1 << 20, 9000)),
    }[kind]
    plan = resampling.resample(len(x), 1)
    cells, rows = resampling.value_cells(x, plan), np.repeat(plan.weights[:5], plan.sizes, axis=1)
    for p in (0.001, 0.5, 0.97):
        expected = [resample[math.floor((len(resample) - 1) * p)] for resample in plain(x, rows)]
        assert expected == cells.quantiles(p, plan.weights[:5]).tolist()


def test_a_resample_is_made_of_whole_blocks():
    """Around the circle the weights rise where blocks begin and fall where they end: as often the one as the other."""
    plan = resampling.resample(100, 10)
    steps = np.diff(np.concatenate([plan.weights, plan.weights[:, :1]], axis=1), axis=1)
    assert (10, 10) == (plan.blocks, plan.block)
    assert {100.0} == set(plan.weights.sum(axis=1))
    assert {0.0} == set(steps.sum(axis=1))
    assert np.abs(steps).sum(axis=1).max() <= 2 * plan.blocks


def test_streams_differ_and_each_is_the_same_every_time():
    resampling._drawn.cache_clear()
    first = resampling.resample(50, 3).weights
    resampling._drawn.cache_clear()
    assert np.array_equal(first, resampling.resample(50, 3).weights)
    assert not np.array_equal(first, resampling.resample(50, 3, stream=1).weights)


def test_ends_as_a_second_program_has_them():
    """BCa of scipy, on as many resamples; the ends differ by the error of two such quantiles of 1000 resamples."""
    x = np.random.default_rng(4).exponential(size=400)
    reference = stats.bootstrap((x,), np.mean, n_resamples=REPLICATES, method="BCa", rng=np.random.default_rng(1))
    plan = resampling.resample(400, 1)
    means = resampling.means(x, plan, plan.weights)
    left_out = resampling.means(x, plan, plan.without)
    ours = resampling.limits(float(x.mean()), means, left_out, blocks=400)
    error = math.sqrt(0.025 * 0.975 / REPLICATES) / stats.norm.pdf(1.96) * float(reference.standard_error)
    limit = 4 * math.sqrt(2) * error
    assert abs(ours[0] - reference.confidence_interval.low) < limit
    assert abs(ours[1] - reference.confidence_interval.high) < limit


def test_where_bca_is_not_defined_percentiles_are():
    """scipy/scipy#15883: BCa is NaN when all resamples are equal, or all on one side of the estimate."""
    equal, varied = np.full(100, 5.0), np.arange(100.0)
    assert (5.0, 5.0) == resampling.limits(5.0, equal, equal, blocks=20)
    low, high = resampling.limits(1000.0, varied, equal, blocks=20)
    assert 0 <= low < high <= 99


def test_fewer_blocks_give_wider_intervals():
    """Student's t of few degrees of freedom in place of the normal distribution."""
    varied = np.random.default_rng(1).normal(size=1000)
    widths = [np.diff(resampling.limits(0.0, varied, varied, blocks=blocks))[0] for blocks in (5, 20, 400)]
    assert sorted(widths, reverse=True) == widths
