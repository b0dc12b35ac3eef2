"""Energies and powers that are estimated from the states of processor and radio: never measured, and named so."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.energy.node_energy import NodeTime, Supply
from gpiorig.analysis.errors import EventError, QuantityError
from gpiorig.analysis.quantities import milestones
from gpiorig.analysis.quantities.kinds import Kind
from gpiorig.analysis.quantities.names import Quantity
from gpiorig.analysis.quantities.series import Recorded, Series, single

PICO = Fraction(1, 10**12)  # J in a unit of the values
NANO = Fraction(1, 10**9)  # W in one


def of_packets(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """The energy of each packet at a node: of all of its steps there, or between two milestones at that node.

    Raises
    ------
    QuantityError
        No board states its currents, the milestones are at two nodes, or no packet has all of its steps.
    """
    if quantity.start is None:
        return _of_steps(quantity, recorded)
    by_node = []
    for window in milestones.between(quantity, recorded):
        if window.node not in recorded.events.node_names:
            raise QuantityError(f"`{window.node}` are two nodes; an energy is of one: name milestones of one node.")
        spans = np.stack([window.starts, window.starts + window.values], axis=1)
        time, supply = _time(recorded, window.node, spans)
        by_node.append(replace(window, values=_pico(time.within(time.estimated(supply), spans).joules), scale=PICO))
    return tuple(by_node)


def powers(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """The mean power of a node, or what of it is above sleep, from its first event or the warm-up to its last."""
    by_node = []
    for node in recorded.nodes(quantity):
        name = recorded.events.node_names[node]
        window = np.array([[recorded.begin, recorded.events.end]])
        time, supply = _time(recorded, name, window)
        supply = supply.above_sleep() if quantity.kind is Kind.ESTIMATED_POWER_ABOVE else supply
        begin, end = (int(time.bounds[place]) for place in time.place(window[0]))
        seconds = (end - begin) / float(recorded.events.samplerate_hz)
        if not seconds:
            raise QuantityError(f"{name} shows nothing after the warm-up.")
        watts = float(time.within(time.estimated(supply), window).joules[0]) / seconds
        by_node.append(single(name, quantity, round(watts / float(NANO)), NANO, begin))
    return tuple(by_node)


def _of_steps(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    by_node = []
    for node in recorded.nodes(quantity):
        name = recorded.events.node_names[node]
        time, supply = _time(recorded, name)
        packets, groups = np.unique(time.owners.packets, return_inverse=True)
        if not len(packets):
            continue
        joules = time.of_steps(time.estimated(supply)).summed(groups, len(packets)).joules
        starts = np.full(len(packets), np.iinfo(np.int64).max)
        np.minimum.at(starts, groups, time.owners.begins)
        order = np.argsort(starts, kind="stable")
        rows = packets[order].astype(np.int32)
        by_node.append(Series(name, quantity, _pico(joules)[order], PICO, starts[order], rows))
    if not by_node:
        raise QuantityError("no packet of this recording has all steps of its way.")
    return tuple(by_node)


def _time(recorded: Recorded, node: str, windows: NDArray[np.int64] | None = None) -> tuple[NodeTime, Supply]:
    supply = recorded.supplies.get(node)
    if supply is None:
        raise QuantityError(f"the board of {node} states no currents: add [currents] to its file, and to its radio's.")
    try:
        return NodeTime(recorded.analysis, node, windows=windows), supply
    except EventError as error:
        raise QuantityError(str(error)) from error


def _pico(joules: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(joules / float(PICO)).astype(np.int64)
