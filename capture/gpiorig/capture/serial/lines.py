"""Lines of text out of serial records, entry by entry."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter

from gpiorig.capture.serial.record import Entry, Kind

MAX_REST_BYTES = 1 << 16  # of a line without an end


@dataclass(frozen=True, slots=True)
class SerialLine:
    """A line that a node sent or was sent, or an event of its port.

    Attributes
    ----------
    stamp_ns, wall_ns
        Of the read that completed it: see `serialrecord.Entry`.
    node
        Name of the node.
    kind
        What the text is.
    text
        Without its end; bytes that are not UTF-8 are U+FFFD.
    """

    stamp_ns: int
    wall_ns: int
    node: str
    kind: Kind
    text: str


class LineAssembler:
    """Puts the bytes of one port together to lines; a loss of the port ends one without putting it together.

    Parameters
    ----------
    node
        Name of the node.
    """

    def __init__(self, node: str) -> None:
        self._node = node
        self._rests = {Kind.RECEIVED: b"", Kind.SENT: b""}

    def feed(self, entry: Entry) -> list[SerialLine]:
        """Return the lines that an entry completes."""
        if entry.kind not in self._rests:
            if entry.kind is Kind.LOST:
                self._rests[Kind.RECEIVED] = b""
            return [self._line(entry, entry.data)]
        *lines, rest = (self._rests[entry.kind] + entry.data).split(b"\n")
        self._rests[entry.kind] = rest[-MAX_REST_BYTES:]
        return [self._line(entry, line.rstrip(b"\r")) for line in lines]

    def _line(self, entry: Entry, text: bytes) -> SerialLine:
        return SerialLine(entry.stamp_ns, entry.wall_ns, self._node, entry.kind, text.decode(errors="replace"))


def all_lines(records: Mapping[str, Iterable[Entry]]) -> Iterator[SerialLine]:
    """Yield the lines of several nodes in the order of their timestamps.

    Parameters
    ----------
    records
        Entries of each node's record, by its name.
    """

    def lines(node: str, entries: Iterable[Entry]) -> Iterator[SerialLine]:
        assembler = LineAssembler(node)
        for entry in entries:
            yield from assembler.feed(entry)

    return heapq.merge(*(lines(node, entries) for node, entries in records.items()), key=attrgetter("stamp_ns"))
