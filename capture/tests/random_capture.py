"""Random captures, in memory and as a stream of blocks, and when two captures are the same."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.waveform import Block, Waveform

NAMES = ("a.x", "a.y", "", "b.x")


def random_capture(seed: int) -> tuple[Edges, Waveform]:
    """A capture with gaps, in memory and cut into blocks at random places."""
    random = np.random.default_rng(seed)
    start = int(random.integers(-50, 50))
    samples = start + np.concatenate([[0], np.cumsum(random.integers(1, 9, 40))])
    levels = random.choice(np.array([0, 1, 2, 3, 8, 11], dtype=np.uint64), samples.size)
    gaps = []
    for row in sorted(random.choice(np.arange(2, 38, 3), 3, replace=False)):
        if samples[row] - samples[row - 1] > 1:
            gaps.append((int(samples[row]) - 1, int(samples[row])))
    end = int(samples[-1]) + 5
    table = np.array(gaps, dtype=np.int64).reshape(-1, 2)
    edges = Edges(
        samples=samples,
        levels=levels,
        samplerate_hz=Fraction(24_000_000),
        channels=NAMES,
        start=start,
        end=end,
        gaps=table,
    )
    cuts = [start, *sorted(random.integers(start, end, 6).tolist()), end]

    def read() -> Iterator[Block]:
        known = start
        for cut in cuts[1:]:
            inside = table[(table[:, 0] >= known) & (table[:, 0] < cut)]
            until = max(cut, int(inside[-1, 1]) if inside.size else cut)  # a gap is in one block
            first, last = np.searchsorted(samples, [known, until])
            yield Block(samples[first:last], levels[first:last], until, inside)
            known = max(known, until)

    return edges, Waveform(samplerate_hz=edges.samplerate_hz, channels=NAMES, read=read)


def assert_same(expected: Edges, actual: Edges) -> None:
    """Equal captures."""
    assert expected.samples.tolist() == actual.samples.tolist()
    assert expected.levels.tolist() == actual.levels.tolist()
    assert expected.gaps.tolist() == actual.gaps.tolist()
    assert (expected.start, expected.end, expected.channels) == (actual.start, actual.end, actual.channels)
