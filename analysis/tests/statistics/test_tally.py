"""Integers that are counted have the statistics of the integers themselves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpiorig.analysis.statistics import tally as tallies
from gpiorig.analysis.statistics.summary import of_ordered, summarize
from gpiorig.analysis.statistics.tally import Tally

RATE_HZ = Fraction(24_000_000)


def counted(values: list[int], pieces: int) -> Tally:
    tally = Tally()
    for part in np.array_split(np.array(values, dtype=np.int64), pieces):
        tally.add(part)
    return tally


@pytest.mark.parametrize("together", [1, 5, 1 << 20])
@settings(max_examples=40)
@given(st.lists(st.integers(-20, 20) | st.integers(-(1 << 60), 1 << 60), min_size=1, max_size=40), st.integers(1, 5))
def test_a_tally_has_the_statistics_of_its_numbers(together: int, values: list[int], pieces: int):
    """Every field of the summary, exactly; each place of the sorted numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallies, "TOGETHER", together)
        tally = counted(values, pieces)
    expected = summarize(np.array(values), samplerate_hz=RATE_HZ)
    summary = of_ordered(tally, samplerate_hz=RATE_HZ)

    assert sorted(values) == [tally[place] for place in range(len(tally))]
    assert repr(expected) == repr(summary)


@pytest.mark.parametrize("places", [1, 16, 1 << 18])
@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(-20, 20) | st.integers(-(1 << 62), 1 << 62), min_size=3, max_size=3), max_size=40))
def test_numbers_that_are_counted_or_sorted_are_in_order(places: int, rows: list[list[int]]):
    """Close together or far apart: one column, or several at once in slices of rows."""
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallies, "PLACES", places)
        patch.setattr(tallies, "ROWS", 7)
        every = [tallies.ordered(columns[:, 0]), *tallies.of_columns(columns)]
        distinct = tallies.distinct(columns[:, 0])
    expected = [np.sort(column).tolist() for column in (columns[:, 0], *columns.T)]
    assert expected == [[by_size[place] for place in range(len(by_size))] for by_size in every]
    assert sorted(set(expected[0])) == distinct.tolist()


def test_nothing_has_no_statistics():
    assert repr(summarize(np.empty(0, dtype=np.int64), samplerate_hz=RATE_HZ)) == repr(
        of_ordered(Tally(), samplerate_hz=RATE_HZ)
    )
    with pytest.raises(IndexError):
        Tally()[0]
