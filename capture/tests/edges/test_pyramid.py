"""The extremes of a capture in bins, from one pass."""

from __future__ import annotations

import numpy as np
import pytest
from random_capture import random_capture

from gpiorig.capture.edges import pyramid
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.overview import Bins
from gpiorig.capture.edges.pyramid import Pyramid


@pytest.mark.parametrize("seed", range(20))
def test_windows_hold_the_extremes_of_all_samples(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compared with the level of every sample in each bin; the window is that asked for, out to whole bins."""
    monkeypatch.setattr(pyramid, "MAX_BINS", 40)
    monkeypatch.setattr(pyramid, "MAX_PARTS", 2)
    edges, waveform = random_capture(seed)
    made = Pyramid(edges.start, edges.end)
    for block in waveform.read():
        made.add(block)
    assert (edges.end, True) == (made.read, 1 < made.size <= -(-(edges.end - edges.start) // 20))
    random = np.random.default_rng(seed)
    for _ in range(20):
        start, end = sorted(random.choice(np.arange(edges.start, edges.end + 1), 2, replace=False).tolist())
        bins = max(1, (end - start) // made.size // int(random.integers(1, 4)))
        at, limit, shown = made.window(start, end, bins=bins)
        count = len(shown.lowest)
        assert at <= start < end <= limit < end + count * made.size + (limit - at) // count
        assert (0, 0) == ((at - edges.start) % made.size, (limit - at) % count)
        if made.shows(start, end, bins=bins):
            assert bins <= count <= 2 * bins + 2
        _compare(edges, shown, at, limit)


def _compare(edges: Edges, shown: Bins, at: int, limit: int) -> None:
    samples = np.arange(at, min(limit, edges.end))
    rows = np.searchsorted(edges.samples, samples, side="right") - 1
    levels = edges.levels[rows]
    count = len(shown.lowest)
    for place in range(count):
        within = (samples - at) * count // (limit - at) == place
        if not within.any():
            continue
        seen = set(levels[within].tolist()) | ({int(levels[np.flatnonzero(within)[0] - 1])} if place else set())
        first = int(samples[within][0])
        if not place and first > edges.start and first in edges.samples:
            seen.add(int(edges.levels[np.searchsorted(edges.samples, first) - 1]))
        assert int(np.bitwise_and.reduce(list(seen))) == int(shown.lowest[place])
        assert int(np.bitwise_or.reduce(list(seen))) == int(shown.highest[place])
    changed = (edges.samples >= at) & (edges.samples < limit)
    assert np.count_nonzero(changed) == shown.changes
    gaps = edges.gaps[(edges.gaps[:, 1] > at) & (edges.gaps[:, 0] < limit)]
    assert gaps.tolist() == shown.gaps.tolist()


def test_gaps_closer_than_a_bin_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of very many, so that an answer stays small; every lost sample stays lost."""
    monkeypatch.setattr(pyramid, "MAX_BINS", 4)
    monkeypatch.setattr(pyramid, "MAX_GAPS", 1)
    edges, waveform = random_capture(3)
    made = Pyramid(edges.start, edges.end)
    for block in waveform.read():
        made.add(block)
    _, _, shown = made.window(edges.start, edges.end, bins=4)
    assert 1 <= len(shown.gaps) <= len(edges.gaps)
    for lost, end in edges.gaps.tolist():
        assert ((shown.gaps[:, 0] <= lost) & (shown.gaps[:, 1] >= end)).any()
