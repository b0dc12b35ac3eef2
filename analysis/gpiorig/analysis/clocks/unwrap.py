"""Timers of few bits made continuous: wraps, resets, steps back and stray timestamps are distinguished and counted."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks.levels import Levels
from gpiorig.analysis.errors import EventError
from gpiorig.capture.edges.nanoseconds import nearest_ns

Ticks = NDArray[np.int64]

RATE_TOLERANCE = 0.02  # of a nominal rate: RC oscillators of nodes are 0.5 to 1 % off (RIOT issue 10545)
SLACK_NS = 1_000_000_000  # by which a reference timestamp may be late: a host that reads a serial line
ORDINARY_PAUSES = 4  # a wrap steps forward by at most this many times the longest step without one
MIN_PAUSE = 64  # or than this part of the modulus
LOOK_AHEAD = 3  # timestamps that show whether one that went back was a stray


@dataclass(frozen=True, slots=True, eq=False)
class Unwrapped:
    """A timer's timestamps without its wraps.

    Parameters
    ----------
    ticks
        int64[n], continuous within a boot period, which begins with the raw timestamp.
    boot_periods
        int32[n], number of the boot period of each timestamp: resets up to it.
    wraps
        How often the timer began again at 0 because its bits were full.
    resets
        Index of the first timestamp of each boot period but the first one.
    backsteps
        Indices of timestamps below the one before them without a wrap or a reset: out of order, set back, or strays
        such as a lone 0.
    modulus
        Range of the timer; None if it does not wrap.
    """

    ticks: Ticks
    boot_periods: NDArray[np.int32]
    wraps: int
    resets: tuple[int, ...]
    backsteps: tuple[int, ...]
    modulus: int | None

    def ns(self, tick_hz: Fraction) -> Ticks:
        """The ticks as int64 ns, to the nearest; raises `OverflowError` beyond 292 years."""
        return nearest_ns(self.ticks, tick_hz)


def unwrap(
    timestamps: Ticks,
    modulus: int | None,
    *,
    boots: Sequence[int] = (),
    reference_ns: Ticks | None = None,
    tick_hz: Fraction | None = None,
    slack_ns: int = SLACK_NS,
) -> Unwrapped:
    """Unwrap a timer.

    A step whose modular forward distance is plausible is a step forward, over a wrap or not. The reference, if there is
    one, determines what is plausible: its own step at the nominal rate, within 2 % and `slack_ns`, and a pause that
    spans several wraps is then counted in full. Without a reference the distance may be `ORDINARY_PAUSES` times the
    longest step that needs no wrap, or a `MIN_PAUSE`-th of the modulus. Of other steps, in this order:

    - With a reference: it went forward, by less than the reference, and later timestamps catch up or the step is an
      ordinary one: the reference was late, or was stepped (`levels.Levels.late`).
    - One of the next `LOOK_AHEAD` timestamps follows plausibly on the timestamp *before* the step: those between are
      strays or out of order. Time continues from before; read as a wrap, each would add a modulus (seemoo-lab/pyshimmer
      pull request 44: 9.5 minutes became 43).
    - With a reference: it shows less than what went by on the reference since the last timestamp, as after a reset.
      Without one: it went back. A reset begins a boot period.
    - Anything else, with a reference: the timestamp is where the wraps that fit best put it; a step in time.

    With a reference a plausible wrap is checked once more. The timestamps before it and those after it lie on one level
    against the reference if it is one; if they do not, for long enough, it was a reset that came near to a full timer,
    or, where they are apart by a number of wraps, a late timestamp of the reference caused too many.

    Parameters
    ----------
    timestamps
        int64[n], in the order of the log; with a modulus, 0 <= timestamp < modulus.
    modulus
        2**16, 2**24, 2**32 or any other; None for a timer that does not wrap.
    boots
        Indices of the first timestamp after a boot that is known: a reset whatever the timestamps.
    reference_ns
        int64[n], the same instants on another clock, such as the host's.
    tick_hz
        Nominal rate of the timer; needed with a reference.
    slack_ns
        Largest error of the distance of two timestamps of the reference.

    Raises
    ------
    EventError
        Arrays of different length, a modulus below 2, a timestamp outside it, or a reference without `tick_hz`.
    """
    _check(timestamps, modulus, reference_ns, tick_hz)
    steps = _Steps(timestamps, modulus, reference_ns, tick_hz, slack_ns)
    deltas = steps.forward
    starts = {int(at) for at in boots if 0 < at < len(timestamps)}
    resets = set(starts)
    levels = None if steps.expected is None else Levels(deltas, steps.expected, steps.plausible, steps.slack)
    settled = 0
    for old in np.flatnonzero(~steps.plausible).tolist():
        if old + 1 in starts or old < settled or (levels is not None and levels.late(old, steps.allowed(old))):
            continue
        if back := steps.back_on_track(old, starts):
            deltas[old:back] = np.diff([0, *steps.strays(old, back), steps.step(old, back)])
            settled = back
        elif steps.is_reset(old, old + 1) and not (levels is not None and modulus and levels.even(old, modulus)):
            resets.add(old + 1)
        else:
            deltas[old] = steps.nearest(old, old + 1)
    if levels is not None and modulus and levels.near < modulus / MIN_PAUSE:
        resets |= _false_wraps(steps, levels, deltas, resets, modulus)
    return _assembled(timestamps, deltas, sorted(resets), modulus)


def _check(timestamps: Ticks, modulus: int | None, reference_ns: Ticks | None, tick_hz: Fraction | None) -> None:
    if modulus is not None and modulus < 2:
        raise EventError(f"modulus {modulus}: a timer has at least two states; give 2**16 or 2**32.")
    if modulus is not None and len(timestamps) and not 0 <= int(timestamps.min()) <= int(timestamps.max()) < modulus:
        wrong = int(timestamps.min()) if int(timestamps.min()) < 0 else int(timestamps.max())
        raise EventError(f"timer timestamp {wrong}: outside 0 to {modulus}; check the timer's number of bits.")
    if reference_ns is not None and (tick_hz is None or len(reference_ns) != len(timestamps)):
        raise EventError("a reference needs as many timestamps as the timer has, and the timer's nominal rate.")


def _false_wraps(steps: _Steps, levels: Levels, deltas: Ticks, resets: set[int], modulus: int) -> set[int]:
    """Take back wraps in excess by a late timestamp of the reference; return those that were resets."""
    bounds = [0, *sorted(resets), len(deltas) + 1]
    false_wraps: list[int] = []
    wraps = (deltas - steps.raw) // modulus
    doubtful = steps.plausible & ((wraps > 1) | ((wraps == 1) & (levels.away() > levels.near)))
    for old in np.flatnonzero(doubtful).tolist():
        after = bisect_right(bounds, old)
        first = max([bounds[after - 1], *false_wraps[-1:]])
        shift = levels.shift(old, first, bounds[after] - 1) if old + 1 < bounds[after] else None
        if not shift:
            continue
        excess = round(shift / modulus) * modulus
        if excess > 0 and abs(shift - excess) < modulus / 8 and deltas[old] >= excess:
            deltas[old] -= excess
        elif levels.sharp(old, shift) and steps.is_reset(old, old + 1):
            false_wraps.append(old + 1)
    return set(false_wraps)


class _Steps:
    """Steps from timestamp to timestamp, and whether they are plausible."""

    def __init__(
        self,
        timestamps: Ticks,
        modulus: int | None,
        reference_ns: Ticks | None,
        tick_hz: Fraction | None,
        slack_ns: int,
    ) -> None:
        self._timestamps, self._modulus, self._reference = timestamps, modulus, reference_ns
        self._ticks_per_ns = float(tick_hz / 10**9) if tick_hz is not None else 0.0
        self.slack = slack_ns * self._ticks_per_ns
        self.raw = raw = np.diff(timestamps)
        self.expected: NDArray[np.float64] | None = None
        if reference_ns is not None:
            self.expected = expected = np.diff(reference_ns) * self._ticks_per_ns
            wraps = np.maximum(np.rint((expected - raw) / modulus), 0) if modulus else np.zeros(len(raw))
            self.forward = raw + wraps.astype(np.int64) * (modulus or 0)
            self.plausible = (np.abs(self.forward - expected) <= self._allowed(expected)) & (self.forward >= 0)
            return
        self.forward = raw % modulus if modulus else raw
        self.plausible = raw >= 0
        if modulus:
            # The step up after a timestamp that went back may be long; it is not an ordinary one.
            ordinary = raw[(raw >= 0) & np.concatenate(([True], raw[:-1] >= 0))].max(initial=0)
            self._limit = min(max(ORDINARY_PAUSES * int(ordinary), modulus // MIN_PAUSE), 3 * modulus // 4)
            self.plausible |= self.forward <= self._limit

    def _allowed(self, expected: NDArray[np.float64]) -> NDArray[np.float64]:
        allowed = RATE_TOLERANCE * np.abs(expected) + self.slack
        return np.minimum(allowed, self._modulus / 4) if self._modulus else allowed

    def allowed(self, old: int) -> float:
        """Ticks by which the step after a timestamp may differ from that of the reference."""
        return float(self._allowed(np.array([self._expected(old, old + 1)]))[0])

    def _expected(self, old: int, new: int) -> float:
        assert self._reference is not None
        return float(self._reference[new] - self._reference[old]) * self._ticks_per_ns

    def step(self, old: int, new: int) -> int:
        """Forward from one timestamp to another, over the wraps that fit best."""
        raw = int(self._timestamps[new] - self._timestamps[old])
        if self._modulus is None:
            return raw
        if self._reference is None:
            return raw % self._modulus
        return raw + max(round((self._expected(old, new) - raw) / self._modulus), 0) * self._modulus

    def nearest(self, old: int, new: int) -> int:
        """The step of a timestamp that may have gone back."""
        raw = int(self._timestamps[new] - self._timestamps[old])
        if self._modulus is None:
            return raw
        towards = 0.0 if self._reference is None else self._expected(old, new)
        return raw + round((towards - raw) / self._modulus) * self._modulus

    def strays(self, old: int, back: int) -> list[int]:
        """Steps from a timestamp to each of those before the one that follows on it, none of them past that one."""
        limit = self.step(old, back)
        strays = [self.nearest(old, at) for at in range(old + 1, back)]
        return [step - (self._modulus if self._modulus and step > limit else 0) for step in strays]

    def fits(self, old: int, new: int) -> bool:
        """Tell whether a timestamp follows plausibly on another."""
        step = self.step(old, new)
        if self._reference is not None:
            expected = np.array([self._expected(old, new)])
            return step >= 0 and bool(abs(step - expected[0]) <= self._allowed(expected)[0])
        return step >= 0 if self._modulus is None else step <= self._limit

    def back_on_track(self, old: int, starts: set[int]) -> int:
        """The timestamp, after strays, that follows on `old`; 0 for none."""
        strayed = self.step(old, old + 1)
        for new in range(old + 2, min(old + 2 + LOOK_AHEAD, len(self._timestamps))):
            if new in starts:
                return 0
            earlier = self._modulus is None or self._reference is not None or self.step(old, new) < strayed
            if earlier and self.fits(old, new):
                return new
        return 0

    def is_reset(self, old: int, new: int) -> bool:
        """Tell whether the timer restarted between two timestamps."""
        if self._reference is None:
            return True
        age = self._expected(old, new)
        return 0 <= float(self._timestamps[new]) <= age + RATE_TOLERANCE * abs(age) + self.slack


def _assembled(timestamps: Ticks, deltas: Ticks, resets: list[int], modulus: int | None) -> Unwrapped:
    ticks = np.empty(len(timestamps), dtype=np.int64)
    boot_periods = np.zeros(len(timestamps), dtype=np.int32)
    boot_periods[resets] = 1
    wraps = 0
    bounds = [0, *resets, len(timestamps)] if len(timestamps) else []
    for start, end in pairwise(bounds):
        ticks[start:end] = timestamps[start] + np.concatenate(([0], np.cumsum(deltas[start : end - 1])))
        if modulus:
            wraps += int(ticks[start:end].max()) // modulus
    back = np.flatnonzero(np.diff(ticks) < 0) + 1
    return Unwrapped(
        ticks=ticks,
        boot_periods=np.cumsum(boot_periods, dtype=np.int32),
        wraps=wraps,
        resets=tuple(resets),
        backsteps=tuple(np.setdiff1d(back, resets).tolist()),
        modulus=modulus,
    )
