"""Overlaps of frames, and delays at the limits of the standard's times."""

from __future__ import annotations

import dataclasses

import pytest

from gpiorig.analysis.measure.ack_times import TURNAROUND_NS, WAIT_NS, Overlap, Pair
from gpiorig.capture.frames.frame import Frame

BYTE_NS = 32_000  # 2 symbols of 16 us
HEADER = 6  # preamble, start of frame, length: before the frame and its 2 bytes of check sequence


def frame(size: int, *, channel: int | None = 11, page: int | None = 0) -> Frame:
    return dataclasses.replace(PLAIN, mpdu=bytes(size - 2), channel=channel, page=page)


PLAIN = Frame(ticks=0, ticks_per_s=1, mpdu=b"", fcs=bytes(2))


def overlap(*frames: tuple[Frame, int]) -> tuple[int, int]:
    seen = Overlap()
    for part, at_ns in frames:
        seen.add(part, at_ns)
    return seen.first_ns, seen.last_ns


def test_by_how_much_frames_would_overlap() -> None:
    """Frames of 20 and 50 bytes, 1 ms apart: 26 and 56 bytes on the air, 832 and 1792 us."""
    short, long = frame(20), frame(50)
    assert (0, (HEADER + 50) * BYTE_NS - 1_000_000) == overlap((short, 0), (long, 1_000_000))
    assert ((HEADER + 50) * BYTE_NS - 1_000_000, 0) == overlap((long, 0), (short, 1_000_000))
    assert (0, 0) == overlap((long, 0), (long, 2_000_000))
    both = (HEADER + 50) * BYTE_NS - 500_000
    assert (both, both) == overlap((long, 0), (long, 500_000), (long, 2_500_000))


def test_frames_that_do_not_show_an_overlap() -> None:
    """Other channels, other physical layers, and one frame that is there twice."""
    assert (0, 0) == overlap((frame(50), 0), (frame(50, channel=12), 1))
    assert (0, 0) == overlap((frame(50, page=2), 0), (frame(50, page=2), 1))
    assert (0, 0) == overlap((frame(50, channel=10), 0), (frame(50, channel=10), 1))
    assert (0, 0) == overlap((frame(50), 7), (frame(50), 7))
    assert overlap((frame(50), 7), (frame(49), 7)) > (0, 0)
    assert overlap((frame(50, channel=None), 0), (frame(50, channel=None), 1)) > (0, 0)


@pytest.mark.parametrize("rough_ns", [0, 1000])
@pytest.mark.parametrize("of_first_bits", [True, False])
def test_delays_of_an_acknowledgement(rough_ns: int, of_first_bits: bool) -> None:
    """From 12 to 54 symbols after the frame, both included, and as much more as timestamps are rough."""
    frame_ns, ack_ns = 2_000_000, 352_000
    seen = Overlap(first_ns=0 if of_first_bits else 10**9, last_ns=10**9 if of_first_bits else 0)
    air_ns = frame_ns if of_first_bits else ack_ns
    for delay_ns, allowed in (
        (TURNAROUND_NS - rough_ns - 1, False),
        (TURNAROUND_NS - rough_ns, True),
        (WAIT_NS + rough_ns, True),
        (WAIT_NS + rough_ns + 1, False),
    ):
        pair = Pair(air_ns + delay_ns, frame_ns, ack_ns, is_timed=True)
        assert allowed == seen.allows(pair, step_ns=rough_ns)
        assert seen.allows(pair._replace(is_timed=False), step_ns=rough_ns)


def test_both_meanings_are_possible_where_neither_overlaps() -> None:
    """Up to the step: frames that overlap by as much as the timestamps are rough rule nothing out."""
    pair = Pair(TURNAROUND_NS + 352_000, 2_000_000, 352_000, is_timed=True)
    assert Overlap(first_ns=0, last_ns=1000).allows(pair, step_ns=1000)
    assert not Overlap(first_ns=0, last_ns=1001).allows(pair, step_ns=1000)
