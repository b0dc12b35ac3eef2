"""Delays by the timestamps of packet captures: acknowledgements, intervals, retries, from one capture to another.

A view is the frames that one sniffer, or one node, received and sent by one clock. An acknowledgement has no address,
so it belongs to the latest frame of its sequence number that asked for one, if it follows when the standard has it
(`ack_times`). A retry is a frame of the same bytes as the one before of its source. Frames of two views are the same if
their bytes are; those with different counts in both views are not paired, and counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from gpiorig.analysis.measure.ack_times import LONGEST_ACK_NS, Overlap, Pair, pair_of
from gpiorig.capture.edges.time_step import TimestampStep
from gpiorig.capture.errors import FormatError
from gpiorig.capture.frames import ieee802154
from gpiorig.capture.frames.frame import Frame
from gpiorig.capture.frames.frame_clock import FrameClock

NS_PER_S = 10**9
LONGEST_NS = 1 << 62
UNKNOWN = TimestampStep(0.0, "format")


@dataclass(slots=True)
class View:
    """The delays in the frames of one sniffer.

    Attributes
    ----------
    name
        Name of the capture, or of the node.
    ack_ns
        Delays from frames to their acknowledgements, by source.
    interval_ns
        Times between a source's frames, retries apart.
    retry_ns
        Times from a frame to the same one sent again.
    unacknowledged
        Frames that asked for an acknowledgement, without one in time, by source.
    stray_acks
        Acknowledgements that belong to no frame.
    untimely_acks
        Those of them that have the number of a frame shortly before, but not the time of its acknowledgement.
    bad_fcs, malformed
        Frames that are omitted: with a wrong FCS, or without a header that can be read.
    clock
        Irregularities of the timestamps.
    step
        Of the timestamps.
    """

    name: str
    ack_ns: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    interval_ns: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    retry_ns: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    unacknowledged: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    stray_acks: int = 0
    untimely_acks: int = 0
    bad_fcs: int = 0
    malformed: int = 0
    clock: FrameClock = field(default_factory=FrameClock)
    step: TimestampStep = UNKNOWN


@dataclass(frozen=True, slots=True)
class Way:
    """Delays from one view to another.

    Attributes
    ----------
    names
        Names of the two.
    delays_ns
        Second timestamp of a frame minus the first, by source.
    only
        Frames in only one of them.
    ambiguous
        Frames whose bytes came a different number of times.
    """

    names: tuple[str, str]
    delays_ns: dict[str, list[int]]
    only: tuple[int, int]
    ambiguous: int


Timestamps = dict[tuple[str, bytes], list[int]]  # by source and bytes


def measured(frames: Iterable[tuple[str, Frame]], *, longest_ns: int | None = None) -> tuple[list[View], list[Way]]:
    """Return the delays in each view, and those from the first view to every other.

    Parameters
    ----------
    frames
        Name of the view, and the frame, in the order of the file.
    longest_ns
        Longest time from a frame to its acknowledgement; None: as the standard has it, and the timestamps allow.

    Raises
    ------
    FormatError
        The timestamps span more than 146 years.
    """
    readers: dict[str, _Reader] = {}
    for name, frame in frames:
        reader = readers.setdefault(name, _Reader(View(name), longest_ns))
        reader.add(frame)
    views = [reader.finished() for reader in readers.values()]
    timestamps = [reader.timestamps for reader in readers.values()]
    ways = [
        _way(views[0].name, timestamps[0], view.name, other)
        for view, other in zip(views[1:], timestamps[1:], strict=True)
    ]
    return views, ways


@dataclass(slots=True)
class _Reader:
    view: View
    longest_ns: int | None
    timestamps: Timestamps = field(default_factory=lambda: defaultdict(list))
    # Time, source and frame, by channel and sequence number.
    open: dict[tuple[int | None, int | None], tuple[int, str, Frame]] = field(default_factory=dict)
    acks: list[tuple[str, Pair]] = field(default_factory=list)
    overlap: Overlap = field(default_factory=Overlap)
    before: dict[str, tuple[int, int, bytes]] = field(default_factory=dict)  # by source: see `_Reader._compare`

    def add(self, frame: Frame) -> None:
        view, at_ns = self.view, round(Fraction(frame.ticks * NS_PER_S, frame.ticks_per_s))
        if abs(at_ns) > LONGEST_NS:
            what = f"a timestamp {at_ns // NS_PER_S} s from 1970 in {view.name}"
            raise FormatError(what, remedy="its clock was not set, or its unit is another: no delays are computed")
        view.clock.add(frame)
        header = ieee802154.parse(frame.mpdu)
        if frame.fcs_ok is False:
            view.bad_fcs += 1
            return
        self.overlap.add(frame, at_ns)
        if header is None:
            view.malformed += 1
            return
        if header.kind == ieee802154.KINDS[ieee802154.ACK]:
            self._acknowledge((frame.channel, header.sequence), at_ns, frame)
            return
        if not header.source:
            return
        source = header.source
        self.timestamps[source, frame.mpdu].append(at_ns)
        if header.ack_request:
            self._lose((frame.channel, header.sequence))
            self.open[frame.channel, header.sequence] = (at_ns, source, frame)
        self._compare(source, frame.mpdu, at_ns)

    def _compare(self, source: str, mpdu: bytes, at_ns: int) -> None:
        """Count a frame as a retry, or as a new one, by when the last new one was first and last sent."""
        first_ns, last_ns, known = self.before.get(source, (at_ns, at_ns, b""))
        if mpdu == known:
            self.view.retry_ns[source].append(at_ns - last_ns)
            self.before[source] = (first_ns, at_ns, mpdu)
            return
        if known:
            self.view.interval_ns[source].append(at_ns - first_ns)
        self.before[source] = (at_ns, at_ns, mpdu)

    def finished(self) -> View:
        for key in list(self.open):
            self._lose(key)
        self.view.step = self.view.clock.step()
        for source, pair in self.acks:
            if self.longest_ns is not None or self.overlap.allows(pair, step_ns=self.view.step.step_ns):
                self.view.ack_ns[source].append(pair.delay_ns)
            else:
                self.view.unacknowledged[source] += 1
                self.view.untimely_acks += 1
        self.view.stray_acks += self.view.untimely_acks
        return self.view

    def _acknowledge(self, key: tuple[int | None, int | None], at_ns: int, ack: Frame) -> None:
        sent_ns, source, frame = self.open.get(key, (at_ns, "", ack))
        longest_ns = LONGEST_ACK_NS if self.longest_ns is None else self.longest_ns
        if source and abs(at_ns - sent_ns) <= longest_ns:
            del self.open[key]
            self.acks.append((source, pair_of(frame, ack, at_ns - sent_ns)))
        else:
            self.view.stray_acks += 1

    def _lose(self, key: tuple[int | None, int | None]) -> None:
        if key in self.open:
            self.view.unacknowledged[self.open.pop(key)[1]] += 1


def _way(first: str, first_timestamps: Timestamps, second: str, others: Timestamps) -> Way:
    delays: dict[str, list[int]] = defaultdict(list)
    only, ambiguous = [0, 0], 0
    for key in dict.fromkeys([*first_timestamps, *others]):
        pair: Sequence[list[int]] = (first_timestamps.get(key, []), others.get(key, []))
        if all(pair) and len(pair[0]) == len(pair[1]):
            delays[key[0]] += [late - early for early, late in zip(*pair, strict=True)]
        elif all(pair):
            ambiguous += max(map(len, pair))
        else:
            only = [count + len(timestamps) for count, timestamps in zip(only, pair, strict=True)]
    return Way((first, second), delays, (only[0], only[1]), ambiguous)
