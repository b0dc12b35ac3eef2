"""How long to wait for a node: in virtual time on a virtual bench, which may be slower than real time."""

from __future__ import annotations

import time
from collections.abc import Callable

LOOK_S = 0.1  # between two looks at the virtual time


class Deadline:
    """A wait of a given number of seconds.

    On a virtual bench it ends when both clocks have come so far: the host's, since the host has to be served as well,
    and the bench's, since a node cannot answer before its time has passed. Where virtual time does not pass (every
    board sleeps, or the bench is gone) nothing will come: then the host's clock alone counts from there.

    Parameters
    ----------
    wait_s
        Seconds.
    virtual_ns
        Returns the virtual time of the bench; None: no virtual bench.
    """

    def __init__(
        self,
        wait_s: float,
        virtual_ns: Callable[[], int] | None = None,
        *,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wait_s, self._virtual_ns, self._clock_s = wait_s, virtual_ns, clock_s
        self._end_s = clock_s() + wait_s
        self._last_ns = virtual_ns() if virtual_ns else 0
        self._end_ns = self._last_ns + round(wait_s * 1e9)
        self._stands_until_s = self._end_s

    def left_s(self) -> float:
        """Seconds to wait until the next look; 0 or less: it is over."""
        now_s = self._clock_s()
        if self._virtual_ns is None:
            return self._end_s - now_s
        now_ns = self._virtual_ns()
        if now_ns != self._last_ns:
            self._last_ns, self._stands_until_s = now_ns, now_s + self._wait_s
        end_s = self._end_s if now_ns >= self._end_ns else max(self._end_s, self._stands_until_s)
        return min(end_s - now_s, LOOK_S)
