"""A window and a choice of channels of a capture that is read block by block."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from gpiorig.capture.edges import Edges
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.select import channels, window
from gpiorig.capture.waveform import Block, Waveform

NAMES = ("a.x", "a.y", "", "b.x")


def random_capture(seed: int) -> tuple[Edges, Waveform]:
    """A capture with gaps, whole and cut into blocks at random places."""
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
            until = max(cut, int(inside[-1, 1]) if inside.size else cut)  # a gap lies in one block
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


@pytest.mark.parametrize("seed", range(20))
def test_window_of_a_stream_is_the_window_of_the_whole(seed: int) -> None:
    """However the capture is cut into blocks, with gaps, at any place, also beyond its ends."""
    edges, waveform = random_capture(seed)
    random = np.random.default_rng(seed + 1000)
    for _ in range(20):
        start, end = sorted(random.integers(edges.start - 5, edges.end + 6, 2).tolist())
        try:
            expected = edges.window(start, end)
        except CaptureError:
            with pytest.raises(CaptureError):
                window(waveform, start, end).edges()
            continue
        assert_same(expected, window(waveform, start, end).edges())


@pytest.mark.parametrize("seed", range(20))
def test_chosen_channels_have_the_same_changes(seed: int) -> None:
    """Each chosen channel changes when it did, gaps stay, and rows are only kept where a chosen channel changes."""
    edges, waveform = random_capture(seed)
    chosen = channels(waveform, ["b.x", "a.x"]).edges()
    assert ("b.x", "a.x") == chosen.channels
    assert edges.gaps.tolist() == chosen.gaps.tolist()
    assert (edges.start, edges.end) == (chosen.start, chosen.end)
    for name in chosen.channels:
        assert edges.initial_level(name) == chosen.initial_level(name)
        for expected, actual in zip(edges.channel(name), chosen.channel(name), strict=True):
            assert expected.tolist() == actual.tolist()
    still = np.flatnonzero(chosen.levels[1:] == chosen.levels[:-1]) + 1
    assert set(chosen.samples[still].tolist()) <= set(edges.gaps[:, 1].tolist())


def test_channels_are_chosen_by_pattern() -> None:
    """A pattern gives all channels it matches, once; one that matches none is an error that names the channels."""
    _, waveform = random_capture(0)
    assert ("a.y", "a.x", "b.x") == channels(waveform, ["a.y", "a.*", "*.x"]).channels
    with pytest.raises(CaptureError, match=r"no channel 'c'.*a\.x, a\.y, b\.x"):
        channels(waveform, ["c"])
