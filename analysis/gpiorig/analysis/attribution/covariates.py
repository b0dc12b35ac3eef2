"""Covariates of the steps: one number per packet, or per packet and step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.path import DIRECTIONS, Kind
from gpiorig.analysis.packets.round_trips import RoundTrips
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.processor.occupancy import Occupancy
from gpiorig.analysis.processor.queue_lengths import queue_lengths

Floats = NDArray[np.float64]

PREEMPTED = "pre-empted time, µs"
QUEUED = "messages queued"
WAITS = (Kind.RADIO_WAIT, Kind.RETRANSMISSION, Kind.AIR, Kind.UNDIVIDED, Kind.FRAGMENTS)  # not for the processor
BYTE_NS = 32_000  # on the air at 250 kb/s (IEEE 802.15.4-2006, 6.5): the grain of air times


def begins(route: Route) -> NDArray[np.int64]:
    """int64[k, s], sample at which each step of each packet begins."""
    begins = np.empty(route.steps.samples.shape, dtype=np.int64)
    at = route.starts
    for column, durations in enumerate(route.steps.columns()):
        begins[:, column] = at
        at = at + durations
    return begins


def begin(route: Route, column: int) -> NDArray[np.int64]:
    """int64[k], sample at which one step of each packet begins: a column of `begins`, without all the others."""
    samples: NDArray[np.int64] = route.starts + route.steps.samples[:, :column].sum(axis=1)
    return samples


def covariates(trips: RoundTrips, route: Route, occupancy: Occupancy | None = None) -> dict[str, Floats]:
    """Covariates of round trips; those that never vary are omitted.

    Per packet and direction: retries, transmissions without an acknowledgement or with a busy channel, fragments, and
    air time above the shortest in units of 32 µs. Per packet and step: time pre-empted, and messages queued on its node
    when it begins.

    Parameters
    ----------
    trips, route
        Round trips, and their route.
    occupancy
        Of this route; None where unknown.
    """
    rows = trips.rows(route.steps.rows)
    values_by_name: dict[str, Floats] = {}
    for direction, way in enumerate(DIRECTIONS):
        counts = {
            "retries": np.maximum(trips.transmissions[rows, direction] - trips.frames[rows, direction], 0),
            "transmissions without acknowledgement": trips.no_ack[rows, direction],
            "transmissions with a busy channel": trips.busy[rows, direction],
            "fragments": trips.fragments[rows, direction],
        }
        for name, values in counts.items():
            values_by_name[f"{way} {name}"] = values.astype(np.float64)
        values_by_name[f"{way} longer air time, 32 µs"] = _air_time(route, direction, turn=trips.timelines.turn)
    return _varying(values_by_name | step_covariates(trips.events, route, occupancy))


def step_covariates(events: Events, route: Route, occupancy: Occupancy | None = None) -> dict[str, Floats]:
    """Covariates of the steps of any route: time pre-empted, and messages queued on their nodes when they begin.

    Time pre-empted is omitted (NaN) for steps that wait for the radio: a longer wait meets more of everything.
    """
    values_by_name: dict[str, Floats] = {}
    if occupancy is not None:
        us = occupancy.preempted_samples * (1e6 / float(route.steps.samplerate_hz))
        works = occupancy.known & [step.kind not in WAITS for step in route.steps.steps]
        values_by_name[PREEMPTED] = np.where(works[None, :], us, np.nan)
    queued = _queued(events, route)
    if queued is not None:
        values_by_name[QUEUED] = queued
    return _varying(values_by_name)


def _varying(covariates: dict[str, Floats]) -> dict[str, Floats]:
    return {name: values for name, values in covariates.items() if np.nanmax(np.ptp(values, axis=0), initial=0) > 0}


def _air_time(route: Route, direction: int, *, turn: int) -> Floats:
    columns = [
        column
        for column, step in enumerate(route.steps.steps)
        if step.kind is Kind.AIR and (step.start.direction >= turn) == bool(direction)
    ]
    unit = BYTE_NS * float(route.steps.samplerate_hz) / NS_PER_S
    samples = route.steps.samples[:, columns].sum(axis=1)
    # From the shortest on: equal frames must not fall on either side of a rounding.
    times: Floats = np.rint((samples - samples.min()) / unit) if len(samples) else samples.astype(np.float64)
    return times


def _queued(events: Events, route: Route) -> Floats | None:
    """float64[k, s], messages posted and not fetched on the step's node when it begins; None without such events."""
    of_queues = events.only("queue.post", "queue.fetch")
    if not len(of_queues):
        return None
    at = begins(route)
    queued = np.full(at.shape, np.nan)
    for name in events.node_names:
        columns = [column for column, step in enumerate(route.steps.steps) if step.nodes[0] == name]
        lengths = queue_lengths(of_queues, node=name, instants=at[:, columns].reshape(-1)) if columns else {}
        if lengths:
            queued[:, columns] = np.sum(list(lengths.values()), axis=0).reshape(len(at), len(columns))
    return queued if np.isfinite(queued).any() else None
