"""Whether the timestamps of a packet capture can be the times of its frames."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from gpiorig.capture.edges.time_step import MAX_TIMESTAMPS, TimestampStep, timestamp_step
from gpiorig.capture.frames.frame import Frame

# The O-QPSK PHY of 2450 MHz sends 62 500 symbols/s, two an byte (IEEE 802.15.4-2006, 6.5); BPSK at 868 and 915 MHz is
# slower. Preamble and SFD are 5 bytes, the PHY header is one (6.3).
BYTE_S = Fraction(2, 62_500)
HEADER_BYTES = 6
FCS_BYTES = 2  # of a frame that the capture has without
YEAR_S = 31_556_952
LAST_YEAR = 2100
NS_PER_S = 10**9
MAX_REMEMBERED = 4096  # frames of one timestamp


def air_bytes(frame: Frame) -> int:
    """Bytes of a frame on the air, with preamble, PHY header and FCS."""
    return HEADER_BYTES + len(frame.mpdu) + (len(frame.fcs) + frame.cut_bytes or FCS_BYTES)


@dataclass(slots=True)
class _Clock:
    """The frames of one node on one channel, which cannot overlap; instants in ticks."""

    ticks_per_s: int
    last: int
    earliest: int
    latest: int
    seen: set[bytes] = field(default_factory=set)
    frames: int = 0
    size_bytes: int = 0
    longest: int = 0

    @property
    def span_s(self) -> Fraction:
        """From the first to the last timestamp."""
        return Fraction(self.latest - self.earliest, self.ticks_per_s)

    @property
    def is_useless(self) -> bool:
        """Whether the frames last longer than their timestamps allow, be they of first or of last bits."""
        return (self.size_bytes - self.longest) * BYTE_S > self.span_s + Fraction(1, self.ticks_per_s)


@dataclass(slots=True)
class FrameClock:
    """Irregular timestamps of frames, counted one by one in the order of the file.

    Attributes
    ----------
    back_steps
        Frames that are timestamped earlier than the one before of the same node and channel.
    equal_timestamps
        Frames that have its very timestamp.
    duplicates
        Those of them that have the bytes, too, of one with that timestamp.
    """

    back_steps: int = 0
    equal_timestamps: int = 0
    duplicates: int = 0
    _ticks_per_s: int = 0
    _timestamps_ns: array[int] = field(default_factory=lambda: array("q"))
    _clocks: dict[tuple[str, int | None, int], _Clock] = field(default_factory=dict)

    def add(self, frame: Frame) -> None:
        """Count a frame."""
        ticks, content = frame.ticks, frame.mpdu + frame.fcs
        self._ticks_per_s = min(self._ticks_per_s or frame.ticks_per_s, frame.ticks_per_s)
        if len(self._timestamps_ns) < MAX_TIMESTAMPS:
            at_ns = round(Fraction(ticks * NS_PER_S, frame.ticks_per_s))
            if abs(at_ns) < 1 << 62:
                self._timestamps_ns.append(at_ns)
        key = (frame.node, frame.channel, frame.ticks_per_s)
        clock = self._clocks.get(key)
        if clock is None:
            clock = self._clocks[key] = _Clock(frame.ticks_per_s, ticks, ticks, ticks)
        elif ticks == clock.last:
            self.equal_timestamps += 1
            self.duplicates += content in clock.seen
        else:
            self.back_steps += ticks < clock.last
            clock.seen.clear()
        if len(clock.seen) < MAX_REMEMBERED:
            clock.seen.add(content)
        clock.frames += 1
        clock.last, clock.earliest, clock.latest = ticks, min(ticks, clock.earliest), max(ticks, clock.latest)
        if not frame.page:
            length = air_bytes(frame)
            clock.size_bytes += length
            clock.longest = max(clock.longest, length)

    def step(self) -> TimestampStep:
        """The step of the timestamps, by the first of them."""
        unit_ns = NS_PER_S / self._ticks_per_s if self._ticks_per_s else 0.0
        return timestamp_step(np.array(self._timestamps_ns, dtype=np.int64), format_ns=unit_ns)

    @property
    def is_useless(self) -> bool:
        """Whether the timestamps of some node and channel cannot be the times of its frames."""
        return any(clock.is_useless for clock in self._clocks.values())

    def as_json(self) -> dict[str, Any]:
        """The counts, the step, and the remarks."""
        step = self.step()
        return {
            "back_steps": self.back_steps,
            "equal_stamps": self.equal_timestamps,
            "duplicates": self.duplicates,
            "step_ns": step.step_ns,
            "step_origin": step.origin,
            "remarks": self.remarks(),
        }

    def remarks(self) -> list[str]:
        """Warnings for users of the times; empty without any."""
        return list(self._remarks())

    def _remarks(self) -> Iterator[str]:
        useless = [(node, clock) for (node, *_), clock in self._clocks.items() if clock.is_useless]
        for node, clock in useless[:3]:
            who, air_s = f" of {node}" if node else "", float(clock.size_bytes * BYTE_S)
            yield (
                f"{clock.frames} frames{who} last {air_s:.2g} s on the air at least, their timestamps span "
                f"{_seconds(clock.span_s)} s: these are not the times of the frames"
            )
        if len(useless) > 3:
            yield f"the same holds for {len(useless) - 3} more nodes and channels"
        starts = [clock.earliest // clock.ticks_per_s for clock in self._clocks.values()]
        year = 1970 + min(starts, default=YEAR_S) // YEAR_S
        if not 1970 < year <= LAST_YEAR:
            yield f"begins in {year}: the clock was not set, or its unit is another"
        if self.back_steps:
            yield f"frames timestamped earlier than the one before: {self.back_steps}"
        if self.equal_timestamps:
            same = f", of which {self.duplicates} are duplicates, byte for byte" if self.duplicates else ""
            yield f"frames with the timestamp of the one before: {self.equal_timestamps}{same}"


def _seconds(span: Fraction) -> str:
    return f"{float(span):.9f}".rstrip("0").rstrip(".")
