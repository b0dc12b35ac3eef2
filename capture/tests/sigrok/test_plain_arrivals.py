"""The check by the host's clock against a plain, slow version of its rules, over random arrivals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.sigrok.loss_by_clock import (
    AFTER_WINDOWS,
    CRYSTAL_PPM,
    FLOOR_NS,
    MARGIN,
    MAX_INTERVALS,
    SETTLED_WINDOWS,
    Arrivals,
    steps,
)

Found = list[tuple[int, int, int, int]]  # start, end, samples, uncertainty
Limits = list[tuple[int, int, int | None]]


class Plain:
    """The rules window by window; what is not late is at the least of the delays around, within the crystals."""

    def __init__(self, seen: Arrivals, end: int) -> None:
        self.end, self.began_ns, self.per_ns = end, seen.began_ns, 1 / seen.ns_per_sample
        self.delays, self.samples = seen.delays_ns.tolist(), seen.samples.tolist()
        self.cone = [time * CRYSTAL_PPM * 1e-6 for time in seen.times_ns.tolist()]
        self.count = len(self.delays)
        later = [min(self.delays[j] + self.cone[j] for j in range(i, self.count)) for i in range(self.count)]
        self.level = [least - cone for least, cone in zip(later, self.cone, strict=True)]
        self.late = [delay - level for delay, level in zip(self.delays, self.level, strict=True)]
        self.least_step = max(FLOOR_NS, MARGIN * self.latest(2 * SETTLED_WINDOWS))
        self.steps = self.count - 1
        self.checked = [self.samples[i] < end for i in range(self.steps)]
        self.rises = [self.rise(i, 0) for i in range(self.steps)]
        self.hides = [self.hide(i, 0) for i in range(self.steps)]
        self.found = [False] * self.steps
        self.losses: Found = []

    def latest(self, windows: int) -> float:
        """How late the best of so many windows in a row was at most; in powers of two."""
        windows = 1 << int(math.log2(max(windows, 1)))
        starts = range(self.count - windows + 1)
        return max((min(self.late[start : start + windows]) for start in starts), default=0.0)

    def rise(self, at: int, begin: int) -> float:
        if at < begin:
            return -math.inf
        before = min(self.delays[j] - self.cone[j] for j in range(begin, at + 1)) + self.cone[at]
        return self.level[at + 1] - before

    def hide(self, at: int, begin: int) -> float:
        return max(FLOOR_NS / 2, MARGIN * self.latest(max(at - begin + 1, 1)))

    def drift(self, at: int) -> float:
        """What crystals make of the time to the next window that is on time."""
        for j in range(at + 1, self.count):
            if self.delays[j] + self.cone[j] - self.cone[at] <= self.level[at + 1] + FLOOR_NS / 4:
                return 2 * (self.cone[j] - self.cone[at])
        return 2 * (self.cone[at + 1] - self.cone[at])

    def find(self) -> None:
        begin = 0
        while begin < self.steps:
            for i in range(begin, self.steps):
                self.rises[i], self.hides[i] = self.rise(i, begin), self.hide(i, begin)
            for at in range(begin, self.steps):
                least = max(FLOOR_NS, MARGIN * self.latest(self.steps - at))
                is_step = self.rises[at] > least and self.rises[at] - self.drift(at) > least
                if self.checked[at] and self.steps - at >= SETTLED_WINDOWS and is_step:
                    break
            else:
                return
            begin = self.note(at, begin)

    def note(self, at: int, begin: int) -> int:
        settled = self.level[min(at + SETTLED_WINDOWS, self.steps - 1) + 1]
        size_ns = self.rises[at] + settled - self.level[at + 1]
        start = max((i for i in range(begin, at + 1) if self.delays[i] < settled - size_ns / 2), default=at)
        early = [i for i in range(at + 1, self.count) if self.delays[i] < settled - FLOOR_NS / 2]
        after = early[-1] + 1 if early else at + 1
        uncertain_ns = max(FLOOR_NS / 2, self.hides[at])
        reach = settled + uncertain_ns + FLOOR_NS / 2
        on_time = [i for i in range(after, self.count) if self.delays[i] <= reach]
        stop = on_time[:AFTER_WINDOWS][-1] if on_time else self.count - 1
        for i in range(start, min(stop, self.steps)):
            self.found[i] = True
        place, end = self.samples[start], min(self.samples[stop], self.end)
        size, uncertainty = round(size_ns * self.per_ns), round(max(FLOOR_NS, uncertain_ns) * self.per_ns) + 1
        if self.losses and place <= self.losses[-1][1]:
            before = self.losses.pop()
            place, size, uncertainty = before[0], before[2] + size, max(before[3], uncertainty)
        if place <= end:
            self.losses.append((place, end, size, uncertainty))
        return stop

    def bounds(self) -> Limits:
        if not self.end:
            return []
        windows = max((i + 1 for i in range(self.steps) if self.checked[i]), default=0)
        if windows <= SETTLED_WINDOWS:
            return [(0, self.end, self.start(windows))]
        limits = [
            self.least_step if self.found[i] else max(self.rises[i], self.least_step) + self.hides[i]
            for i in range(SETTLED_WINDOWS, windows)
        ]
        usual = [limit <= 1.5 * float(np.median(limits)) for limit in limits]
        cuts = [i for i in range(1, len(usual)) if usual[i] != usual[i - 1]]
        cuts = [0, *(cuts if len(cuts) < MAX_INTERVALS else [])]
        places = [min(self.samples[SETTLED_WINDOWS + cut], self.end) for cut in cuts]
        out: Limits = [(0, places[0], self.start(SETTLED_WINDOWS))]
        for number, cut in enumerate(cuts):
            stop = places[number + 1] if number + 1 < len(places) else self.end
            last = cuts[number + 1] if number + 1 < len(cuts) else len(limits)
            if places[number] < stop:
                out.append((places[number], stop, int(max(limits[cut:last]) * self.per_ns) + 1))
        return out

    def start(self, windows: int) -> int | None:
        if self.began_ns is None:
            return None
        level = max(self.level[1 : windows + 1]) if windows and self.steps else min(self.delays)
        limit = max(level - self.began_ns + self.cone[max(windows - 1, 0)], 1.5 * self.least_step)
        return int(limit * self.per_ns) + 1


def found(losses: tuple[Loss, ...]) -> Found:
    return [(loss.start, loss.end, loss.samples, loss.uncertainty) for loss in losses]


def limits(bounds: tuple[Bound, ...]) -> Limits:
    return [(bound.start, bound.end, bound.limit_samples if bound.is_checked else None) for bound in bounds]


def random_arrivals(random: np.random.Generator) -> Arrivals:
    """Up to 70 windows of 0.1 s, on a host that is late at times, with up to three losses."""
    count = int(random.integers(1, 70))
    number = np.arange(count)
    late_ns = random.choice([0.0, 2e4, 1e6, 4e6, 3e7], count, p=random.dirichlet([8, 3, 1, 1, 0.5]))
    gone = np.zeros(count, dtype=np.int64)
    for window in random.integers(0, count + 20, 3):
        gone += int(random.choice([900, 1100, 1600, 5000, 40_000, 99_000])) * (number >= window)
    ppm = random.choice([-150, 0, 150])
    return Arrivals(
        times_ns=number * 1e8,
        delays_ns=5e6 + late_ns + gone * 1e3 + number * 1e2 * ppm,
        samples=100_000 * number - gone,
        began_ns=None if random.random() < 0.3 else -3e6,
        ns_per_sample=1000.0,
    )


@pytest.mark.parametrize("seed", range(4))
def test_losses_and_bounds_follow_from_the_rules(seed: int) -> None:
    random = np.random.default_rng(seed)
    with_losses = 0
    for _ in range(40):
        seen = random_arrivals(random)
        last = int(seen.samples[-1])
        end = int(random.choice([0, 1, max(last // 2, 0), max(last, 0), max(last, 0) + 50_000]))
        plain = Plain(seen, end)
        plain.find()
        actual = steps(seen, end=end)
        with_losses += bool(plain.losses)

        assert plain.losses == found(actual.losses)
        assert plain.bounds() == limits(actual.bounds)
    assert with_losses > 5
