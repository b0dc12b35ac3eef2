"""Levels of timestamps before and after a step of a timer: the reference was late, or the timer restarted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ticks = NDArray[np.int64]
Floats = NDArray[np.float64]

ORDINARY = (0.5, 2.0)  # of the median step: a step in which nothing happened
NEXT = 3  # timestamps next to a step
MIN_LOOK_AHEAD = 8  # timestamps
MAX_LOOK_AHEAD = 4096  # timestamps
SPANS = 3.0  # of the missing time, over which timestamps are compared: a host that stalls for 3 s is late for 3 s
PARTS = 9  # of a log, of whose rates the median counts
RATE_WITHIN = 0.05  # of the nominal rate
SCATTER = 10.0  # by how many median deviations of a step levels must differ
RATE_ERROR = 1e-3  # of the mean rate between two resets


class Levels:
    """A timer against its reference, in ticks, step by step.

    Parameters
    ----------
    deltas
        int64[n - 1], steps of the timer over its wraps; read when a method is called.
    expected
        float64[n - 1], steps of the reference, in nominal ticks.
    plausible
        bool[n - 1], where the two agree.
    slack
        Ticks by which the reference may be late.
    """

    def __init__(self, deltas: Ticks, expected: Floats, plausible: NDArray[np.bool_], slack: float) -> None:
        self._deltas, self._expected, self._slack = deltas, expected, slack
        forward = deltas >= 0
        parts = zip(np.array_split(deltas[forward], PARTS), np.array_split(expected[forward], PARTS), strict=True)
        rates = [float(steps.sum() / passed.sum()) for steps, passed in parts if passed.sum() > 0]
        self._rate = float(np.clip(np.median(rates), 1 - RATE_WITHIN, 1 + RATE_WITHIN)) if rates else 1.0
        self.near = SCATTER * float(np.median(self.away()[plausible])) if plausible.any() else 0.0
        steps = deltas[plausible & (deltas > 0)]
        self._ordinary = float(np.median(steps)) if len(steps) else 0.0

    def away(self) -> Floats:
        """By how many ticks each step differs from that of the reference, at the mean rate."""
        return np.asarray(np.abs(self._deltas - self._rate * self._expected))

    def late(self, old: int, allowed: float) -> bool:
        """Tell whether a timer went forward by too little against its reference because the reference was late.

        Then a later timestamp is where it should be, seen from the one before the step: a host that stalls reads all
        waiting lines at once, and is on time again. Or the timer made an ordinary step, and the host's clock was set. A
        reset does neither, but by accident.

        Parameters
        ----------
        old
            The timestamp before the step.
        allowed
            Ticks by which the two may differ.
        """
        step, missing = int(self._deltas[old]), float(self._expected[old] - self._deltas[old])
        if step < 0 or missing < allowed:
            return False
        if ORDINARY[0] * self._ordinary <= step <= ORDINARY[1] * self._ordinary:
            return True
        return bool((self._after(old, missing) >= -allowed).any())

    def shift(self, old: int, first: int, last: int) -> float | None:
        """Ticks by which the timestamps after a step are ahead of those before it; 0 within their scatter.

        Of each side the highest level counts, since a reference is late at times. A level is the timer minus the
        reference at the mean rate.

        Parameters
        ----------
        old
            The timestamp before the step.
        first, last
            First and last timestamp of the boot period.

        Returns
        -------
        float or None
            None if there are too few timestamps.
        """
        reach = abs(float(self._deltas[old] - self._rate * self._expected[old])) + abs(float(self._expected[old]))
        reach += self._slack
        after, before = self._after(old, reach)[: last - old], self._before(old, reach)[: old - first + 1]
        if min(len(after), len(before)) < MIN_LOOK_AHEAD:
            return None
        rise = float(after.max() - before.max())
        return rise if abs(rise) > self.near + RATE_ERROR * SPANS * reach else 0.0

    def even(self, old: int, modulus: int) -> bool:
        """Tell whether a timer that wraps visibly continues over a step, which is then not a reset.

        A timer that is full within the slack proves nothing by its number; a reset of it must be seen.
        """
        shift = self.shift(old, 0, len(self._deltas))
        if modulus <= 2 * self._slack:
            return not shift or not self.sharp(old, shift)
        return shift == 0.0 and bool(self._deltas[old] >= 0)

    def sharp(self, old: int, shift: float) -> bool:
        """Tell whether the timestamps next to a step are apart by `shift` already, not only those of a later step."""
        after, before = (part[:NEXT].max() for part in (self._after(old, 0.0), self._before(old, 0.0)))
        return bool(abs(after - before - shift) <= 2 * self.near)

    def _after(self, old: int, reach: float) -> Floats:
        """Ticks by which each timestamp after a step is ahead of the reference, from the timestamp before the step."""
        part = slice(old, old + MAX_LOOK_AHEAD)
        passed = np.cumsum(self._expected[part])
        end = max(int(np.searchsorted(np.maximum.accumulate(passed), passed[0] + SPANS * reach)), MIN_LOOK_AHEAD) + 1
        return np.asarray((np.cumsum(self._deltas[part]) - self._rate * passed)[:end])

    def _before(self, old: int, reach: float) -> Floats:
        """The same of that timestamp and those before it."""
        part = slice(max(old - MAX_LOOK_AHEAD, 0), old)
        passed = np.concatenate(([0.0], np.cumsum(self._expected[part][::-1])))
        ahead = self._rate * passed - np.concatenate(([0], np.cumsum(self._deltas[part][::-1])))
        end = max(int(np.searchsorted(np.maximum.accumulate(passed), SPANS * reach)), MIN_LOOK_AHEAD) + 1
        return np.asarray(ahead[:end])
