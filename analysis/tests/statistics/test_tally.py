"""Integers that are counted have the statistics of the integers themselves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpiorig.analysis.statistics import tally as tallies
from gpiorig.analysis.statistics.summary import of_tally, summarize
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
    summary = of_tally(tally, samplerate_hz=RATE_HZ)

    assert sorted(values) == [tally[place] for place in range(len(tally))]
    assert repr(expected) == repr(summary)


def test_nothing_has_no_statistics():
    assert repr(summarize(np.empty(0, dtype=np.int64), samplerate_hz=RATE_HZ)) == repr(
        of_tally(Tally(), samplerate_hz=RATE_HZ)
    )
    with pytest.raises(IndexError):
        Tally()[0]
