"""Series: the delays of each step of a route, with the data that they are tested against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.attribution import beat, channel
from gpiorig.analysis.attribution.activities import Activity
from gpiorig.analysis.attribution.channel import Split
from gpiorig.analysis.attribution.covariates import begins
from gpiorig.analysis.attribution.on_air import Wait
from gpiorig.analysis.attribution.series import SEED
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.routes import Route

Samples = NDArray[np.int64]
Rows = NDArray[np.int64]
Floats = NDArray[np.float64]

TOTAL = "total"
MAX_PACKETS = 2048  # more are thinned out at random before the tests, in their order


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """The delays of one step and the data that they are tested against.

    Parameters
    ----------
    name
        Name of the step.
    delays, begins, starts
        int64[n], samples: the step, its beginning, the beginning of the packet; in the order of sending.
    covariates
        float64[n] by name.
    activities
        The activities that can matter to the step.
    period_ns
        Nanoseconds per sample.
    packets
        Number of all packets; the arrays have fewer where they were thinned out.
    interval
        From one packet to the next, in samples.
    split
        Frames that the packets met while they waited for the radio; a sentence where they are unknown, None where no
        line shows them or the step is not such a wait.
    repeats
        int64[n], samples of each delay that wait for a retransmission; None where nothing does.
    """

    name: str
    delays: Samples
    begins: Samples
    starts: Samples
    covariates: Mapping[str, Floats]
    activities: tuple[Activity, ...]
    period_ns: float
    packets: int
    interval: float
    split: Split | str | None = None
    repeats: Samples | None = None


def for_route(
    route: Route,
    covariates: Mapping[str, Floats] | Callable[[Rows], Mapping[str, Floats]],
    activities: Mapping[str, Activity],
    waits: Mapping[str, Wait],
    retransmissions: Mapping[str, Samples],
) -> list[Series]:
    """The series of every step in the order of the path, then that of the total delay; the arguments as `attribute`."""
    total = len(route)
    rows = np.arange(total)
    if total > MAX_PACKETS:
        rows = np.sort(np.random.default_rng(SEED).choice(total, MAX_PACKETS, replace=False))
    period_ns = float(NS_PER_S / route.steps.samplerate_hz)
    interval = beat.sending_interval(route.starts)
    thin = route.select(rows)
    again = {
        step.name: thin.steps.column(column)
        for column, step in enumerate(route.steps.steps)
        if step.kind is Kind.RETRANSMISSION
    }
    again |= {name: samples[rows] for name, samples in retransmissions.items()}
    begun_at = begins(thin)
    chosen = (
        {name: values[rows] for name, values in covariates.items()}
        if isinstance(covariates, Mapping)
        else covariates(rows)
    )
    splits: dict[str, Split | str] = {
        step.name: channel.split(thin.steps.column(column), met[step.name])
        for met in [{name: wait.rows(rows) for name, wait in waits.items()}]
        for column, step in enumerate(route.steps.steps)
        if step.name in met
    }
    named = [(step.name, column) for column, step in enumerate(route.steps.steps)]
    every = []
    for name, column in [*named, (TOTAL, None)]:
        if column is None:
            own = {key: np.nansum(values, axis=1) if values.ndim > 1 else values for key, values in chosen.items()}
            delays, begun, near = thin.totals, thin.starts, tuple(activities.values())
        else:
            own = {key: values[:, column] if values.ndim > 1 else values for key, values in chosen.items()}
            nodes = route.steps.steps[column].nodes
            near = tuple(
                activity for key, activity in activities.items() if ": " not in key or key.split(": ")[0] in nodes
            )
            delays, begun = thin.steps.column(column), begun_at[:, column]
        at = splits.get(name) if column is not None else _all_waits(splits)
        repeated = sum(again.values()) if column is None else again.get(name)
        repeated = repeated if isinstance(repeated, np.ndarray) else None
        every.append(Series(name, delays, begun, thin.starts, own, near, period_ns, total, interval, at, repeated))
    return every


def _all_waits(splits: Mapping[str, Split | str]) -> Split | None:
    """All waits together, if each of them can be split."""
    parts = [split for split in splits.values() if isinstance(split, Split)]
    return channel.together(parts) if len(parts) == len(splits) else None
