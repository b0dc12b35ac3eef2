"""Random numbers of the reference firmware, compiled for the PC, against the exact distribution."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

STACK = Path(__file__).resolve().parents[2] / "firmware-gpio-probes/reference/stack"
EXPORTS = """
#include "random.h"
void exponentials(const uint32_t *numbers, uint32_t *results, int count)
{
    for (int i = 0; i < count; i++) results[i] = random_exponential_q16(numbers[i]);
}
void distances(uint32_t mean_us, uint32_t state, uint32_t *results, int count)
{
    for (int i = 0; i < count; i++) results[i] = random_distance_us(mean_us, random_draw(&state));
}
"""
MIN_ERROR, MAX_ERROR = -5e-5, 8e-5  # random.h
LONGEST_US = 2**30 - 1


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The library."""
    folder = tmp_path_factory.mktemp("random")
    (folder / "exports.c").write_text(EXPORTS)
    options = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-I", STACK]
    subprocess.run(["cc", *options, "-o", folder / "random.so", folder / "exports.c"], check=True)
    return ctypes.CDLL(str(folder / "random.so"))


def distances(library: ctypes.CDLL, mean_us: int, count: int, *, seed: int = 1) -> NDArray[np.uint32]:
    """Distances in the order in which they are drawn."""
    drawn = np.empty(count, dtype=np.uint32)
    library.distances(mean_us, seed, drawn.ctypes.data_as(ctypes.c_void_p), count)
    return drawn


def test_a_draw_is_minus_the_logarithm(library: ctypes.CDLL) -> None:
    """To 8e-5 of the mean, over numbers of every size, the least and the largest among them."""
    sizes = np.logspace(0, 32, 400_000, base=2)
    numbers = np.unique(np.concatenate([np.arange(1, 70_000), sizes, 2**32 - np.arange(1, 70_000)]).astype(np.uint64))
    numbers = numbers[numbers < 2**32].astype(np.uint32)
    results = np.empty_like(numbers)
    library.exponentials(*(array.ctypes.data_as(ctypes.c_void_p) for array in (numbers, results)), len(numbers))
    errors = results / 65536 + np.log(numbers / 2**32)
    assert MIN_ERROR < errors.min() < 0 < errors.max() < MAX_ERROR


@pytest.mark.parametrize("mean_us", [1_000, 250_000, 40_000_000])
def test_distances_are_exponential(library: ctypes.CDLL, mean_us: int) -> None:
    """By the test of Kolmogorov and Smirnov against the exact distribution, and without correlation of neighbours."""
    drawn = distances(library, mean_us, 20_000).astype(float)
    assert stats.kstest(drawn, stats.expon(scale=mean_us).cdf).pvalue > 0.01
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 3 / np.sqrt(len(drawn))


def test_no_distance_is_longer_than_an_alarm_reaches(library: ctypes.CDLL) -> None:
    """The longest mean is cut at 2^30 us; what is below is not."""
    mean_us = 1_000_000_000
    drawn = distances(library, mean_us, 20_000)
    assert LONGEST_US == drawn.max()
    assert np.exp(-LONGEST_US / 2 / mean_us) == pytest.approx(np.mean(drawn > LONGEST_US // 2), abs=0.015)
