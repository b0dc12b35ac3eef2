"""Timestamps of frames, frame by frame: what is counted, and when they cannot be the times of the frames."""

from __future__ import annotations

from typing import Any

import pytest

from gpiorig.capture.frames.frame_clock import FrameClock, air_bytes
from gpiorig.capture.frames.frames import Frame

DAY_MS = 1_764_288_000_000  # 2025-11-28


def frame_of(ticks: int, ticks_per_s: int, mpdu: bytes, **fields: Any) -> Frame:
    return Frame(ticks=ticks, ticks_per_s=ticks_per_s, mpdu=mpdu, **fields)


def clock_of(*frames: Frame) -> FrameClock:
    clock = FrameClock()
    for frame in frames:
        clock.add(frame)
    return clock


@pytest.mark.parametrize(
    ("fcs", "cut", "expected"), [(b"", 0, 108), (b"ab", 0, 108), (b"abcd", 0, 110), (b"a", 4, 111)]
)
def test_bytes_on_the_air(fcs: bytes, cut: int, expected: int) -> None:
    """Preamble and header are 6 bytes; an FCS of 2 bytes is added where the capture has none."""
    assert expected == air_bytes(frame_of(0, 1, bytes(100), fcs=fcs, cut_bytes=cut))


@pytest.mark.parametrize(("span_ms", "useless"), [(33, True), (34, False)])
def test_timestamps_nearer_than_frames_can_be(span_ms: int, useless: bool) -> None:
    """Eleven frames of 3.456 ms begin within 34.56 ms at least, which timestamps of ms may show as 34 ms."""
    frames = [frame_of(DAY_MS + span_ms * number // 10, 1000, bytes(100)) for number in range(11)]
    clock = clock_of(*frames)
    assert useless == clock.is_useless
    remark = f"11 frames last 0.038 s on the air at least, their timestamps span 0.0{span_ms} s: "
    assert useless == any(text.startswith(remark) for text in clock.remarks())


@pytest.mark.parametrize(("nodes", "more"), [(3, []), (5, ["the same holds for 2 more nodes and channels"])])
def test_three_nodes_are_named(nodes: int, more: list[str]) -> None:
    frames = [
        frame_of(DAY_MS, 1000, bytes([number] * 100), node=f"n{node}") for number in range(3) for node in range(nodes)
    ]
    remarks = clock_of(*frames).remarks()
    assert [f"3 frames of n{node} last" for node in range(3)] == [text[:19] for text in remarks[:3]]
    assert more == [text for text in remarks if text.startswith("the same")]


def test_order_and_duplicates() -> None:
    """By node and channel: the second is a duplicate, the third has its timestamp alone, the fourth is earlier."""
    ticks = ((50, b"a"), (50, b"a"), (50, b"b"), (49, b"a"), (60, b"a"))
    clock = clock_of(
        *(frame_of(DAY_MS + at, 1000, content) for at, content in ticks), frame_of(DAY_MS, 1000, b"a", channel=11)
    )
    assert (2, 1, 1) == (clock.equal_timestamps, clock.duplicates, clock.back_steps)
    assert "frames timestamped earlier than the one before: 1" in clock.remarks()
    assert "frames with the timestamp of the one before: 2, of which 1 are duplicates, byte for byte" in clock.remarks()


@pytest.mark.parametrize(("at_s", "year"), [(0, 1970), (DAY_MS // 1000, None), (5_000_000_000, 2128)])
def test_a_clock_that_was_not_set(at_s: int, year: int | None) -> None:
    expected = [] if year is None else [f"begins in {year}: the clock was not set, or its unit is another"]
    assert expected == clock_of(frame_of(at_s, 1, b"a")).remarks()
