"""Activities: periodic events on the nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME

MIN_INSTANTS = 20
STEADY = 0.05  # of the period: how far an interval may be from it
MOST = 0.8  # share of the instants that must keep the period
SAME = 1e-3  # relative difference of two periods below which they are one activity's

# In the order of their value as a cause: a task is a better one than the timer that starts it.
_SOURCES = (
    ("task {id}", "task.run.enter"),
    ("TDMA frame", "slot.frame"),
    ("slot", "slot.active.enter"),
    ("slot interrupt", "slot.interrupt"),
    ("heartbeat", "rig.heartbeat"),
    ("heartbeat line", "tap.heartbeat.enter"),
    ("timer", "timer.fire.enter"),
    ("timer interrupt", "isr.timer.enter"),
    ("interrupt {id}", "isr.other.enter"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Activity:
    """Something periodic.

    Parameters
    ----------
    name
        Such as ``initiator: task 6``.
    instants
        int64[m], samples, increasing; those that keep the period.
    cycles
        int64[m], number of the period each instant begins: it skips where instants are missing.
    period_samples
        Mean period, float64.
    """

    name: str
    instants: NDArray[np.int64]
    cycles: NDArray[np.int64]
    period_samples: float

    def phase(self, samples: NDArray[np.int64]) -> NDArray[np.float64]:
        """float64[n], time in periods: its fraction is the phase. NaN before the first instant and after the last."""
        share = np.interp(samples, self.instants, self.cycles.astype(np.float64))
        outside = (samples < self.instants[0]) | (samples > self.instants[-1])
        return np.where(outside, np.nan, share)


def periodic(name: str, instants: NDArray[np.int64]) -> Activity | None:
    """The activity, if its instants keep a period; None otherwise.

    Instants that no other one precedes or follows by the period, to 5 %, are omitted: a timer may serve several.
    """
    if len(instants) < MIN_INSTANTS:
        return None
    period = float(np.median(np.diff(instants)))
    if period <= 0:
        return None
    regular_instants = instants[_has_neighbour(instants, period) | _has_neighbour(instants, -period)]
    if len(regular_instants) < max(MIN_INSTANTS, MOST * len(instants)):
        return None
    intervals = np.diff(regular_instants)
    turns = np.rint(intervals / period)
    steady = (turns == 1) & (np.abs(intervals - period) <= STEADY * period)
    if np.mean(steady) < MOST:
        return None
    regular = np.append(True, turns >= 1)
    regular_instants = regular_instants[regular]
    cycles = np.append(0, np.cumsum(np.rint(np.diff(regular_instants) / period))).astype(np.int64)
    mean = float(regular_instants[-1] - regular_instants[0]) / float(cycles[-1])
    return Activity(name=name, instants=regular_instants, cycles=cycles, period_samples=mean)


def _has_neighbour(instants: NDArray[np.int64], distance: float) -> NDArray[np.bool_]:
    """bool[m]: whether there is an instant `distance` later, to 5 %."""
    low = np.searchsorted(instants, instants + distance - STEADY * abs(distance))
    high = np.searchsorted(instants, instants + distance + STEADY * abs(distance), side="right")
    return high > low


def activities(events: Events) -> dict[str, Activity]:
    """Periodic events of each node: timers, slots, TDMA frames, tasks, heartbeats; by name.

    The first of activities with equal periods on a node counts, in the order task, frame, slot, heartbeat, timer.
    """
    by_name: dict[str, Activity] = {}
    counts = events.counts()
    for node, node_name in enumerate(events.node_names):
        periods: list[float] = []
        for title, event in _SOURCES:
            if counts[node, BY_NAME[event].code] < MIN_INSTANTS:
                continue
            at = events.positions(event, node=node)
            ids = np.unique(events.ids[at]).tolist() if "{id}" in title else [None]
            for id_ in ids[:64]:
                instants = events.samples[at if id_ is None else at[events.ids[at] == id_]]
                name = f"{node_name}: {title.format(id=id_)}"
                activity = periodic(name, instants)
                if activity is None or any(abs(activity.period_samples / p - 1) < SAME for p in periods):
                    continue
                periods.append(activity.period_samples)
                by_name[name] = activity
    return by_name
