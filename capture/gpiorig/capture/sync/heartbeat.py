"""A heartbeat on a channel: a square wave of known period from a free-running source shows every block that was lost.

Where samples are lost the phase jumps: from one rising edge to the next it is not an integer number of periods. The
jump gives the size of the loss modulo the period, and the host's clock how many periods more it is; a loss of complete
periods cannot be seen. The coded sync line (docs/reference/sync-line.md) is a heartbeat whose pulses carry their
number, so sizes are absolute there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges import bounds as edge_bounds
from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import CaptureError

RISES = 4096  # rising edges that are looked at together; the period is measured again in each such block
ERROR = 0.02  # of the period: RC oscillators are within 1 % or so (RIOT#10545 measured 0.48 % and 1 %)
SPREADS = 6  # a jump has to be this many times the spread of the intervals, …
MIN_JUMP = 2  # … and more than this many samples: each edge is rounded to a sample
MAX_JUMPS = 0.25  # of the intervals; with more, the channel has no such heartbeat


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """Check of a recording by a heartbeat.

    Attributes
    ----------
    channel
        The channel it is on.
    rises
        Rising edges.
    period_samples
        Their mean distance.
    limit_samples
        The smallest loss that would have been found. A loss of complete periods is not found, unless the line is coded.
    glitches, missing
        Edges that do not belong to the heartbeat, and edges that are not there; neither is a loss of samples.
    losses
        Losses that were found, in sample numbers of what was read.
    start, end
        Its first and its last rising edge; nothing is found outside.
    is_coded
        It is the coded sync line.
    """

    channel: str
    rises: int
    period_samples: float
    limit_samples: int
    glitches: int
    missing: int
    losses: tuple[Loss, ...]
    start: int
    end: int
    is_coded: bool = False

    def bounds(self, clock: Sequence[Bound] = ()) -> Iterator[Bound]:
        """What it would have shown; `clock`: what the host's clock would have.

        A loss of complete periods shows on a coded line only, or where the host's clock would have shown one period.
        """
        if self.is_coded:
            checked, name = [(self.start, self.end)], "sync line"
        else:
            seen = [bound for bound in clock if bound.shows(int(self.period_samples) - self.limit_samples)]
            checked, name = [(bound.start, bound.end) for bound in seen], "heartbeat"
        for start, end in checked:
            if max(start, self.start) < min(end, self.end):
                yield Bound(
                    start=max(start, self.start),
                    end=min(end, self.end),
                    limit_samples=self.limit_samples,
                    found_by=f"{name} {self.channel}",
                )


def read(
    waveform: Waveform,
    channel: str,
    *,
    period_ns: int,
    clock: Sequence[Loss] = (),
    clock_bounds: Sequence[Bound] = (),
) -> Heartbeat:
    """Look for phase jumps of a square wave.

    Parameters
    ----------
    waveform
        A recording as its files have it, without losses put in.
    channel
        The channel that the heartbeat is on.
    period_ns
        From one rising edge to the next.
    clock
        Losses that the host's clock shows; they give how many more complete periods were lost.
    clock_bounds
        What the host's clock would have shown.

    Raises
    ------
    CaptureError
        There is no such channel, or no heartbeat of this period on it.
    """
    nominal = period_ns * float(waveform.samplerate_hz) / 1e9
    if nominal < 2 * MIN_JUMP:
        raise CaptureError(
            f"channel {channel}: a heartbeat of {period_ns} ns has only {nominal:.1f} samples per period",
            remedy="take a slower heartbeat or a higher samplerate",
        )
    jumps = _Jumps(channel, nominal, clock, clock_bounds)
    rest = np.empty(0, dtype=np.int64)
    for fresh, samples, levels in _parts(waveform, _bit(waveform, channel)):
        if fresh:
            jumps.take(rest, more=False)
            rest = rest[:0]
        rises = samples[1:][np.diff(levels.astype(np.int8)) > 0] if fresh else samples[levels > 0]
        jumps.note(rises)
        rest = np.concatenate([rest, rises])
        at = 0
        while len(rest) - at > RISES:
            at += jumps.take(rest[at : at + RISES + 1], more=True)
        rest = rest[at:]
    jumps.take(rest, more=False)
    return jumps.result()


class _Jumps:
    """Phase jumps, found block by block."""

    def __init__(self, channel: str, nominal: float, clock: Sequence[Loss], clock_bounds: Sequence[Bound]) -> None:
        self.channel, self.nominal, self.clock, self.clock_bounds = channel, nominal, clock, clock_bounds
        self.start = self.end = -1
        self.rises = self.glitches = self.missing = self.intervals = self.jumps = 0
        self.period_sum, self.periods, self.limit = 0.0, 0, MIN_JUMP
        self.losses: list[Loss] = []

    def note(self, rises: NDArray[np.int64]) -> None:
        """Count rising edges."""
        self.rises += len(rises)
        if rises.size:
            self.start, self.end = (self.start if self.start >= 0 else int(rises[0])), int(rises[-1])

    def take(self, rises: NDArray[np.int64], *, more: bool) -> int:
        """Look at a block; returns at which of its edges the next one begins. `more`: there is a next one."""
        intervals = np.diff(rises)
        single = intervals[np.abs(intervals - self.nominal) < ERROR * self.nominal]
        if single.size < 2:
            self.intervals, self.jumps = self.intervals + len(intervals), self.jumps + len(intervals)
            return len(intervals)
        off = single - np.median(single)
        middle = single[np.abs(off) <= max(MIN_JUMP, SPREADS * spread_of(off))]
        period = float(middle.mean())
        limit = max(MIN_JUMP, int(np.ceil(SPREADS * spread_of(middle - period))))
        self.limit, self.period_sum = max(self.limit, limit), self.period_sum + float(middle.sum())
        self.periods += len(middle)
        steps = np.rint(intervals / period)
        odd = (steps < 1) | (np.abs(intervals - steps * period) > limit)
        self.intervals += len(intervals)
        self.missing += int((steps[~odd] - 1).sum())
        bounds = np.flatnonzero(np.diff(np.concatenate([[False], odd, [False]])))
        for odd_start, odd_end in zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True):
            if odd_end == len(intervals) and more and odd_start > 0:  # may continue in the next block
                self.intervals -= odd_end - odd_start
                return int(odd_start)
            self._odd(int(rises[odd_start]), int(rises[odd_end]), odd_end - odd_start, period, limit)
        return len(intervals)

    def _odd(self, start: int, end: int, intervals: int, period: float, limit: int) -> None:
        """Intervals that are not an integer number of periods, between two edges that have neighbours in phase."""
        steps = max(round((end - start) / period), 0)
        if steps and abs(end - start - steps * period) <= limit:
            self.glitches += max(intervals - steps, 0)
            self.missing += max(steps - intervals, 0)
            return
        self.jumps += 1
        lost = -(end - start) % period
        periods = self._missing_periods(start, end, lost, period)
        self.losses.append(
            Loss(
                start=start + 1,
                end=end,
                samples=round(lost + (periods or 0) * period),
                uncertainty=limit,
                found_by=f"heartbeat {self.channel}",
                modulo=round(period) if periods is None else 0,
            )
        )

    def _missing_periods(self, start: int, end: int, lost: float, period: float) -> int | None:
        """How many periods more were lost, by the host's clock; None if unknown."""
        near = [loss for loss in self.clock if loss.start <= end and start <= loss.end]
        if not near and edge_bounds.shown(self.clock_bounds, start, end, samples=round(lost + period)):
            return 0  # a period more would have been seen
        if len(near) != 1 or near[0].uncertainty >= period / 2:
            return None
        return max(0, round((near[0].samples - lost) / period))

    def result(self) -> Heartbeat:
        if not self.periods or self.jumps > MAX_JUMPS * max(self.intervals, 1):
            raise CaptureError(
                f"channel {self.channel}: no heartbeat of {self.nominal:.1f} samples ({self.rises} rising edges)",
                remedy="check the wire, and the period that was given",
            )
        return Heartbeat(
            channel=self.channel,
            rises=self.rises,
            period_samples=self.period_sum / self.periods,
            limit_samples=self.limit + 1,
            glitches=self.glitches,
            missing=self.missing,
            losses=tuple(self.losses),
            start=self.start,
            end=self.end,
        )


def spread_of(deviations: NDArray[np.float64]) -> float:
    """Standard deviation by the 80 % quantile of the absolute deviations (1.2816 of a normal distribution's).

    A fifth of outliers does not move it; the median would be 0 for a source that is mostly exact and sometimes late.
    Deviations are those from the period, which is not an integer number of samples: of a source without jitter they are
    less than the one sample that the rounding of two edges makes. From an interval, such as the median one, they would
    be up to two, where the period is in the middle between two intervals that alternate.
    """
    return float(np.quantile(np.abs(deviations), 0.8)) / 1.2816


def _bit(waveform: Waveform, channel: str) -> int:
    if not channel or channel not in waveform.channels:
        raise CaptureError(
            f"there is no channel {channel}", remedy=f"available channels: {', '.join(filter(None, waveform.channels))}"
        )
    return waveform.channels.index(channel)


def _parts(waveform: Waveform, bit: int) -> Iterator[tuple[bool, NDArray[np.int64], NDArray[np.uint64]]]:
    """The changes of one bit in blocks: (fresh, samples, levels 0 or 1).

    A fresh block begins with the first row of the capture, or with the first after a gap, which is not a change.
    """
    level, fresh = 0, True
    for block in waveform.read():
        levels = block.levels >> np.uint64(bit) & np.uint64(1)
        cuts = np.searchsorted(block.samples, block.gaps[:, 1]).tolist()
        for number, (start, end) in enumerate(pairwise([0, *cuts, len(levels)])):
            fresh = fresh or number > 0
            if start == end:
                continue
            samples, part = block.samples[start:end], levels[start:end]
            changed = np.diff(part, prepend=part[:1] ^ np.uint64(1) if fresh else np.uint64(level)) != 0
            level = int(part[-1])
            if fresh or changed.any():
                yield fresh, samples[changed], part[changed]
            fresh = False


def edges_of(waveform: Waveform, channel: str) -> Edges:
    """The edges of one channel in memory, as bit 0."""
    gaps, end = [no_gaps()], 0

    def watched() -> Iterator[Block]:
        nonlocal end
        for block in waveform.read():
            gaps.append(block.gaps)
            end = block.end
            yield block

    bit = _bit(waveform, channel)
    parts = [part[1:] for part in _parts(dataclasses.replace(waveform, read=watched), bit)]
    return Edges.from_blocks(
        parts, samplerate_hz=waveform.samplerate_hz, channels=[channel], end=end, gaps=np.concatenate(gaps)
    )
