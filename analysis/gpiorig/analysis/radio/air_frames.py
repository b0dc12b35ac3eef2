"""Frames on the air: their bytes from the radios' SPI buses, their instants from the radios' frame timestamp lines.

A frame that a node reads belongs to the last pulse of its frame timestamp line before it was read that is as long as
the frame (at 250 kb/s); where none is, to the only pulse since the frame before, if it is the only one. A frame that a
node writes has no pulse of its own (Atmel's DIG2 marks receptions only); it was on the air when another node, before
the next frame was written, received the same bytes. A frame with neither has the time of its transfer on the bus, with
a comment, and has no start-of-frame time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.radio.radio_frames import FCS_BYTES, UNKNOWN_RSSI, RadioFrames
from gpiorig.capture.edges.nanoseconds import nearest_ns
from gpiorig.capture.frames.frame import Frame
from gpiorig.capture.frames.frames import Frames

US_PER_S, NS_PER_S = 10**6, 10**9
BYTE_NS = 32_000  # at 250 kb/s (IEEE 802.15.4-2006, 6.5.1)
# Atmel's DIG2 is high from after the PHR (Atmel 8111, 11.6.1), TI's SFD from before it (SWRS041), both to the end.
TOLERANCE_BYTES = 2.5
NO_LINE = "time of the SPI transfer: no frame timestamp line shows this frame"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NodeAir:
    """Lines of one node's radio.

    Attributes
    ----------
    frames
        Frames on its SPI bus.
    marks, ends
        int64, shape (n,): rises of its frame timestamp line, and the falls that follow them (-1: not seen).
    header_samples
        From the first bit on the air to such a rise.
    """

    frames: RadioFrames
    marks: NDArray[np.int64]
    ends: NDArray[np.int64]
    header_samples: int


@dataclass(slots=True, eq=False)
class _TimedFrame:
    """A frame with its instant: the first bit on the air where `on_air`, else the start of its transfer."""

    node: int
    index: int
    mpdu: bytes
    sample: int
    on_air: bool


def frames(
    radios: Sequence[NodeAir],
    *,
    start: int,
    epoch: str = "",
    packets: Mapping[int, str] | None = None,
    source: str = "",
    note: str = "",
) -> Frames:
    """Put the frames of all radios into one capture, in the order of their instants.

    Parameters
    ----------
    radios
        One for each node; same samplerate.
    start
        First sample of the recording: time 0 of the start-of-frame times.
    epoch
        Wall-clock time of sample 0 (ISO 8601 with offset); "" for an unknown one: timestamps then begin at 1970.
    packets
        Comment of a frame, by the sample of its first bit on the air.
    source, note
        Path of the recording, and a note about all of it.
    """
    timed = _timed(radios)

    def read() -> Iterator[Frame]:
        for frame in timed:
            yield _frame(radios[frame.node].frames, frame, start=start, epoch=epoch, packets=packets or {})

    return Frames(read=read, source=source, note=note)


def _timed(radios: Sequence[NodeAir]) -> list[_TimedFrame]:
    received = [frame for node, radio in enumerate(radios) for frame in _received(node, radio)]
    sent = [frame for node, radio in enumerate(radios) for frame in _sent(node, radio.frames, received)]
    return sorted(received + sent, key=lambda frame: (frame.sample, not radios[frame.node].frames.sent[frame.index]))


def _received(node: int, radio: NodeAir) -> Iterator[_TimedFrame]:
    byte_samples = float(BYTE_NS * radio.frames.samplerate_hz / NS_PER_S)
    lengths = (radio.ends - radio.marks) / byte_samples
    first = 0
    for index in np.flatnonzero(~radio.frames.sent).tolist():
        read_at = int(radio.frames.start[index])
        mpdu = _mpdu(radio.frames, index)
        since = np.arange(first, int(np.searchsorted(radio.marks, read_at)))
        fitting = since[np.abs(lengths[since] - len(mpdu) - FCS_BYTES) <= TOLERANCE_BYTES]
        chosen = int(fitting[-1]) if fitting.size else int(since[0]) if since.size == 1 else -1
        first = max(first, chosen + 1)
        sample = int(radio.marks[chosen]) - radio.header_samples if chosen >= 0 else read_at
        yield _TimedFrame(node, index, mpdu, sample, chosen >= 0)


def _sent(node: int, written: RadioFrames, received: Sequence[_TimedFrame]) -> Iterator[_TimedFrame]:
    receptions: dict[bytes, list[int]] = {}
    for frame in received:
        if frame.node != node and frame.on_air:
            receptions.setdefault(frame.mpdu, []).append(frame.sample)
    own = np.flatnonzero(written.sent).tolist()
    for place, index in enumerate(own):
        first = int(written.start[index])
        last = int(written.start[own[place + 1]]) if place + 1 < len(own) else math.inf
        mpdu = _mpdu(written, index)
        instants = [sample for sample in receptions.get(mpdu, ()) if first < sample < last]
        yield _TimedFrame(node, index, mpdu, min(instants, default=first), bool(instants))


def _mpdu(frames: RadioFrames, index: int) -> bytes:
    data = frames.frame(index)
    return data[:-FCS_BYTES] if frames.has_fcs[index] else data


def _frame(frames: RadioFrames, frame: _TimedFrame, *, start: int, epoch: str, packets: Mapping[int, str]) -> Frame:
    rate, index = frames.samplerate_hz, frame.index
    ticks_per_s = math.lcm(rate.numerator, US_PER_S)
    epoch_us = round(datetime.fromisoformat(epoch).timestamp() * US_PER_S) if epoch else 0
    ticks = Fraction(frame.sample, 1) / rate * ticks_per_s + epoch_us * (ticks_per_s // US_PER_S)
    lqi, rssi, crc = int(frames.lqi[index]), int(frames.rssi_dbm[index]), int(frames.crc[index])
    start_ns = int(nearest_ns(np.array([frame.sample - start]), rate)[0])
    about = packets.get(frame.sample, "") if frame.on_air else NO_LINE
    return Frame(
        ticks=int(ticks),
        ticks_per_s=ticks_per_s,
        mpdu=frame.mpdu,
        fcs=frames.frame(index)[-FCS_BYTES:] if frames.has_fcs[index] else b"",
        fcs_ok=None if crc < 0 else bool(crc),
        node=frames.node,
        sent=bool(frames.sent[index]),
        lqi=None if lqi < 0 else lqi,
        rss_dbm=None if rssi == UNKNOWN_RSSI else float(rssi),
        start_ns=start_ns if frame.on_air and start_ns >= 0 else None,
        comment=about,
    )


def pulses(seen: Events, point: str, *, node: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rises of a tap of a node, and the falls that follow them, -1 where none does before the next rise."""
    rises, falls = seen.instants(f"{point}.enter", node=node), seen.instants(f"{point}.exit", node=node)
    place = np.searchsorted(falls, rises)
    following = np.append(falls, -1)[place] if len(falls) else np.full(len(rises), -1, dtype=np.int64)
    before_next = following <= np.append(rises[1:], np.iinfo(np.int64).max)
    return rises, np.where(before_next, following, -1)
