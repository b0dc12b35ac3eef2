"""Stability of the clocks of an audit: node timers and host timestamps against the analyzer, and three together."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.audit.matching import NONE
from gpiorig.analysis.audit.node_times import NodeTimes
from gpiorig.analysis.clocks import stability as clock_stability
from gpiorig.analysis.clocks.stability import Stability
from gpiorig.analysis.events.events import Events
from gpiorig.capture.edges.nanoseconds import nearest_ns

MIN_VALUES = 8  # phases; fewer have no second differences worth a number
Phases = tuple[NDArray[np.int64], NDArray[np.float64]]


def steadiness(nodes: Sequence[NodeTimes], events: Events) -> Iterator[Stability]:
    """Each clock's deviations from the analyzer; of the first two nodes also by the three-cornered hat.

    The timestamps of a host's lines include the delays of these lines, so that the result is the instability that a
    user of such timestamps has.

    Parameters
    ----------
    nodes, events
        Node times and events of the recording.
    """
    phases: list[tuple[str, Phases]] = []
    for times in nodes:
        longest = _longest(times)
        if len(longest[0]) >= MIN_VALUES:
            phases.append((f"node {times.packets.node}", longest))
            yield _stability(f"node {times.packets.node}", longest)
        host = _host(times, events)
        if len(host[0]) >= MIN_VALUES:
            yield _stability(f"host, lines of {times.packets.node}", host)
    if len(phases) >= 2:
        yield from _hat(phases[:2], reference=nodes[0].fit.reference)


def _longest(times: NodeTimes) -> Phases:
    """The phases of the longest boot period.

    At the send calls or at the receptions, those that are more regular: stability is defined on an even grid.
    """
    if not len(times.boot_periods):
        return _increasing(times.instants_ns, times.phase_ns)
    rows = times.boot_periods == np.bincount(times.boot_periods).argmax()
    kinds = [rows & (times.receptions == kind) for kind in (False, True)]
    rows = min((kind for kind in kinds if kind.any()), key=lambda part: _unevenness(times.instants_ns[part]))
    return _increasing(times.instants_ns[rows], times.phase_ns[rows])


def _unevenness(instants_ns: NDArray[np.int64]) -> float:
    """Spread of the intervals over their median; infinite without intervals."""
    intervals = np.diff(instants_ns)
    if not len(intervals) or not np.median(intervals):
        return float("inf")
    low, middle, high = np.quantile(intervals, [0.25, 0.5, 0.75])
    return float((high - low) / middle)


def _host(times: NodeTimes, events: Events) -> Phases:
    timestamps_ns = times.host.get("host")
    if timestamps_ns is None:
        return np.zeros(0, np.int64), np.zeros(0)
    rows = np.flatnonzero((times.packets.reported != NONE) & (timestamps_ns != NONE))
    rows = rows[np.argsort(times.packets.reported[rows], kind="stable")]
    instants_ns = nearest_ns(times.packets.reported[rows], events.samplerate_hz)
    return _increasing(instants_ns, timestamps_ns[rows] - instants_ns)


def _increasing(instants_ns: NDArray[np.int64], phase_ns: NDArray[np.int64]) -> Phases:
    later = np.concatenate([np.ones(min(1, len(instants_ns)), dtype=bool), np.diff(instants_ns) > 0])
    # Relative to the first, while they are integers: float64 represents the rest to the ns.
    return instants_ns[later], (phase_ns[later] - (phase_ns[0] if len(phase_ns) else 0)).astype(np.float64)


def _stability(name: str, phases: Phases) -> Stability:
    return clock_stability.stability(name, _on_grid(*phases))


def _on_grid(instants_ns: NDArray[np.int64], phase_ns: NDArray[np.float64]) -> clock_stability.Grid:
    """Phases on an even grid, each moved from its timestamp to its point by the clock's mean rate.

    Timestamps are a little off their points. Without that a clock that is only fast would look unstable.
    """
    since_ns = (instants_ns - instants_ns[0]).astype(np.float64)
    rate = float(np.polyfit(since_ns, phase_ns, 1)[0])
    grid = clock_stability.to_grid(instants_ns, phase_ns - rate * since_ns)
    moved = grid.phase_ns + rate * grid.tau0_ns * np.arange(len(grid.phase_ns))
    return dataclasses.replace(grid, phase_ns=moved)


def _hat(phases: Sequence[tuple[str, Phases]], *, reference: str) -> Iterator[Stability]:
    """Analyzer and two nodes: the noise of each, on the instants of the first node that the second has one near.

    The second's phase is that of its nearest timestamp. A mean of two timestamps would have less noise than the clock.
    """
    (a_name, (a_ns, a_phase)), (b_name, (b_ns, b_phase)) = phases
    right = np.searchsorted(b_ns, a_ns).clip(1, len(b_ns) - 1)
    nearest = right - (a_ns - b_ns[right - 1] <= b_ns[right] - a_ns)
    away_ns = a_ns - b_ns[nearest]
    both = 2 * np.abs(away_ns) <= np.median(np.diff(a_ns))
    if np.count_nonzero(both) < MIN_VALUES:
        return
    rate = float(np.polyfit((b_ns - b_ns[0]).astype(np.float64), b_phase, 1)[0])
    a, b = _on_grid(a_ns[both], a_phase[both]), _on_grid(a_ns[both], (b_phase[nearest] + rate * away_ns)[both])
    pairs = (-a.phase_ns, a.phase_ns - b.phase_ns, b.phase_ns)
    grids = [clock_stability.Grid(pair, a.tau0_ns, a.missing) for pair in pairs]
    yield from clock_stability.hat_stability((reference, a_name, b_name), *grids)
