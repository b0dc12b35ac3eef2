"""A window of edges as every change, or as extremes in bins."""

from __future__ import annotations

import numpy as np
import pytest
from random_capture import random_capture

from gpiorig.capture.edges import overview, select
from gpiorig.capture.edges.overview import Bins, Changes


@pytest.mark.parametrize("seed", range(20))
def test_bins_hold_the_extremes_of_all_samples(seed: int) -> None:
    """Compared with the level of every sample in each bin, however the capture is cut into blocks."""
    edges, waveform = random_capture(seed)
    start, end = edges.start, edges.end
    bins = 7 if seed % 2 else end - start + 3  # also bins without a sample
    shown = overview.of(select.window(waveform, start, end).read(), start=start, end=end, bins=bins, most=1)
    assert isinstance(shown, Bins)
    assert len(edges.samples) == shown.changes
    assert edges.gaps.tolist() == shown.gaps.tolist()
    samples = np.arange(start, end)
    levels = edges.levels[np.searchsorted(edges.samples, samples, side="right") - 1]
    number = (samples - start) * bins // (end - start)
    assert bins == len(shown.lowest) == len(shown.highest)
    for place in range(bins):
        within = levels[number == place]
        if len(within):
            before = levels[: np.searchsorted(number, place)][-1:]
            within = np.append(within, before)  # what holds up to its first change is at its left edge
            assert np.bitwise_and.reduce(within) == shown.lowest[place]
            assert np.bitwise_or.reduce(within) == shown.highest[place]
        else:
            held = levels[number < place][-1]
            assert (held, held) == (shown.lowest[place], shown.highest[place])


def test_few_changes_are_all_there() -> None:
    """Up to the limit every row of the window is returned, the first with the levels at its start."""
    edges, waveform = random_capture(3)
    start, end = edges.start + 1, edges.end
    expected = edges.window(start, end)
    rows = len(expected.samples)
    read = select.window(waveform, start, end).read
    exact = overview.of(read(), start=start, end=end, bins=5, most=rows)
    assert isinstance(exact, Changes)
    assert (expected.samples.tolist(), expected.levels.tolist()) == (exact.samples.tolist(), exact.levels.tolist())
    assert isinstance(overview.of(read(), start=start, end=end, bins=5, most=rows - 1), Bins)
