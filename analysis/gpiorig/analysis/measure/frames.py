"""Delays by the stamps of packet captures: acknowledgements, intervals, retries, the way from one capture to another.

A view is what one sniffer, or one node, heard and sent by one clock. An acknowledgement has no address, so it belongs
to the latest frame of its sequence number that asked for one, if it follows soon enough. A retry is a frame of the same
octets as the one before of its source. Frames of two views are the same where their octets are; those that came more
often in one of them are paired with none, and counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from gpiorig.capture.errors import FormatError
from gpiorig.capture.frames import ieee802154
from gpiorig.capture.frames.frame_clock import FrameClock
from gpiorig.capture.frames.frames import Frame

NS_PER_S = 10**9
# An acknowledgement is awaited for 54 symbols of 16 us (IEEE 802.15.4-2006, 7.4.2, macAckWaitDuration), and stamps may
# be of the starts of frames of up to 133 octets, 4.3 ms. The rest is for sniffers that stamp in their host.
ACK_NS = 10_000_000
LONGEST_NS = 1 << 62


@dataclass(slots=True)
class View:
    """The delays in what one sniffer heard.

    Attributes
    ----------
    name
        Of the capture, or of the node.
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
    clock
        What speaks against the stamps.
    resolution_ns
        Step of the stamps.
    """

    name: str
    ack_ns: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    interval_ns: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    retry_ns: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    unacknowledged: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    stray_acks: int = 0
    clock: FrameClock = field(default_factory=FrameClock)
    resolution_ns: float = 0.0


@dataclass(frozen=True, slots=True)
class Way:
    """From one view to another.

    Attributes
    ----------
    names
        Of the two.
    delays_ns
        How much later, or earlier, the second one stamped a frame, by source.
    only
        Frames that only one of them has.
    ambiguous
        Frames whose octets came a different number of times.
    """

    names: tuple[str, str]
    delays_ns: dict[str, list[int]]
    only: tuple[int, int]
    ambiguous: int


Stamps = dict[tuple[str, bytes], list[int]]  # by source and octets


def measured(frames: Iterable[tuple[str, Frame]], *, longest_ns: int | None = None) -> tuple[list[View], list[Way]]:
    """Return the delays in each view, and those from the first view to every other.

    Parameters
    ----------
    frames
        Name of the view, and the frame, in the order of the file.
    longest_ns
        Longest time from a frame to its acknowledgement; None: 10 ms.

    Raises
    ------
    FormatError
        The stamps span more than 146 years.
    """
    readers: dict[str, _Reader] = {}
    for name, frame in frames:
        reader = readers.setdefault(name, _Reader(View(name), longest_ns or ACK_NS))
        reader.add(frame)
    views = [reader.finished() for reader in readers.values()]
    stamps = [reader.stamps for reader in readers.values()]
    ways = [_way(views[0].name, stamps[0], view.name, other) for view, other in zip(views[1:], stamps[1:], strict=True)]
    return views, ways


@dataclass(slots=True)
class _Reader:
    view: View
    longest_ns: int
    stamps: Stamps = field(default_factory=lambda: defaultdict(list))
    open: dict[tuple[int | None, int | None], tuple[int, str]] = field(default_factory=dict)  # by channel and sequence
    before: dict[str, tuple[int, int, bytes]] = field(default_factory=dict)  # by source: see `_Reader._compare`

    def add(self, frame: Frame) -> None:
        view, at_ns = self.view, round(Fraction(frame.ticks * NS_PER_S, frame.ticks_per_s))
        if abs(at_ns) > LONGEST_NS:
            what = f"a stamp {at_ns // NS_PER_S} s from 1970 in {view.name}"
            raise FormatError(what, remedy="its clock was not set, or its unit is another: no delays are computed")
        view.clock.add(frame)
        view.resolution_ns = max(view.resolution_ns, NS_PER_S / frame.ticks_per_s)
        header = ieee802154.parse(frame.mpdu)
        if header is None or frame.fcs_ok is False:
            return
        if header.kind == ieee802154.KINDS[ieee802154.ACK]:
            self._acknowledge((frame.channel, header.sequence), at_ns)
            return
        if not header.source:
            return
        source = header.source
        self.stamps[source, frame.mpdu].append(at_ns)
        if header.ack_request:
            self._lose((frame.channel, header.sequence))
            self.open[frame.channel, header.sequence] = (at_ns, source)
        self._compare(source, frame.mpdu, at_ns)

    def _compare(self, source: str, octets: bytes, at_ns: int) -> None:
        """Take a frame for a retry, or for a new one; known is when the last new one was first and last sent."""
        first_ns, last_ns, known = self.before.get(source, (at_ns, at_ns, b""))
        if octets == known:
            self.view.retry_ns[source].append(at_ns - last_ns)
            self.before[source] = (first_ns, at_ns, octets)
            return
        if known:
            self.view.interval_ns[source].append(at_ns - first_ns)
        self.before[source] = (at_ns, at_ns, octets)

    def finished(self) -> View:
        for key in list(self.open):
            self._lose(key)
        return self.view

    def _acknowledge(self, key: tuple[int | None, int | None], at_ns: int) -> None:
        sent_ns, source = self.open.get(key, (at_ns, ""))
        if source and abs(at_ns - sent_ns) <= self.longest_ns:
            del self.open[key]
            self.view.ack_ns[source].append(at_ns - sent_ns)
        else:
            self.view.stray_acks += 1

    def _lose(self, key: tuple[int | None, int | None]) -> None:
        if key in self.open:
            self.view.unacknowledged[self.open.pop(key)[1]] += 1


def _way(first: str, ours: Stamps, second: str, others: Stamps) -> Way:
    delays: dict[str, list[int]] = defaultdict(list)
    only, ambiguous = [0, 0], 0
    for key in dict.fromkeys([*ours, *others]):
        pair: Sequence[list[int]] = (ours.get(key, []), others.get(key, []))
        if all(pair) and len(pair[0]) == len(pair[1]):
            delays[key[0]] += [late - early for early, late in zip(*pair, strict=True)]
        elif all(pair):
            ambiguous += max(map(len, pair))
        else:
            only = [count + len(stamps) for count, stamps in zip(only, pair, strict=True)]
    return Way((first, second), delays, (only[0], only[1]), ambiguous)
