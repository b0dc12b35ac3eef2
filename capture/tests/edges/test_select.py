"""A window and a choice of channels of a capture that is read block by block."""

from __future__ import annotations

import numpy as np
import pytest
from random_capture import assert_same, random_capture

from gpiorig.capture.edges.select import channels, window
from gpiorig.capture.errors import CaptureError


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
