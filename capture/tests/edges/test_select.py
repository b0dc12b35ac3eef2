"""A window and a choice of channels of a capture that is read block by block."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from random_capture import assert_same, random_capture

from gpiorig.capture.edges.read_options import chosen
from gpiorig.capture.edges.select import channels, window
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import CaptureError, FormatError


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


def test_a_window_reads_no_further_than_its_end() -> None:
    """A block that ends there is the last one; a window that begins in a gap begins after it."""
    edges, _ = random_capture(3)
    start = int(edges.gaps[0, 0])

    def read() -> Iterator[Block]:
        yield Block(edges.samples, edges.levels, edges.end, edges.gaps)
        raise AssertionError("read beyond the window")

    waveform = Waveform(samplerate_hz=edges.samplerate_hz, channels=edges.channels, read=read)
    (block,) = window(waveform, start, edges.end).read()
    assert edges.gaps[1:].tolist() == block.gaps.tolist()
    assert edges.gaps[0, 1] == block.samples[0]


def test_a_row_after_a_gap_that_ends_with_a_block_is_an_edge_of_all_channels() -> None:
    levels = np.array([1, 1], dtype=np.uint64)
    blocks = [
        Block(np.array([0]), levels[:1], 20, np.array([[10, 20]])),
        Block(np.array([20]), levels[1:], 30),
    ]
    waveform = Waveform(samplerate_hz=Fraction(1), channels=("a", "b"), read=lambda: iter(blocks))
    edges = channels(waveform, ["a"]).edges()

    assert ([0, 20], [[10, 20]]) == (edges.samples.tolist(), edges.gaps.tolist())


@pytest.mark.parametrize(("count", "more"), [(20, ""), (21, " and 1 more"), (22, " and 2 more")])
def test_twenty_of_the_channels_are_named(count: int, more: str) -> None:
    names = [f"c{number}" for number in range(count)]
    with pytest.raises(FormatError, match=f"no channel 'x'; available channels: {', '.join(names[:20])}{more}$"):
        chosen(names, ["x"], Path("a"))
