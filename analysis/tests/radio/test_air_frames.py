"""Frames on the air: which pulse of the frame timestamp line and which reception a frame belongs to."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from gpiorig.analysis.radio import air_frames
from gpiorig.analysis.radio.air_frames import NO_LINE, NodeAir
from gpiorig.analysis.radio.radio_frames import UNKNOWN_RSSI, RadioFrames

RATE_HZ = 24_000_000
BYTE = 768  # samples of 32 us
HEADER = 6 * BYTE
DATA = bytes.fromhex("618801cdab02000100") + bytes(20)
OTHER = bytes.fromhex("618802cdab02000100") + bytes(60)
FCS = b"\x12\x34"


def radio(node, rows, pulses=()):
    """A node whose bus carried (start, sent, psdu) and whose line was high in these ranges."""
    lengths = [0, *(len(psdu) for _, _, psdu in rows)]
    sent = np.array([row[1] for row in rows], dtype=bool)
    return NodeAir(
        frames=RadioFrames(
            samplerate_hz=Fraction(RATE_HZ),
            node=node,
            chip="at86rf2xx",
            start=np.array([row[0] for row in rows], dtype=np.int64),
            end=np.array([row[0] + 100 for row in rows], dtype=np.int64),
            sent=sent,
            offsets=np.cumsum(lengths),
            data=np.frombuffer(b"".join(row[2] for row in rows), dtype=np.uint8),
            has_fcs=~sent,
            crc=np.where(sent, -1, 1).astype(np.int8),
            lqi=np.where(sent, -1, 200).astype(np.int16),
            rssi_dbm=np.full(len(rows), UNKNOWN_RSSI, dtype=np.int16),
            sequence=np.full(len(rows), -1, dtype=np.int16),
        ),
        marks=np.array([rise for rise, _ in pulses], dtype=np.int64),
        ends=np.array([fall for _, fall in pulses], dtype=np.int64),
        header_samples=HEADER,
    )


def pulse(rise, psdu):
    """The line is high for the bytes of a frame, minus the time in which the radio detects the PHR."""
    return rise, rise + len(psdu) * BYTE - 200


def test_a_frame_is_stamped_at_both_ends_with_its_first_bit_on_the_air():
    """The reader by its pulse, the writer by the reader; times from the recording's start and on the wall clock."""
    writer = radio("a", [(10_000, True, DATA)])
    reader = radio("b", [(90_000, False, DATA + FCS)], [pulse(50_000, DATA + FCS)])
    captured = list(
        air_frames.frames(
            [writer, reader],
            start=1_000,
            epoch="2026-01-02T03:04:05.000001+00:00",
            packets={50_000 - HEADER: "packet 7 request"},
        ).frames()
    )
    sample = 50_000 - HEADER
    assert [("a", True), ("b", False)] == [(frame.node, frame.sent) for frame in captured]
    for frame in captured:
        assert (DATA, "packet 7 request") == (frame.mpdu, frame.comment)
        assert round((sample - 1_000) * 1e9 / RATE_HZ) == frame.start_ns
        assert 1_767_323_045 * RATE_HZ + 24 + sample == frame.ticks * RATE_HZ // frame.ticks_per_s
    assert (b"", None, None) == (captured[0].fcs, captured[0].fcs_ok, captured[0].lqi)
    assert (FCS, True, 200) == (captured[1].fcs, captured[1].fcs_ok, captured[1].lqi)


@pytest.mark.parametrize(
    ("pulses", "expected"),
    [
        pytest.param([pulse(50_000, DATA + FCS)], 50_000, id="its own"),
        pytest.param([pulse(50_000, DATA + FCS), pulse(80_000, bytes(5))], 50_000, id="an acknowledgement follows"),
        pytest.param([pulse(20_000, DATA + FCS), pulse(50_000, DATA + FCS)], 50_000, id="an earlier one was not read"),
        pytest.param([(50_000, -1)], 50_000, id="the only one, its end not seen"),
        pytest.param([pulse(50_000, OTHER), pulse(80_000, bytes(5))], None, id="none is as long as the frame"),
        pytest.param([pulse(100_000, DATA + FCS)], None, id="after it was read"),
    ],
)
def test_the_pulse_of_a_frame(pulses, expected):
    """The last that is as long as the frame; what no pulse shows has the time of the bus and a comment."""
    (frame,) = air_frames.frames([radio("b", [(90_000, False, DATA + FCS)], pulses)], start=0).frames()
    sample = 90_000 if expected is None else expected - HEADER
    assert sample == frame.ticks * RATE_HZ // frame.ticks_per_s
    assert (expected is None) == (frame.start_ns is None) == (frame.comment == NO_LINE)


def test_a_frame_written_twice_goes_with_two_receptions():
    """Each writing with the reception before the next one; one without a reception has the time of the bus."""
    writer = radio("a", [(10_000, True, DATA), (200_000, True, DATA), (400_000, True, DATA), (600_000, True, OTHER)])
    pulses = [pulse(50_000, DATA + FCS), pulse(450_000, DATA + FCS)]
    reader = radio("b", [(90_000, False, DATA + FCS), (490_000, False, DATA + FCS)], pulses)
    captured = [frame for frame in air_frames.frames([writer, reader], start=0).frames() if frame.sent]
    samples = [frame.ticks * RATE_HZ // frame.ticks_per_s for frame in captured]
    assert [50_000 - HEADER, 200_000, 450_000 - HEADER, 600_000] == samples
    assert ["", NO_LINE, "", NO_LINE] == [frame.comment for frame in captured]


def test_pulses_are_rises_and_the_falls_before_the_next_rise(bench):
    """A fall that was not seen is -1."""
    bench = type(bench)()
    at = [bench.emit(0, f"tap.frame_timestamp.{name}") for name in ("exit", "enter", "exit", "enter", "enter", "exit")]
    rises, ends = air_frames.pulses(bench.events(), "tap.frame_timestamp", node="initiator")
    assert [at[1], at[3], at[4]] == rises.tolist()
    assert [at[2], -1, at[5]] == ends.tolist()
