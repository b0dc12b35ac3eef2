"""Breaks of a node's timer against the analyzer: a step of its time, or another rate from some instant on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from gpiorig.analysis.clocks.breaks import left_by_lines
from gpiorig.analysis.clocks.pairing import TIMER, Pairs
from gpiorig.analysis.clocks.resolution import counted_step
from gpiorig.analysis.number_text import NS_PER_S

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NS_PER_TICK = 1000
TICK_HZ = NS_PER_S // NS_PER_TICK
NEAR = 4  # intervals on either side, of which the rate at an interval is taken
BACK = 2  # intervals within which a late timestamp is on time again
SCALES = 8.0  # of the intervals' errors, that a step is larger than
NORMAL = 1.4826  # standard deviation of a normal distribution by its median absolute deviation
CRYSTAL_PPM = 50.0  # rates that ordinary crystals differ by; a smaller change is their temperature
MIN_TIED = 1000  # ticks: a chance of 0.1 %
MIN_STAMPS = 16  # on either side of a change of the rate
PARTS, STEADY = 4, 0.5  # parts of either side, whose rates differ by less than this share of the change
OF_LINE, OF_PARABOLA = 0.05, 0.25  # of the sum of squares of these, what two lines leave where the rate has changed


@dataclass(frozen=True, slots=True)
class Break:
    """A break in [start, end], samples of two successive timestamps.

    Attributes
    ----------
    node
        Name of the node.
    step_ns, uncertainty_ns
        By how much the timer gained on the analyzer; 0 where its rate changed.
    rate_ppm
        By how much it runs faster from then on; 0 for a step.
    """

    node: str
    start: int
    end: int
    step_ns: float = 0.0
    uncertainty_ns: float = 0.0
    rate_ppm: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Timer:
    """The timestamps of a node.

    Attributes
    ----------
    node
        Name of the node.
    samples
        int64[n], of the events with a timestamp.
    errors_ns, limits_ns
        float64[n - 1], by how much the timer gained in each interval, and from which size on this is a step; infinite
        where it is unknown.
    breaks
        Its breaks.
    """

    node: str
    samples: Integers
    errors_ns: Floats
    limits_ns: Floats
    breaks: tuple[Break, ...]

    def has_opposite(self, step: Break, *, explained: Iterable[Break] = ()) -> bool:
        """Whether it steps as far in the other direction at another time: late timestamps do, and clocks do not.

        Those of its breaks whose cause is another one do not count, and single timestamps, as damaged ones.
        """
        opposite = self.errors_ns * np.sign(step.step_ns) < -abs(step.step_ns) / 2
        for part in explained:
            opposite[slice(*np.searchsorted(self.samples, (part.start, part.end)))] = False
        large = np.abs(self.errors_ns) > self.limits_ns
        returns = large[1:] & large[:-1] & (np.abs(self.errors_ns[1:] + self.errors_ns[:-1]) <= self.limits_ns[1:])
        single = np.append(returns, False) | np.append(False, returns)
        return bool(np.any(opposite & ~single[: len(opposite)]))

    def lacks(self, other: Break, *, ns_per_sample: float) -> bool:
        """Whether it shows that a break of another node's timer is not one of its own: it would be twice its limit.

        One that breaks itself then shows nothing: it may lack what another break has made up for.
        """
        first = int(np.searchsorted(self.samples, other.start, side="right")) - 1
        last = int(np.searchsorted(self.samples, other.end))
        if first < 0 or last >= len(self.samples):
            return False
        if not other.rate_ppm:
            errors_ns, limits_ns = np.abs(self.errors_ns[first:last]), self.limits_ns[first:last]
            return bool(np.all((errors_ns < limits_ns) & (limits_ns < abs(other.step_ns) / 2)))
        if first < MIN_STAMPS or last > len(self.samples) - MIN_STAMPS or any(own.rate_ppm for own in self.breaks):
            return False
        span = min(self.samples[first] - self.samples[0], self.samples[-1] - self.samples[last])
        return bool(abs(other.rate_ppm) * 1e-6 * float(span) * ns_per_sample > 2 * self.limits_ns.max())


def timer(pairs: Pairs, *, node: str, ns_per_sample: float, steady_ppm: float = CRYSTAL_PPM) -> Timer:
    """The breaks of a node's timer, of 32 bits of µs, between one boot and the next.

    A step is an interval between two timestamps whose error is larger than eight scales of all errors, two ticks and
    the error of the rate there, and which the next intervals do not take back, as they do after a late timestamp. The
    rate has changed where two lines leave a twentieth of what one leaves and a quarter of what a parabola leaves, if it
    changes less within either. Timestamps that are equal for longer than a step are of a timer that stood still:
    that is one step back, from the timestamp before them to the one after them.

    Parameters
    ----------
    pairs
        Its timestamps.
    node
        Its name.
    ns_per_sample
        Of the analyzer.
    steady_ppm
        By how much its rate changes without a fault.
    """
    errors_ns, limits_ns = np.zeros(max(len(pairs) - 1, 0)), np.full(max(len(pairs) - 1, 0), np.inf)
    breaks: list[Break] = []
    for first, last in pairwise([0, *pairs.boots, len(pairs)]):
        if last - first <= 2 * NEAR + 1:
            continue
        samples = pairs.samples[first:last]
        ticks = (np.diff(pairs.timestamps[first:last]) + TIMER // 2) % TIMER - TIMER // 2
        pins_ns = np.diff(samples) * ns_per_sample
        gains_ns = ticks * float(NS_PER_TICK) - pins_ns
        rates, of_ns = _rates(gains_ns, np.maximum(pins_ns, ns_per_sample))
        expected_ns = rates * pins_ns
        errors, limits = errors_ns[first : last - 1], limits_ns[first : last - 1]
        errors[:] = gains_ns - expected_ns
        times = np.maximum(pins_ns / of_ns, 1.0)  # as the error of a rate is, over more time than it is of
        counted = pairs.timestamps[first] + np.concatenate([[0], np.cumsum(ticks)])
        passed = np.concatenate([[0.0], np.cumsum(pins_ns)]) / NS_PER_TICK
        quantum_ns = NS_PER_TICK * _quantum(counted, passed)
        scale_ns = SCALES * NORMAL * float(np.median(np.abs(errors) / times)) + 2 * quantum_ns
        limits[:] = scale_ns * times + ns_per_sample + steady_ppm * 1e-6 * pins_ns
        steady = ns_per_sample, steady_ppm
        stops = list(_stops(ticks, (gains_ns, pins_ns), float(np.median(rates)), scale_ns=scale_ns, steady=steady))
        stood = {at for start, end, _, _ in stops for at in range(start, end)}
        steps = [(at, at + 1, float(errors[at]), float(limits[at])) for at in _steps(errors, limits) if at not in stood]
        for start, end, step_ns, limit_ns in sorted(stops + steps):
            breaks.append(Break(node, int(samples[start]), int(samples[end]), step_ns, limit_ns))
            gains_ns[start:end] = expected_ns[start:end]
        breaks += _bends(node, samples, np.concatenate([[0.0], np.cumsum(gains_ns)]), scale=(ns_per_sample, steady_ppm))
    return Timer(node, pairs.samples, errors_ns, limits_ns, tuple(breaks))


def _quantum(counted: Integers, passed: Floats) -> float:
    """Step in which a timer counts, in µs; of either half where it shows none, since the timer may have been set.

    Instants that are tied to the ticks lie on multiples of n of them by chance in one half of n: of a half that few do
    not count.
    """
    half = len(counted) // 2
    step, *parts = (
        counted_step(counted[part], passed[part], TICK_HZ) for part in (slice(None), slice(half), slice(half, None))
    )
    return step if step > 1 else max((part for part in parts if part != round(part) or part >= MIN_TIED), default=1.0)


def _rates(gains_ns: Floats, pins_ns: Floats) -> tuple[Floats, Floats]:
    """The rate at each interval, and how long the interval is that it is of.

    It is the median of those of its neighbours, by their lengths: that of a short one is known less well. The longest
    counts no more than the next, so that a break in it, as in the rest between two trains, is not the rate around it.
    """
    windows = [sliding_window_view(np.pad(part, NEAR, mode="reflect"), 2 * NEAR + 1) for part in (gains_ns, pins_ns)]
    rates, lengths = (np.delete(part, NEAR, axis=1) for part in (windows[0] / windows[1], windows[1]))
    weights = np.minimum(lengths, np.partition(lengths, -2, axis=1)[:, -2, None])
    order = np.argsort(rates, axis=1)
    passed = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    middle = np.argmax(passed >= passed[:, -1:] / 2, axis=1)
    chosen = np.take_along_axis(order, middle[:, None], axis=1)
    rate, of_ns = (np.take_along_axis(part, chosen, axis=1)[:, 0] for part in (rates, lengths))
    return rate, of_ns


def _stops(
    ticks: Integers, gains: tuple[Floats, Floats], rate: float, *, scale_ns: float, steady: tuple[float, float]
) -> Iterator[tuple[int, int, float, float]]:
    """First interval, end, step and limit of each time at which the timer stood still.

    `gains` has the gains of the timer and the intervals by the pins, `steady` ns per sample and ppm, as `_bends` does.
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], ticks == 0, [0]])))
    for start, end in zip((edges[::2] - 1).tolist(), (edges[1::2] + 1).tolist(), strict=True):
        if start < BACK or end > len(ticks) - BACK:
            continue
        gained_ns, passed_ns = (float(part[start:end].sum()) for part in gains)
        step_ns, limit_ns = gained_ns - rate * passed_ns, scale_ns + steady[0] + steady[1] * 1e-6 * passed_ns
        if abs(step_ns) > limit_ns:
            yield start, end, step_ns, limit_ns


def _steps(errors_ns: Floats, limits_ns: Floats) -> list[int]:
    """The intervals with a step; the first and the last timestamp may be late."""
    large = np.flatnonzero(np.abs(errors_ns) > limits_ns)
    inner = large[(large >= BACK) & (large < len(errors_ns) - BACK)].tolist()
    return [at for at in inner if not _is_taken_back(errors_ns, at)]


def _is_taken_back(errors_ns: Floats, at: int) -> bool:
    near = errors_ns[max(0, at - BACK) : at + BACK + 1]
    return bool(np.any(near * np.sign(errors_ns[at]) < -abs(errors_ns[at]) / 2))


def _bends(node: str, samples: Integers, phases_ns: Floats, *, scale: tuple[float, float]) -> Iterator[Break]:
    """The place at which two lines explain the phases, where one line and a parabola do not.

    `scale` has ns per sample, and by how many ppm the rate changes without a fault.
    """
    ns_per_sample, steady_ppm = scale
    if len(samples) < 2 * MIN_STAMPS:
        return
    x = (samples - samples[0]) * ns_per_sample
    x = x / x[-1] - 0.5
    y = phases_ns - np.polyval(np.polyfit(x, phases_ns, 1), x)
    before, after = left_by_lines(x, y[None])[0], left_by_lines(x[::-1], y[None, ::-1])[0, ::-1]
    left = before[MIN_STAMPS - 1 : -MIN_STAMPS] + after[MIN_STAMPS : len(x) - MIN_STAMPS + 1]
    at = int(np.argmin(left)) + MIN_STAMPS
    bent = y - np.polyval(np.polyfit(x, y, 2), x)
    if left.min() > min(OF_LINE * float(y @ y), OF_PARABOLA * float(bent @ bent)):
        return
    slopes = [np.polyfit(x[part], y[part], 1)[0] for part in (slice(None, at), slice(at, None))]
    span_ns = float(samples[-1] - samples[0]) * ns_per_sample
    change_ppm = float(slopes[1] - slopes[0]) / span_ns * 1e6
    if abs(change_ppm) > steady_ppm and _wander(x, y, at) < STEADY * abs(slopes[1] - slopes[0]):
        yield Break(node, int(samples[at - 1]), int(samples[at]), rate_ppm=change_ppm)


def _wander(x: Floats, y: Floats, at: int) -> float:
    """The largest difference between the slopes of the parts of the half before `at`, or of the half after it."""
    halves = (np.array_split(np.arange(len(x))[part], PARTS) for part in (slice(None, at), slice(at, None)))
    return max(float(np.ptp([np.polyfit(x[part], y[part], 1)[0] for part in parts])) for parts in halves)
