"""Lines that a node has sent, for a program that waits for them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gpiorig.capture.deadline import Deadline
from gpiorig.capture.errors import CaptureError

MAX_LINES = 4096  # that no program has waited for: 0.7 MB, of as many ports as there are


@dataclass(frozen=True, slots=True)
class Line:
    """A line that a node has sent.

    Attributes
    ----------
    stamp_ns
        When the read that completed it ended, in ns of the serial clock.
    text
        The line, without its end.
    """

    stamp_ns: int
    text: str


class LineInbox:
    """The latest lines of a port, or the error that ended it."""

    def __init__(self) -> None:
        self._lines: deque[Line] = deque(maxlen=MAX_LINES)
        self._changed = threading.Condition()
        self._error: CaptureError | None = None

    @property
    def has_failed(self) -> bool:
        """Whether an error has ended the port."""
        return self._error is not None

    def put(self, lines: Iterable[Line]) -> None:
        """Add lines."""
        with self._changed:
            self._lines.extend(lines)
            self._changed.notify_all()

    def fail(self, error: CaptureError) -> None:
        """End all waits, now and later, with an error."""
        with self._changed:
            self._error = error
            self._changed.notify_all()

    def check(self) -> None:
        """Raise the error that ended the port, if one did."""
        if self._error is not None:
            raise self._error

    def wait(self, predicate: Callable[[str], bool], deadline: Deadline) -> tuple[Line | None, str]:
        """Take lines up to the one that the predicate accepts (None at the deadline), and the last other text."""
        last = ""
        with self._changed:
            while True:
                while self._lines:
                    line = self._lines.popleft()
                    if predicate(line.text):
                        return line, last
                    last = line.text
                self.check()
                left_s = deadline.left_s()
                if left_s <= 0:
                    return None, last
                self._changed.wait(left_s)
