"""When samples of an analyzer come: a small model of a capture; compare `tests/studies/silent_losses.py --arrivals`.

Blocks are ready every so often; the reader (`stream`) wakes a moment after one, reads all that is there and naps. Now
and then the host does something else for a while: nothing passes, and afterwards what waited passes a few times as fast
as it was sampled. On a host of two processors that other work kept busy (2026-11-27, load 8) blocks were late by 0.4
ms in the median, 99 % by less than 9.2 ms and all by less than 16 ms; with four busy processes more by 2.1, 11.9 and 20
ms. The stalls of the model's hosts, "idle", "busy" and "overloaded", are chosen and not fitted: longer than those that
were seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from gpiorig.capture.sigrok.capture import BEYOND_S
from gpiorig.capture.sigrok.stream import BLOCK_S, NAP_S
from gpiorig.capture.sigrok.wall_clock import ClockCheck, WallClock

RATE_HZ = 1_000_000
HOSTS = {"idle": (1.0, 0.003, 0.8), "busy": (15.0, 0.008, 1.0), "overloaded": (6.0, 0.06, 1.0)}  # stalls, see `_stalls`
PERIODS_S = (0.004, 0.01, 0.1)  # this analyzer's, an FX2's transfers, sigrok's demo driver
WAKE_S = 0.0001  # mean time until the reader runs
SHIFT_S = 0.0003  # by which that changes now and then, as with the frequency of a processor
CATCHES_UP = 5  # times as fast as sampled
BEGIN_S = 0.02  # from the start of sigrok-cli to the first sample
LOOKS_S = 0.02  # between two looks whether the end is settled


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A capture: host, time between blocks, error of the clock, and losses (number of the sample as taken, samples)."""

    host: str
    period_s: float
    duration_s: float
    ppm: float = 0.0
    losses: list[tuple[int, int]] = field(default_factory=list)

    @property
    def end(self) -> int:
        """Samples that were asked for."""
        return round(self.duration_s * RATE_HZ)


def setting(random: np.random.Generator, *, lossy: bool) -> Setting:
    """A random capture; a lossy one loses 0.1 to 300 ms, often at the start or the end."""
    duration_s = float(random.choice([3, 6, 10, 20], p=[0.4, 0.3, 0.2, 0.1]))
    place = random.choice(["start", "middle", "end"], p=[0.1, 0.5, 0.4])
    at_s = random.uniform(0, duration_s) if place == "middle" else random.exponential(0.3 if place == "start" else 0.1)
    at = round(max(duration_s - at_s if place == "end" else at_s, 0.0) * RATE_HZ)
    losses = [(at, round(10 ** random.uniform(2, 5.5)))] if lossy and at < duration_s * RATE_HZ else []
    host, period_s = str(random.choice(list(HOSTS))), float(random.choice(PERIODS_S))
    ppm = float(random.uniform(-200, 200))
    return Setting(host=host, period_s=period_s, duration_s=duration_s, ppm=ppm, losses=losses)


def arrivals(random: np.random.Generator, setting: Setting) -> Iterator[tuple[int, int]]:
    """(samples so far, ns) of each read."""
    until_s = setting.duration_s + BEYOND_S + 1
    stalls = _stalls(random, setting.host, until_s)
    begun_s, ended_s = next(stalls)
    rate_hz = RATE_HZ * (1 + setting.ppm * 1e-6)
    now_s = passes_s = BEGIN_S
    blocks, shift_s = 0, random.uniform(0, SHIFT_S)
    while now_s < until_s:
        if (ready_s := BEGIN_S + (blocks + 1) * setting.period_s) > now_s:
            now_s = ready_s + BLOCK_S
        now_s += random.exponential(WAKE_S) + shift_s
        if random.random() < 0.002:
            shift_s = random.uniform(0, SHIFT_S)
        while ended_s <= now_s:
            begun_s, ended_s = next(stalls)
        if begun_s <= now_s:
            now_s = passes_s = ended_s
            now_s += random.exponential(WAKE_S)
        most = max(1, round(CATCHES_UP * (now_s - passes_s) / setting.period_s))
        blocks += min(int((now_s - BEGIN_S) / setting.period_s) - blocks, most)
        count = int(blocks * setting.period_s * rate_hz)
        yield count - sum(min(size, max(count - at, 0)) for at, size in setting.losses), round(now_s * 1e9)
        passes_s = now_s
        now_s += NAP_S


def _stalls(random: np.random.Generator, host: str, until_s: float) -> Iterator[tuple[float, float]]:
    """(start, end) of times in which nothing passes: how many a second, median length in s, its spread (log-normal)."""
    per_s, median_s, spread = HOSTS[host]
    at_s = 0.0
    while at_s < until_s:
        at_s += random.exponential(1 / per_s)
        end_s = at_s + random.lognormal(np.log(median_s), spread)
        yield at_s, end_s
        at_s = end_s
    yield np.inf, np.inf


def checked(random: np.random.Generator, setting: Setting) -> tuple[ClockCheck, float]:
    """What the host's clock shows of a capture, and the seconds that it took after its end, as `Capture` does."""
    clock = WallClock(RATE_HZ, began_ns=0)
    reached_ns = looked_ns = 0
    for samples, now_ns in arrivals(random, setting):
        clock.note(samples, now_ns)
        if samples < setting.end:
            continue
        reached_ns = reached_ns or now_ns
        if now_ns - looked_ns > LOOKS_S * 1e9:
            looked_ns = now_ns
            if clock.is_settled(setting.end) or now_ns - reached_ns > BEYOND_S * 1e9:
                break
    return clock.check(end=setting.end), (looked_ns - reached_ns) / 1e9
