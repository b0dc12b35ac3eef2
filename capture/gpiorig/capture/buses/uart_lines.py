"""Lines of text out of the characters of a UART."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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
        newline = part.received & (part.values & 0xFF == NEWLINE)
        at = 0
        for cut in [*(np.flatnonzero(newline) + 1).tolist(), part.values.size]:
            characters = part.select(slice(at, cut))
            received = characters.received
            if not text and received.any():
                start = int(characters.starts[received.argmax()])
            text += characters.values[received].astype(np.uint8).tobytes()
            errors += int(np.count_nonzero(characters.flags))
            if cut > at and newline[cut - 1]:
                line = text[:-1].rstrip(b"\r").decode(errors="replace")
                yield UartLine(start, int(characters.ends[-1]), line, errors)
                text, errors = bytearray(), 0
            at = cut
