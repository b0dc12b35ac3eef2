"""The lower envelope of the delays with which samples arrive: where it steps up, samples were lost.

A block of samples arrives late, never early: delay(u) = arrival - count / rate is at least that of a block which
nothing held up, and that changes by no more than the crystals of the analyzer and the host. A loss of L samples at t
raises all later delays by L / rate. With after(t), the least delay later than t, and before(t), the least up to t, each
widened by what the crystals allow in between, a loss L at t obeys

    L / rate <= after(t) - before(t) + hide(t)

since after(t) cannot be below the envelope and before(t) is above it by at most hide(t): how late even the best block
before may have been. That is taken from the capture itself, as the lateness that is proven: of blocks after which
others came earlier. Losses do not add to it, they only make later blocks later. They can hide it at the start, where
nothing came before: there the limit is that nothing was sampled before the analyzer was started.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.losses import Loss

HOST_CLOCK = "the host's clock"
CRYSTAL_PPM = 200  # the worst that makers of analyzers state (Saleae's older ones; time-measurement-error page)
FLOOR_NS = 1_000_000  # no step below this counts, however regular blocks came (unverified: scheduling of a busy host)
# Of an interval of windows that is as late as the latest proven one: it is one sample of a maximum, so twice that.
MARGIN = 2
# Of half a second the best window was late by at most 0.5 ms on an idle host, and by 1.1 ms on one with twice as many
# busy processes as processors (tests/studies/silent_losses.py --arrivals, 2026-11-27).
SETTLED_WINDOWS = 8
CONFIRMED_WINDOWS = 32  # with blocks, for which a capture that could end waits for one that is not late
AFTER_WINDOWS = 3  # that come as what is after a loss does; of fewer, a host that was busy may be the cause
MAX_INTERVALS = 100  # for which a bound is stated
MAX_LOSSES = 1000  # that are looked for one by one


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arrivals:
    """The least late block of each window of time, in order.

    Attributes
    ----------
    times_ns, delays_ns
        float64, shape (n,): when it came, and that less the time at which its last sample should have been taken; both
        from one instant.
    samples
        int64, shape (n,): number of the sample after its last.
    began_ns
        Instant before which nothing was sampled, on the same axis; None: unknown.
    ns_per_sample
        Nominal.
    """

    times_ns: NDArray[np.float64]
    delays_ns: NDArray[np.float64]
    samples: NDArray[np.int64]
    began_ns: float | None
    ns_per_sample: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """What the envelope shows.

    Attributes
    ----------
    losses
        Losses that were found, in order.
    bounds
        For each interval of time the smallest loss that would have been found there.
    """

    losses: tuple[Loss, ...]
    bounds: tuple[Bound, ...]


def steps(arrivals: Arrivals, *, end: int) -> Steps:
    """Find the losses before sample `end`, and state what would have been found. Later arrivals are evidence."""
    envelope = _Envelope(arrivals, end)
    envelope.find(SETTLED_WINDOWS)
    return Steps(losses=tuple(envelope.losses), bounds=envelope.bounds())


def is_settled(arrivals: Arrivals, *, end: int) -> bool:
    """Whether what came by now bounds losses before sample `end` as well at the end as elsewhere."""
    if len(arrivals.times_ns) <= SETTLED_WINDOWS or arrivals.samples[-1] <= end:
        return False
    envelope = _Envelope(arrivals, end)
    envelope.find(CONFIRMED_WINDOWS)
    return envelope.is_low


class _Envelope:
    def __init__(self, arrivals: Arrivals, end: int) -> None:
        self._arrivals, self._end = arrivals, end
        self._per_ns = 1 / arrivals.ns_per_sample
        self._cone_ns = arrivals.times_ns * CRYSTAL_PPM * 1e-6
        delays_ns = arrivals.delays_ns
        from_here = np.minimum.accumulate((delays_ns + self._cone_ns)[::-1])[::-1] - self._cone_ns
        self.after_ns = from_here[1:]
        self._late_ns = _latest(delays_ns - from_here)
        self.least_step_ns = max(FLOOR_NS, MARGIN * float(self._latest_of(np.array([2 * SETTLED_WINDOWS]))[0]))
        # Windows that begin before the end: a loss between one and the next may be before it.
        self.checked = arrivals.samples[:-1] < end
        self.losses: list[Loss] = []
        self._rise_ns = self.rise(0)
        self._hide_ns = self._hide(0)
        self._found = np.zeros(len(self.after_ns), dtype=bool)

    def rise(self, begin: int) -> NDArray[np.float64]:
        """after(t) - before(t) between each window and the next, where the time before begins with window `first`."""
        widened = self._arrivals.delays_ns[:-1] - self._cone_ns[:-1]
        before = np.minimum.accumulate(widened[begin:]) + self._cone_ns[begin:-1]
        return np.concatenate([np.full(begin, -np.inf), self.after_ns[begin:] - before])

    @property
    def is_low(self) -> bool:
        """No step stands where no loss was found."""
        return bool(self._rise_ns[self.checked & ~self._found].max(initial=0.0) <= self.least_step_ns)

    def find(self, windows: int) -> None:
        """Find losses one after another, each with `windows` windows after it; the time before begins again there."""
        times_ns = self._arrivals.times_ns
        later = np.arange(len(self.after_ns), 0, -1)
        step_ns = np.maximum(FLOOR_NS, MARGIN * self._latest_of(later))
        is_confirmed = self.checked & (later >= windows)
        begin = 0
        while len(self.losses) < MAX_LOSSES and begin < len(times_ns) - 1:
            rise_ns = self.rise(begin)
            self._rise_ns[begin:] = rise_ns[begin:]
            self._hide_ns[begin:] = self._hide(begin)[begin:]
            high = np.flatnonzero(is_confirmed & (rise_ns > step_ns)).tolist()
            certain = (at for at in high if rise_ns[at] - self._drift_ns(at) > step_ns[at])
            if (at := next(certain, None)) is None:
                return
            begin = self._note(at, begin, rise_ns)

    def _drift_ns(self, at: int) -> float:
        """How much of the step after a window the crystals may be, until the next block that is not late."""
        later = slice(at + 1, None)
        delays_ns = self._arrivals.delays_ns[later] + self._cone_ns[later] - self._cone_ns[at]
        on_time = at + 1 + int(np.argmax(delays_ns <= self.after_ns[at] + FLOOR_NS / 4))
        return 2 * float(self._cone_ns[on_time] - self._cone_ns[at])

    def _note(self, at: int, earliest: int, rise_ns: NDArray[np.float64]) -> int:
        """Note the loss that shows between a window and the next; returns the window that is after it."""
        arrivals = self._arrivals
        # Windows before the loss that were late themselves make a first, lower step.
        level_ns = float(self.after_ns[min(at + SETTLED_WINDOWS, len(self.after_ns) - 1)])
        size_ns = float(rise_ns[at]) + level_ns - float(self.after_ns[at])
        low = np.flatnonzero(arrivals.delays_ns[earliest : at + 1] < level_ns - size_ns / 2)
        begin = earliest + int(low[-1]) if low.size else at
        early = np.flatnonzero(arrivals.delays_ns[at + 1 :] < level_ns - FLOOR_NS / 2)
        after = at + 1 + (int(early[-1]) + 1 if early.size else 0)
        uncertain_ns = max(FLOOR_NS / 2, float(self._hide_ns[at]))
        on_time = after + np.flatnonzero(arrivals.delays_ns[after:] <= level_ns + uncertain_ns + FLOOR_NS / 2)
        end = int(on_time[:AFTER_WINDOWS][-1]) if on_time.size else len(arrivals.delays_ns) - 1
        self._found[begin:end] = True
        stop = min(int(arrivals.samples[end]), self._end)
        start, size = int(arrivals.samples[begin]), round(size_ns * self._per_ns)
        uncertainty = round(max(FLOOR_NS, uncertain_ns) * self._per_ns) + 1
        if self.losses and start <= self.losses[-1].end:  # part of it: what was late before it came late for good
            before = self.losses.pop()
            start, size, uncertainty = before.start, before.samples + size, max(before.uncertainty, uncertainty)
        if start <= stop:
            self.losses.append(Loss(start=start, end=stop, samples=size, uncertainty=uncertainty, found_by=HOST_CLOCK))
        return end

    def bounds(self) -> tuple[Bound, ...]:
        """The start; then intervals with the usual limit, and those in which less would be found, in turn."""
        arrivals, end = self._arrivals, self._end
        if not end:
            return ()
        checked = np.flatnonzero(self.checked)
        windows = int(checked[-1]) + 1 if checked.size else 0  # windows that begin before the end
        if windows <= SETTLED_WINDOWS:
            return (self._bound(0, end, self._start_ns(windows)),)
        limits_ns = np.maximum(self._rise_ns, self.least_step_ns) + self._hide_ns
        limits_ns[self._found] = self.least_step_ns  # a loss is there, and stated
        limits_ns = limits_ns[SETTLED_WINDOWS:windows]
        is_usual = limits_ns <= 1.5 * float(np.median(limits_ns))
        cuts = np.flatnonzero(np.diff(is_usual)) + 1
        cuts = np.concatenate([[0], cuts if cuts.size < MAX_INTERVALS else [], [limits_ns.size]]).astype(np.int64)
        places = np.minimum(arrivals.samples[SETTLED_WINDOWS + cuts[:-1]], end).tolist()
        return (
            self._bound(0, places[0], self._start_ns(SETTLED_WINDOWS)),
            *(
                self._bound(start, stop, float(limits_ns[begin:after].max()))
                for start, stop, (begin, after) in zip(places, [*places[1:], end], pairwise(cuts), strict=True)
                if start < stop
            ),
        )

    def _start_ns(self, windows: int) -> float | None:
        """The limit in the first windows: what came after them was not sampled before the analyzer was started."""
        began_ns = self._arrivals.began_ns
        if began_ns is None:
            return None
        level_ns = float(
            self.after_ns[:windows].max() if windows and len(self.after_ns) else self._arrivals.delays_ns.min()
        )
        return max(level_ns - began_ns + float(self._cone_ns[max(windows - 1, 0)]), 1.5 * self.least_step_ns)

    def _bound(self, start: int, end: int, limit_ns: float | None) -> Bound:
        if limit_ns is None:
            return Bound(start=start, end=end, found_by="none: nothing came before it to compare with")
        return Bound(start=start, end=end, limit_samples=int(limit_ns * self._per_ns) + 1, found_by=HOST_CLOCK)

    def _hide(self, begin: int) -> NDArray[np.float64]:
        """How late even the best window since window `first` may have been, for each window."""
        windows = np.maximum(np.arange(len(self.after_ns)) - begin + 1, 1)
        return np.maximum(FLOOR_NS / 2, MARGIN * self._latest_of(windows))

    def _latest_of(self, windows: NDArray[np.int64]) -> NDArray[np.float64]:
        """How late the best of `windows` windows in a row was at most."""
        powers = np.log2(np.maximum(windows, 1)).astype(np.int64)
        return self._late_ns[np.minimum(powers, len(self._late_ns) - 1)]


def _latest(late_ns: NDArray[np.float64]) -> NDArray[np.float64]:
    """For 1, 2, 4, … windows in a row, how late the best of them was at most."""
    latest, best = [float(late_ns.max(initial=0))], late_ns
    while len(best) > (reach := 1 << len(latest) - 1):
        best = np.minimum(best[:-reach], best[reach:])
        latest.append(float(best.max()))
    return np.array([*latest, 0.0])
