"""The integral of a power trace up to any positions, with what its uncertainty is made of; one pass, bounded memory."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.power.trace import PowerBlock, PowerTrace

Floats = NDArray[np.float64]

MAD_TO_STD = 1.4826  # of a normal distribution
SECOND_DIFFERENCE = math.sqrt(6)  # standard deviation of x[k - 1] - 2 x[k] + x[k + 1] of independent x with that of 1
NOISE_SAMPLES = 1 << 16  # of each block, from which the noise is found


@dataclass(frozen=True, slots=True, eq=False)
class Integral:
    """What a trace has up to some positions; differences of two positions are those of the time between.

    Parameters
    ----------
    joules
        float64[k], energy.
    limit_joules
        float64[k], by which gain, offset and step of the instrument may falsify it, half width.
    missed_joules2
        float64[k], variance of what an instrument that does not average misses between its samples.
    edge_joules
        float64[k], by which the energy on one side of a position may belong to the other, half width: where within
        its sample the power changed is not known.
    watts
        float64[k], the power there.
    lost
        float64[k], samples that the trace does not have; those outside it are among them.
    noise_w
        Standard deviation of a sample.
    """

    joules: Floats
    limit_joules: Floats
    missed_joules2: Floats
    edge_joules: Floats
    watts: Floats
    lost: Floats
    noise_w: float


def up_to(trace: PowerTrace, positions: Floats) -> Integral:
    """Integrate a trace up to each position.

    A sample stands for its period with the same power all through. If the power changes within it, the part f of the
    sample before a position has an energy that is wrong by f (1 - f) of the change at most; a filter over n samples
    adds (n - 1) / 8 of it. The change is the range of the samples around.

    The noise is that of second differences of the samples, by their median absolute deviation over all blocks; a load
    that is not steady counts as noise.

    Parameters
    ----------
    trace
        The trace.
    positions
        float64[k], in samples of the trace, in any order.
    """
    order = np.argsort(positions, kind="stable")
    at = positions[order]
    sums = _Sums(trace, at)
    deviations: list[float] = []
    for run_begins, start, watts, limits in _with_neighbours(trace, sums.reach):
        if len(watts) > 2:
            deviations.append(float(np.median(np.abs(np.diff(watts[:NOISE_SAMPLES], 2)))))
        sums.add(start, watts, limits, run_begins=run_begins)
    sums.finish()
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    columns = {name: sums.columns[name][back] for name in _COLUMNS}
    noise_w = MAD_TO_STD * float(np.median(deviations)) / SECOND_DIFFERENCE if deviations else 0.0
    return Integral(**columns, noise_w=noise_w)


_COLUMNS = ("joules", "limit_joules", "missed_joules2", "edge_joules", "watts", "lost")


def _with_neighbours(trace: PowerTrace, reach: int) -> Iterator[tuple[bool, int, Floats, Floats]]:
    """Blocks of power and its limit; each begins with the last `2 reach` samples of the one before, if none are lost.

    Yields whether it begins a run, the number of its first sample, and the two arrays.
    """
    gain, instrument = trace.instrument.gain, trace.instrument
    offset_a = instrument.offset_a + trace.step_a / 2
    start, tail_w, tail_limit = 0, np.empty(0), np.empty(0)
    for block in trace.read():
        if not len(block.amperes):
            continue
        watts, limits = _power(block, gain, offset_a, instrument.offset_v)
        run_begins = block.start != start + len(tail_w) or not len(tail_w)
        if not run_begins:
            watts, limits = np.concatenate([tail_w, watts]), np.concatenate([tail_limit, limits])
        start = block.start + len(block.amperes) - len(watts)
        yield run_begins, start, watts, limits
        held = min(2 * reach, len(watts))
        start, tail_w, tail_limit = start + len(watts) - held, watts[-held:], limits[-held:]


def _power(block: PowerBlock, gain: float, offset_a: float, offset_v: float) -> tuple[Floats, Floats]:
    watts = block.volts * block.amperes
    limits = gain * np.abs(watts) + offset_a * np.abs(block.volts) + offset_v * np.abs(block.amperes)
    return watts, limits


class _Sums:
    """The sums up to sorted positions, as far as the blocks that were added reach."""

    def __init__(self, trace: PowerTrace, positions: Floats) -> None:
        instrument = trace.instrument
        self.reach = max(1, instrument.filter_samples)
        self.columns = {name: np.zeros(len(positions)) for name in _COLUMNS}
        self._positions, self._next = positions, 0
        self._period_s = float(1 / trace.samplerate_hz)
        self._spread = (instrument.filter_samples - 1) / 8
        self._averages = instrument.averages
        self._end: int | None = None  # of the samples that were added
        self._totals = np.zeros(3)  # energy, its limit, variance of what was missed
        self._lost = 0
        self._open: tuple[int, Floats, Floats] | None = None  # the block whose last samples lack neighbours

    def add(self, start: int, watts: Floats, limits: Floats, *, run_begins: bool) -> None:
        """The next block: positions that all neighbours are known of are answered."""
        if run_begins:
            self._close()
            self._before(start)
        self._open = (start, watts, limits)
        self._answer(start + len(watts) - self.reach)

    def finish(self) -> None:
        """The trace ends: what is left has no neighbours, or lies outside."""
        self._close()
        rest = slice(self._next, None)
        self._fill(rest, self._positions[rest] - (self._end or 0) + self._lost)

    def _close(self) -> None:
        if self._open is not None:
            start, watts, _ = self._open
            self._answer(start + len(watts))
            self._open = None

    def _before(self, start: int) -> None:
        """Positions before a run, or between two: the samples there are lost."""
        until = int(np.searchsorted(self._positions, start, side="left"))
        part = slice(self._next, until)
        origin = start if self._end is None else self._end
        self._fill(part, self._positions[part] - origin + self._lost)
        self._lost += 0 if self._end is None else start - self._end
        self._end, self._next = start, until

    def _fill(self, part: slice, lost: Floats) -> None:
        for name, total in zip(_COLUMNS, self._totals, strict=False):
            self.columns[name][part] = total
        self.columns["lost"][part] = lost

    def _answer(self, until: int) -> None:
        """Answer the positions from `_end` to before a sample of the open block, and add what lies between."""
        assert self._open is not None and self._end is not None
        start, watts, limits = self._open
        if until <= self._end:
            return
        begin, end = self._end - start, until - start
        missed = np.zeros(end - begin)
        if not self._averages:
            missed = np.diff(watts[max(begin - 1, 0) : end], prepend=watts[:1] if not begin else []) ** 2 / 12
        sums = np.stack([watts[begin:end], limits[begin:end], missed * self._period_s]) * self._period_s
        sums = np.cumsum(sums, axis=1, out=sums)
        before = np.concatenate([np.zeros((3, 1)), sums], axis=1) + self._totals[:, None]
        stop = int(np.searchsorted(self._positions, until, side="left"))
        at = self._positions[self._next : stop]
        place = np.floor(at).astype(np.int64) - self._end
        share = at - np.floor(at)
        part = slice(self._next, stop)
        for row, name in enumerate(_COLUMNS[:3]):
            self.columns[name][part] = before[row, place] + share * (before[row, place + 1] - before[row, place])
        around = np.clip(place[:, None] + begin + np.arange(-self.reach, self.reach + 1), 0, len(watts) - 1)
        change = np.ptp(watts[around], axis=1) if len(place) else np.empty(0)
        self.columns["edge_joules"][part] = change * (share * (1 - share) + self._spread) * self._period_s
        self.columns["watts"][part] = watts[place + begin]
        self.columns["lost"][part] = self._lost
        self._totals = before[:, -1].copy()
        self._end, self._next = until, stop
