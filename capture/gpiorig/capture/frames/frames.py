"""IEEE 802.15.4 frames with their instants of reception, in order: what a packet capture gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from gpiorig.capture.frames import ieee802154
from gpiorig.capture.frames.frame import Frame
from gpiorig.capture.frames.frame_clock import FrameClock


@dataclass(frozen=True, slots=True)
class Skipped:
    """Contents of a capture, real or lost, other than frames.

    Attributes
    ----------
    count
        How many records, or frames.
    why
        Why they are not frames, such as "lost by the sniffer".
    """

    count: int
    why: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Frames:
    """A packet capture as a stream.

    Attributes
    ----------
    read
        Begins to read, at the first frame, each time it is called; frames in the order of the file.
    source
        What it was read from, as text.
    note
        What must be known about all of it; a writer puts it into the file.
    """

    read: Callable[[], Iterator[Frame | Skipped]]
    source: str = ""
    note: str = ""

    def frames(self) -> Iterator[Frame]:
        """Only the frames."""
        return (item for item in self.read() if isinstance(item, Frame))

    def summary(self) -> dict[str, Any]:
        """Counts by kind and node, ready for JSON; reads the entire capture.

        Returns
        -------
        dict
            frames, first, last (ISO 8601), duration_s, bad_fcs, kinds (by kind of MAC frame), nodes (by who received or
            sent it), sources (by MAC source address), skipped (by reason); and what
            `FrameClock.as_json` has of the timestamps.
        """
        kinds: Counter[str] = Counter()
        nodes: dict[str, Counter[str]] = {}
        sources: Counter[str] = Counter()
        skipped: Counter[str] = Counter()
        clock = FrameClock()
        bad = 0
        earliest: Frame | None = None
        latest: Frame | None = None
        for item in self.read():
            if isinstance(item, Skipped):
                skipped[item.why] += item.count
                continue
            clock.add(item)
            header = ieee802154.parse(item.mpdu)
            kind = ieee802154.MALFORMED if header is None else header.kind
            kinds[kind] += 1
            nodes.setdefault(item.node, Counter())[kind] += 1
            if header is not None and header.source:
                sources[header.source] += 1
            bad += item.fcs_ok is False
            earliest = item if earliest is None or _before(item, earliest) else earliest
            latest = item if latest is None or _before(latest, item) else latest
        return {
            "frames": kinds.total(),
            "first": None if earliest is None else iso_text(earliest),
            "last": None if latest is None else iso_text(latest),
            "duration_s": 0.0 if earliest is None or latest is None else float(_seconds(latest) - _seconds(earliest)),
            "bad_fcs": bad,
            "kinds": dict(kinds.most_common()),
            "nodes": {
                node: {"frames": counts.total(), "kinds": dict(counts.most_common())} for node, counts in nodes.items()
            },
            "sources": dict(sources.most_common()),
            "skipped": dict(skipped),
            **clock.as_json(),
        }


def iso_text(frame: Frame) -> str:
    """When a frame was received, as ISO 8601 with all digits of its clock (of a binary clock with nine)."""
    seconds, part = divmod(frame.ticks, frame.ticks_per_s)
    digits = str(frame.ticks_per_s)
    if digits.rstrip("0") != "1":
        part, digits = part * 10**9 // frame.ticks_per_s, str(10**9)
    try:
        date = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return f"{seconds} s after 1970-01-01"
    fraction = f".{part:0{len(digits) - 1}}" if len(digits) > 1 else ""
    return f"{date}{fraction}+00:00"


def _seconds(frame: Frame) -> Fraction:
    return Fraction(frame.ticks, frame.ticks_per_s)


def _before(left: Frame, right: Frame) -> bool:
    return left.ticks * right.ticks_per_s < right.ticks * left.ticks_per_s
