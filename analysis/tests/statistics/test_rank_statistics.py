"""Ranks and Kendall's S against scipy.stats and against plain versions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gpiorig.analysis.statistics.order_statistics import kendall_s, mid_ranks

VALUES = st.lists(st.integers(-5, 5), min_size=1, max_size=40)


@given(VALUES)
def test_ranks_and_pairs_of_values_with_ties(values):
    assert stats.rankdata(values).tolist() == mid_ranks(np.array(values)).tolist()
    pairs = itertools.combinations(values, 2)
    assert sum((later > earlier) - (later < earlier) for earlier, later in pairs) == kendall_s(np.array(values))


def test_kendall_s_of_many_values():
    """Tau-b of scipy, from S and the ties."""
    values = np.random.default_rng(1).integers(0, 700, 5000) + np.arange(5000) // 20
    _, ties = np.unique(values, return_counts=True)
    pairs = len(values) * (len(values) - 1) / 2
    tau = kendall_s(values) / np.sqrt(pairs * (pairs - np.sum(ties * (ties - 1) / 2)))
    assert stats.kendalltau(np.arange(5000), values).statistic == pytest.approx(tau, rel=1e-12)
