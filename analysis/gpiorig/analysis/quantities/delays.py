"""Delays of the complete path and of its steps, as the named quantities of one run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.attribution import frame_owners, radio_waits
from gpiorig.analysis.delays import radio_parts
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.quantities.delay_names import ONE_WAY, RTT, matching, part_of
from gpiorig.analysis.quantities.names import Quantity
from gpiorig.analysis.quantities.series import Recorded, Samples, Series

NONE_COMPLETE = "no packet is complete on the pins"


def main_route(analysis: Analysis) -> Route | None:
    """The route that delays are named on: that of the round trips, or else the one with the most packets."""
    routes = analysis.routes
    if not routes or analysis.timelines is not None:
        return routes[0] if routes else None
    return next((route for route in routes if len(route)), routes[0])


def delays_of(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """The delays that a name stands for, one series each, under their full names.

    Raises
    ------
    QuantityError
        No packet is complete, or the run has no such delay.
    """
    route = main_route(recorded.analysis)
    if route is None or not len((total := _total(quantity, recorded, route)).values):
        raise QuantityError(NONE_COMPLETE)
    steps = {step.name: column for column, step in enumerate(route.steps.steps)}
    parts = _parts(recorded, route) if part_of(quantity.subject) else {}
    kinds = {step.name: step.kind for step in route.steps.steps}
    matches = []
    for name in matching(quantity.subject, [total.quantity.text, *steps], kinds, parts):
        if name == total.quantity.text:
            matches.append(total)
        elif name in steps:
            matches.append(_step(quantity, recorded, route, steps[name], route.steps.column(steps[name])))
        else:
            column, samples = parts[name]
            matches.append(_named(_step(quantity, recorded, route, column, samples), name))
    if quantity.node:
        recorded.nodes(quantity)
        matches = [one for one in matches if one.node.split(" > ")[0] == quantity.node]
        if not matches:
            raise QuantityError(f"`{quantity.subject}` does not begin at {quantity.node}.")
    return tuple(matches)


def _total(quantity: Quantity, recorded: Recorded, route: Route) -> Series:
    """The round trips, or all delays of the route."""
    lines = recorded.analysis.timelines
    if lines is None:
        delay = _series(quantity, recorded, route, route.name, route.totals, route.starts)
        return _named(delay, ONE_WAY)
    known: NDArray[np.bool_] = lines.timelined
    trips = Series(
        node=lines.initiator,
        quantity=quantity,
        values=lines.rtt[known],
        scale=recorded.period_ns,
        starts=lines.samples[known, 0],
        packets=lines.packets[known].astype(np.int32),
        lacking=int(np.count_nonzero(~known)),
        lacking_packets=lines.packets[~known].astype(np.int32),
    )
    return _named(trips, RTT)


def _step(quantity: Quantity, recorded: Recorded, route: Route, column: int, samples: Samples) -> Series:
    step = route.steps.steps[column]
    starts = route.starts + route.steps.samples[:, :column].sum(axis=1)
    return _named(_series(quantity, recorded, route, step.node, samples, starts), step.name)


def _series(
    quantity: Quantity, recorded: Recorded, route: Route, node: str, samples: Samples, starts: Samples
) -> Series:
    return Series(
        node=node,
        quantity=quantity,
        values=np.ascontiguousarray(samples),
        scale=recorded.period_ns,
        starts=starts,
        packets=route.steps.rows.astype(np.int32),
        lacking=route.lost + route.partial,
    )


def _named(series: Series, name: str) -> Series:
    return replace(series, quantity=replace(series.quantity, text=name, subject=name))


def _parts(recorded: Recorded, route: Route) -> dict[str, tuple[int, Samples]]:
    """Of each part of a radio wait its step and its samples, by its full name."""
    air = frame_owners.for_route(recorded.events, route, header_ns=recorded.header_ns)
    waits = radio_waits.for_route(route, air)
    columns = {route.steps.steps[wait.column].name: wait.column for wait in waits}
    named = radio_parts.by_name(waits, route)
    return {name: (columns[name.rpartition(": ")[0]], samples) for name, samples in named.items()}
