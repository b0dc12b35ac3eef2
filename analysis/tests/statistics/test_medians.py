"""Medians in parts: equal to numpy's of all numbers at once."""

from __future__ import annotations

import numpy as np
import pytest

from gpiorig.analysis.statistics import medians

KINDS = {
    "small": lambda random, n: random.integers(-5, 5, n),
    "of 64 bits": lambda random, n: random.integers(-(2**62), 2**62, n),
    "normal": lambda random, n: random.normal(size=n),
    "of 32 bits": lambda random, n: random.normal(size=n).astype(np.float32),
    "with ties": lambda random, n: -np.round(random.normal(size=n)),
    "far apart": lambda random, n: random.choice([-1e300, 1e-300, 1e300], n),
    "all the same": lambda random, n: np.full(n, 0.1, dtype=np.float32),
}


@pytest.fixture(autouse=True)
def _in_small_parts(monkeypatch):
    monkeypatch.setattr(medians, "_PART", 100)
    monkeypatch.setattr(medians, "_BINS", 16)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 2, 3, 99, 1_000, 1_001])
def test_medians_are_those_of_numpy(kind, count):
    """Of all numbers, of a column with holes, of those that are chosen, and of numbers with their counts."""
    values = KINDS[kind](np.random.default_rng(count), count)
    expected = float(np.median(values))
    assert expected == medians.median(values)
    assert expected == medians.median(np.stack([values, values], axis=1)[:, 1])
    assert expected == medians.of_counted(*np.unique(values, return_counts=True))
    chosen = values[values >= expected]
    assert float(np.median(chosen)) == medians.median(values, chosen=lambda part: part[part >= expected])


def test_the_median_of_nothing_is_0():
    """Of no numbers, and where none is chosen."""
    none = np.zeros(0)
    assert [0.0, 0.0] == [medians.median(none), medians.of_counted(none, none.astype(np.int64))]
    assert 0.0 == medians.median(np.ones(300), chosen=lambda part: part[part > 1])
