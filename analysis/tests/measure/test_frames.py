"""Delays of frames by the timestamps of packet captures."""

from __future__ import annotations

import dataclasses

import pytest

from gpiorig.analysis.measure.frames import measured
from gpiorig.capture.errors import FormatError
from gpiorig.capture.frames.frame import Frame

START_US = 1_700_000_000_000_000


def data(at_us: int, sequence: int, *, source: int = 1, asks: bool = True, payload: bytes = b"") -> Frame:
    """A data frame to 0x0000."""
    head = bytes([0x61 if asks else 0x41, 0x88, sequence]) + bytes.fromhex("cdab0000")
    return timed(at_us, head + source.to_bytes(2, "little") + payload)


def ack(at_us: int, sequence: int) -> Frame:
    return timed(at_us, bytes([2, 0, sequence]))


def timed(at_us: int, mpdu: bytes) -> Frame:
    return Frame(ticks=START_US + at_us, ticks_per_s=10**6, mpdu=mpdu, fcs=b"??", fcs_ok=True, channel=26)


def test_acknowledgements_retries_and_intervals() -> None:
    """The second frame is sent three times, and the second of those is acknowledged too late."""
    frames = [
        data(0, 7),
        ack(1200, 7),
        data(10_000, 8),
        data(13_000, 8),
        ack(24_001, 8),
        data(30_000, 8),
        ack(31_300, 8),
    ]
    frames += [data(40_000, 9, asks=False), data(41_000, 7, source=2), ack(50_000, 1)]
    (view,), ways = measured(("air", frame) for frame in frames)

    assert {"0x0001": [1_200_000, 1_300_000]} == view.ack_ns
    assert {"0x0001": [3_000_000, 17_000_000]} == view.retry_ns
    assert {"0x0001": [10_000_000, 30_000_000]} == view.interval_ns
    assert {"0x0001": 2, "0x0002": 1} == view.unacknowledged
    assert (2, 1000.0, []) == (view.stray_acks, view.step.step_ns, ways)


def test_the_longest_time_to_an_acknowledgement_is_chosen() -> None:
    frames = [data(0, 7), ack(1200, 7)]
    (view,), _ = measured((("air", frame) for frame in frames), longest_ns=1_199_999)
    assert ({}, 1, {"0x0001": 1}) == (view.ack_ns, view.stray_acks, view.unacknowledged)
    (view,), _ = measured((("air", frame) for frame in frames), longest_ns=1_200_000)
    assert {"0x0001": [1_200_000]} == view.ack_ns


@pytest.mark.parametrize(
    ("length", "delay_us", "is_paired"),
    [
        (9, 736, True),  # of first bits: 544 us on the air, and 192
        (9, 544, True),  # of last bits: 192 us, and 352 us of the acknowledgement
        (9, 1408, True),
        (9, 1410, False),
        (9, 5000, False),
        (125, 4256 + 192, True),
        (125, 544, True),
        (125, 4256 + 866, False),
        (125, 9990, False),
    ],
)
def test_an_acknowledgement_follows_when_the_standard_has_it(length: int, delay_us: int, is_paired: bool) -> None:
    """From 192 to 864 us after the end of its frame, whichever bit the timestamps are of."""
    sent = data(0, 7, payload=bytes(length - 9))
    (view,), _ = measured([("air", sent), ("air", ack(delay_us, 7)), ("air", data(10**6 + 1, 8))])

    assert ({"0x0001": [1000 * delay_us]} if is_paired else {}) == view.ack_ns
    assert ((0, 0) if is_paired else (1, 1)) == (view.stray_acks, view.untimely_acks)


def test_rough_timestamps_widen_the_time_of_an_acknowledgement() -> None:
    """By the step in which they come, and by how far frames would overlap on the air."""
    others = [data(-1_000_000 + 1000 * number**2, 1, asks=False) for number in range(30)]
    late = [*others, data(0, 7), ack(2000, 7), data(5_000, 8, asks=False)]
    exact = data(20_001, 9, asks=False)
    (in_ms,), _ = measured(("air", frame) for frame in late)
    (in_us,), _ = measured(("air", frame) for frame in [*late, exact])
    crowded = [data(20_100 + at, at, asks=False, payload=bytes(100)) for at in (0, 60)]
    (host,), _ = measured(("air", frame) for frame in [*late, exact, *crowded])

    assert [{"0x0001": [2_000_000]}, {}, {"0x0001": [2_000_000]}] == [in_ms.ack_ns, in_us.ack_ns, host.ack_ns]


def test_acknowledgements_without_a_time_of_the_standard_have_a_wider_bound() -> None:
    """Of other PHYs, and enhanced ones, which a timeslot template puts."""
    enhanced = timed(4500, bytes([2, 0x20, 7]))
    (view,), _ = measured([("air", data(0, 7)), ("air", enhanced)])
    slow = [dataclasses.replace(frame, channel=0) for frame in (data(0, 7), ack(9_000, 7))]
    (other,), _ = measured(("air", frame) for frame in slow)

    assert [{"0x0001": [4_500_000]}, {"0x0001": [9_000_000]}] == [view.ack_ns, other.ack_ns]


def test_the_way_from_one_capture_to_another() -> None:
    """Frames that both received equally often are paired, in order; the others are counted."""
    left = [data(0, 1), data(1000, 2), data(2000, 3), data(3000, 3), data(4000, 4), data(5000, 5), data(6000, 5)]
    right = [data(70, 1), data(1090, 2), data(2050, 3), data(5060, 5), data(6040, 5), data(9000, 6, source=2)]
    named = [("left", frame) for frame in left] + [("right", frame) for frame in right]
    _, (way,) = measured(named)

    assert (("left", "right"), (1, 1), 2) == (way.names, way.only, way.ambiguous)
    assert {"0x0001": [70_000, 90_000, 60_000, 40_000]} == way.delays_ns


def test_damaged_frames_tell_nothing() -> None:
    broken = Frame(ticks=START_US, ticks_per_s=10**6, mpdu=data(0, 1).mpdu, fcs=b"??", fcs_ok=False)
    (view,), _ = measured([("air", broken), ("air", timed(5, b""))])
    assert ({}, {}, {}, 0) == (view.ack_ns, view.interval_ns, view.unacknowledged, view.stray_acks)
    assert (1, 1) == (view.bad_fcs, view.malformed)


def test_a_stamp_that_does_not_fit_is_refused() -> None:
    with pytest.raises(FormatError, match="its clock was not set, or its unit is another") as error:
        measured([("air", Frame(ticks=1 << 63, ticks_per_s=1000, mpdu=b"\2\0\7"))])
    assert "a timestamp 9223372036854775 s from 1970 in air" in str(error.value)


@pytest.mark.parametrize("sign", [1, -1])
def test_stamps_of_146_years_fit(sign: int) -> None:
    at_ns = sign * (1 << 62)
    views, _ = measured([("air", Frame(ticks=at_ns, ticks_per_s=10**9, mpdu=b"\2\0\7"))])
    assert 1 == views[0].stray_acks
    with pytest.raises(FormatError):
        measured([("air", Frame(ticks=at_ns + sign, ticks_per_s=10**9, mpdu=b"\2\0\7"))])


def test_the_step_of_timestamps_is_the_one_that_they_show() -> None:
    """Integer ms in a capture that counts us: the step is 1 ms; of as few as ten frames the unit of the file counts."""
    frames = [data(1000 * k * k, k) for k in range(40)]

    for count, expected in ((40, (1e6, "timestamps")), (10, (1e3, "format"))):
        (view,), _ = measured(("air", frame) for frame in frames[:count])
        assert expected == view.step
