from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.errors import CaptureError

RATE_HZ = Fraction(24_000_000)
CHANNELS = ("strobe", "", "irq")


def edges(
    rows: list[tuple[int, int]],
    *,
    end: int,
    gaps: list[tuple[int, int]] | None = None,
    channels: tuple[str, ...] = CHANNELS,
) -> Edges:
    samples = np.array([row[0] for row in rows], dtype=np.int64)
    levels = np.array([row[1] for row in rows], dtype=np.uint64)
    table = np.array(gaps, dtype=np.int64) if gaps else no_gaps()
    return Edges.from_blocks([(samples, levels)], samplerate_hz=RATE_HZ, channels=channels, end=end, gaps=table)


def rows(capture: Edges) -> list[tuple[int, int]]:
    return list(zip(capture.samples.tolist(), capture.levels.tolist(), strict=True))


def test_a_channel_gives_its_changes_and_its_initial_level() -> None:
    capture = edges([(0, 4), (10, 5), (20, 1), (30, 0), (40, 4)], end=50)
    samples, levels = capture.channel("irq")

    assert ([20, 40], [0, 1]) == (samples.tolist(), levels.tolist())
    assert (1, 0) == (capture.initial_level("irq"), capture.initial_level("strobe"))
    assert ("int64", "uint8") == (str(samples.dtype), str(levels.dtype))


def test_an_unknown_channel_lists_the_known_ones() -> None:
    with pytest.raises(CaptureError, match="no channel 'tap' in this capture; available channels: strobe, irq"):
        edges([(0, 0)], end=1).index("tap")


def test_a_window_begins_with_the_levels_in_force() -> None:
    window = edges([(0, 4), (10, 5), (20, 1)], end=50).window(15, 20)

    assert [(15, 5)] == rows(window)
    assert (15, 20) == (window.start, window.end)


def test_a_window_is_clipped_and_may_not_be_empty() -> None:
    capture = edges([(5, 4), (10, 5)], end=50)

    assert [(5, 4), (10, 5)] == rows(capture.window(-10, 1000))
    with pytest.raises(CaptureError, match="capture covers samples 5 to 50"):
        capture.window(50, 60)


def test_a_window_that_begins_in_a_gap_begins_after_it() -> None:
    capture = edges([(0, 4), (30, 5), (35, 4)], end=50, gaps=[(10, 30)])

    assert [(30, 5)] == rows(capture.window(12, 33))
    assert [(5, 4)] == rows(capture.window(5, 20))
    assert [[10, 20]] == capture.window(5, 20).gaps.tolist()
    with pytest.raises(CaptureError, match="all samples from 12 to 20 were lost"):
        capture.window(12, 20)


def test_intervals_are_cut_at_gaps() -> None:
    capture = edges([(0, 4), (5, 5), (30, 5), (35, 4)], end=50, gaps=[(10, 30), (40, 50)])

    assert [slice(0, 2), slice(2, 4)] == capture.intervals()


def test_blocks_are_put_together_and_cannot_be_changed() -> None:
    one = (np.array([0, 3], dtype=np.int64), np.array([1, 0], dtype=np.uint64))
    two = (np.array([9], dtype=np.int64), np.array([1], dtype=np.uint64))
    capture = Edges.from_blocks([one, two], samplerate_hz=RATE_HZ, channels=("strobe",), end=10)

    assert [(0, 1), (3, 0), (9, 1)] == rows(capture)
    with pytest.raises(ValueError, match="read-only"):
        capture.samples[0] = 1


def test_a_capture_without_samples_is_allowed() -> None:
    capture = edges([], end=0)

    assert ([], 0, 0) == (rows(capture), capture.start, capture.end)
    with pytest.raises(CaptureError, match="is empty"):
        capture.initial_level("irq")


@pytest.mark.parametrize(
    ("bad_rows", "end", "gaps", "expected"),
    [
        ([(0, 0), (5, 1), (5, 0)], 9, None, "do not increase"),
        ([(0, 0), (9, 1)], 9, None, "do not cover"),
        ([(0, 0), (5, 1)], 9, [(4, 6)], "edges inside a gap"),
        ([(0, 0), (5, 1)], 9, [(1, 4)], "levels after a gap are missing"),
        ([(0, 0), (5, 1)], 9, [(6, 12)], "gap is outside"),
        ([(0, 0), (5, 1)], 9, [(7, 6)], "not ranges"),
    ],
)
def test_rows_that_no_capture_gives_are_refused(
    bad_rows: list[tuple[int, int]], end: int, gaps: list[tuple[int, int]] | None, expected: str
) -> None:
    with pytest.raises(CaptureError, match=expected):
        edges(bad_rows, end=end, gaps=gaps)


def test_a_channel_name_may_occur_once() -> None:
    with pytest.raises(CaptureError, match="occurs twice"):
        edges([(0, 0)], end=1, channels=("a", "", "", "a"))


@pytest.mark.parametrize(
    ("gaps", "problem"),
    [
        ([[3, 5]], ""),
        ([[3, 5], [7, 10]], ""),
        ([[5, 5]], "gaps are not ranges in increasing order"),
        ([[3, 5], [5, 6]], "there are edges inside a gap"),  # the row that tells the levels after the first
        ([[3, 5], [4, 6]], "gaps are not ranges in increasing order"),
        ([[7, 10], [3, 5]], "gaps are not ranges in increasing order"),
        ([[-1, 5]], "a gap is outside the capture"),
        ([[7, 11]], "a gap is outside the capture"),
        ([[0, 5]], "there are edges inside a gap"),
        ([[3, 6]], "there are edges inside a gap"),
        ([[2, 4]], "the levels after a gap are missing"),
    ],
)
def test_gaps_that_a_capture_can_have(gaps: list[list[int]], problem: str) -> None:
    """In order, apart, inside, with the levels after each of them."""

    def make() -> Edges:
        return Edges(
            samples=np.array([0, 5, 6]),
            levels=np.array([1, 0, 1], dtype=np.uint64),
            samplerate_hz=Fraction(1),
            channels=("a",),
            start=0,
            end=10,
            gaps=np.array(gaps),
        )

    if problem:
        with pytest.raises(CaptureError, match=problem):
            make()
    else:
        assert gaps == make().gaps.tolist()


@pytest.mark.parametrize(("begin", "kept"), [(2, []), (4, []), (7, [[7, 8]])])
def test_gaps_before_the_first_row_are_before_the_capture(begin: int, kept: list[list[int]]) -> None:
    blocks = [(np.array([5, 8]), np.array([0, 1], dtype=np.uint64))]
    edges = Edges.from_blocks(
        blocks, samplerate_hz=Fraction(1), channels=("a",), end=9, gaps=np.array([[begin, begin + 1]])
    )
    assert kept == edges.gaps.tolist()
    with pytest.raises(CaptureError, match="edges inside a gap"):
        Edges.from_blocks(blocks, samplerate_hz=Fraction(1), channels=("a",), end=9, gaps=np.array([[5, 8]]))
