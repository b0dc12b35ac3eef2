"""Lines of text out of the characters of a UART."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gpiorig.capture.buses.uart import Characters

NEWLINE = ord("\n")


@dataclass(frozen=True, slots=True)
class UartLine:
    """A line of text as it was on the wire.

    Attributes
    ----------
    start
        Sample of the first start bit's edge.
    end
        Sample at which the stop bit of the newline ends.
    text
        Without its end; bytes that are not UTF-8 are U+FFFD.
    errors
        Characters with a framing or parity error, and false starts and breaks, since the line before.
    """

    start: int
    end: int
    text: str
    errors: int


def lines(parts: Iterable[Characters]) -> Iterator[UartLine]:
    """Put characters together to lines of text, as `SerialRecord.lines` does: a rest without a newline is omitted.

    Parameters
    ----------
    parts
        Consecutive characters, as `decode` gives them; of nine data bits the lower eight count.
    """
    text, start, errors = bytearray(), 0, 0
    for part in parts:
        received = part.received
        values = part.values.astype(np.uint8)
        newlines = np.flatnonzero(received & (values == NEWLINE))
        cuts = np.concatenate([[0], newlines + 1, [len(values)]])
        starts, letters = part.starts[received], values[received].tobytes()
        before = np.concatenate([[0], np.cumsum(received)])[cuts].tolist()
        damaged = np.diff(np.concatenate([[0], np.cumsum(part.flags != 0)])[cuts]).tolist()
        ends = part.ends[newlines].tolist()
        for place, (low, high) in enumerate(pairwise(before)):
            if not text and high > low:
                start = int(starts[low])
            text += letters[low:high]
            errors += damaged[place]
            if place < len(ends):
                line = text[:-1].rstrip(b"\r").decode(errors="replace")
                yield UartLine(start, ends[place], line, errors)
                text, errors = bytearray(), 0
