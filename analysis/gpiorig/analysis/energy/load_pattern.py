"""Instants of a power trace by a load that a pin switches: a matched filter of the pin's pattern with the power.

The power is higher while a channel of the analyzer is high (or lower, all of the time): an LED, a radio that sleeps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.energy import integral
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.power.trace import PowerTrace

Floats = NDArray[np.float64]

RATE = 300e-6  # by which the two clocks may differ
WINDOW_S = 10.0  # of the pattern that is searched for at first
CLEAREST = 0.8  # of the best match: no other may exceed it,
UNLIKE = 3.0  # unless it leaves this many times the variance of the power unexplained
WEAKEST = 0.3  # correlation of the power with the pattern
PULSES = 4  # that are placed together, a group
FEWEST, MOST = 8, 1024  # groups: for an alignment, and placed at once
GRID = 32  # shifts on each side that are tried, finer each time
GROWTH = 8.0  # by which the time grows over which the line is known
MARGIN = 6.0  # standard deviations of pulses from the line so far


@dataclass(frozen=True, slots=True)
class _Search:
    """A group of pulses: seconds of the analyzer, of which each row is (rise, fall)."""

    pulses_s: Floats

    @property
    def middle_s(self) -> float:
        return float(self.pulses_s.mean())


def instants(trace: PowerTrace, toggles_s: Floats) -> tuple[Floats, Floats]:
    """Find groups of pulses of a channel in the power.

    Parameters
    ----------
    trace
        The trace.
    toggles_s
        float64[2 n], rises and falls of the channel in turn, in seconds of the analyzer.

    Returns
    -------
    tuple
        float64[k] twice: instants in seconds of the trace, and of the analyzer.

    Raises
    ------
    CaptureError
        The power does not follow the channel, or follows it in several places.
    """
    pulses_s = toggles_s.reshape(-1, 2)
    groups = [_Search(part) for part in np.array_split(pulses_s, max(1, len(pulses_s) // PULSES))]
    if len(groups) < FEWEST:
        raise CaptureError(
            f"the channel has {len(pulses_s)} pulses", remedy=f"{FEWEST * PULSES} are needed to find them in the power"
        )
    period_s = float(1 / trace.samplerate_hz)
    offset_s, radius_s, sign = _coarse(trace, pulses_s)
    line, reach_s, begin_s = np.array([0.0, offset_s]), WINDOW_S, groups[0].middle_s
    while True:
        near = [group for group in groups if group.middle_s - begin_s <= reach_s]
        is_all, near = len(near) == len(groups), near[:: -(-len(near) // MOST)]
        expected = np.array([np.polyval(line, group.middle_s - begin_s) for group in near])
        shifts = _placed(trace, near, expected, radius_s, sign, period_s)
        at = np.array([group.middle_s for group in near])
        if is_all:
            return at + shifts, at
        line = np.polyfit(at - begin_s, shifts, 1)
        rest = shifts - np.polyval(line, at - begin_s)
        radius_s = MARGIN * max(float(np.std(rest)) * GROWTH, period_s)
        reach_s *= GROWTH


def _coarse(trace: PowerTrace, pulses_s: Floats) -> tuple[float, float, float]:
    """Seconds from an instant of the analyzer to that of the trace, their error, and whether power rises or falls."""
    window_s = min(WINDOW_S, float(pulses_s[-1, 1] - pulses_s[0, 0]))
    bin_s = max(RATE * window_s, 2 * float(1 / trace.samplerate_hz))
    bounds = pulses_s[0, 0] + bin_s * np.arange(int(window_s / bin_s) + 1)
    pattern = np.diff(_high(pulses_s, bounds))
    blocks = [(block.start, block.start + len(block.amperes)) for block in trace.read()]
    if not blocks:
        raise CaptureError("the power trace is empty", remedy="record it again")
    begin_s, end_s = (bound / float(trace.samplerate_hz) for bound in (blocks[0][0], blocks[-1][1]))
    edges = np.arange(begin_s, end_s, bin_s)
    power = np.diff(integral.up_to(trace, edges * float(trace.samplerate_hz)).joules)
    if len(power) < len(pattern):
        raise CaptureError("the power trace is shorter than the pattern of the channel", remedy="record it longer")
    match = _correlation(power, pattern)
    best = int(np.argmax(np.abs(match)))
    lobe = 2 + float(np.max(pulses_s[:, 1] - pulses_s[:, 0])) / bin_s  # of the pattern with itself
    apart = np.abs(np.arange(len(match)) - best) > lobe
    height, rival = abs(match[best]), float(np.abs(match[apart]).max(initial=0.0))
    is_clear = rival <= CLEAREST * height or 1 - rival**2 >= UNLIKE * (1 - height**2)
    if height < WEAKEST or not is_clear:
        raise CaptureError(
            f"the power does not follow the channel in one place: correlation {height:.2f}, elsewhere {rival:.2f}",
            remedy="name a channel that switches a load at irregular intervals, or pin=PIN:CHANNEL",
        )
    return begin_s + best * bin_s - float(pulses_s[0, 0]), 2 * bin_s, float(np.sign(match[best]))


def _high(pulses_s: Floats, until_s: Floats) -> Floats:
    """How long the channel was high until each instant."""
    before = np.concatenate([[0.0], np.cumsum(pulses_s[:, 1] - pulses_s[:, 0])])
    place = np.searchsorted(pulses_s[:, 0], until_s, side="right")
    over = np.where(place > 0, np.maximum(pulses_s[place - 1, 1] - until_s, 0.0), 0.0)
    return np.asarray(before[place] - over)


def _correlation(power: Floats, pattern: Floats) -> Floats:
    """Pearson's correlation of the pattern with the power from each place on."""
    count = len(pattern)
    ones = np.ones(count)
    shape = pattern - pattern.mean()
    power = power - power.mean()
    from scipy import signal  # takes 0.4 s to import, and few recordings have a trace

    sums, squares = (signal.correlate(values, ones, mode="valid") for values in (power, power**2))
    spread = np.sqrt(np.maximum(squares - sums**2 / count, 1e-12 * squares.max())) * np.sqrt((shape**2).sum())
    return np.asarray(signal.correlate(power, shape, mode="valid") / np.maximum(spread, np.finfo(float).tiny))


def _placed(
    trace: PowerTrace, groups: list[_Search], expected_s: Floats, radius_s: float, sign: float, period_s: float
) -> Floats:
    """The shift of each group at which its pulses have the most energy, or the least; finer grids, then a parabola."""
    shifts, step_s = expected_s, radius_s / GRID
    while True:
        step_s = max(step_s, period_s)
        grid = step_s * np.arange(-GRID, GRID + 1)
        tried = (shifts[:, None] + grid).ravel()
        counts = [len(group.pulses_s) for group in groups]
        bounds = [group.pulses_s[:, None, :] + shifts[row] + grid[:, None] for row, group in enumerate(groups)]
        positions = np.concatenate([part.ravel() for part in bounds]) * float(trace.samplerate_hz)
        summed = np.diff(integral.up_to(trace, positions).joules.reshape(-1, 2), axis=1).ravel()
        parts = np.split(summed, np.cumsum(np.array(counts) * len(grid))[:-1])
        energy = sign * np.stack(
            [part.reshape(count, -1).sum(axis=0) for part, count in zip(parts, counts, strict=True)]
        )
        best = np.clip(np.argmax(energy, axis=1), 1, len(grid) - 2)
        rows = np.arange(len(groups))
        shifts = tried.reshape(len(groups), -1)[rows, best]
        if step_s <= period_s:
            left, middle, right = (energy[rows, best + side] for side in (-1, 0, 1))
            bend = np.minimum(left - 2 * middle + right, -np.finfo(float).tiny)
            return np.asarray(shifts + np.clip((left - right) / (2 * bend), -1, 1) * step_s)
        step_s *= 2 / GRID
