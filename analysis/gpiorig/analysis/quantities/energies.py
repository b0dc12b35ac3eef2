"""Energies and powers of nodes: measured by power traces, or estimated from states, which their names state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.energy import states
from gpiorig.analysis.energy.node_energy import NodeTime
from gpiorig.analysis.energy.segments import Energies, Segments
from gpiorig.analysis.errors import EventError, QuantityError
from gpiorig.analysis.quantities import milestones
from gpiorig.analysis.quantities.kinds import Kind
from gpiorig.analysis.quantities.names import NODE, PROCESSOR, RADIO_STATES, Quantity
from gpiorig.analysis.quantities.series import Recorded, Series, single

PICO = Fraction(1, 10**12)  # J in a unit of the values
NANO = Fraction(1, 10**9)  # W in one
Samples = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _OfNode:
    """The time of a node and the energy of its segments."""

    name: str
    time: NodeTime
    segments: Segments


def of_packets(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """The energy of each packet at a node: of all of its steps there, or between two milestones at that node.

    Raises
    ------
    QuantityError
        No board states its currents, or no node has a power trace; the milestones are at two nodes, or no packet has
        all of its steps.
    """
    if quantity.start is None:
        return _of_steps(quantity, recorded)
    by_node = []
    for window in milestones.between(quantity, recorded):
        if window.node not in recorded.events.node_names:
            raise QuantityError(f"`{window.node}` are two nodes; an energy is of one: name milestones of one node.")
        if not _has(quantity, recorded, window.node):
            continue
        spans = np.stack([window.starts, window.starts + window.values], axis=1)
        of_node = _of_node(quantity, recorded, window.node, spans)
        by_node.append(_valued(window, of_node.time.within(of_node.segments, spans)))
    return _some(by_node)


def in_divisions(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """The energy of a node in all of the time of a layer or of a state, or in all."""
    by_node = []
    window = np.array([[recorded.begin, recorded.events.end]])
    for of_node in _nodes(quantity, recorded, window):
        time = of_node.time
        labels = np.where(time.bounds[:-1] >= recorded.begin, _labels(time, quantity.subject), -1)
        begin = max(int(time.bounds[0]), recorded.begin)
        by_node.append(_single(of_node.name, quantity, of_node.segments.labelled(labels, 1), PICO, begin))
    return _some(by_node)


def powers(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """The mean power of a node, or what of it is above sleep, from its first event or the warm-up to its last."""
    window = np.array([[recorded.begin, recorded.events.end]])
    by_node = []
    for of_node in _nodes(quantity, recorded, window):
        time = of_node.time
        begin, end = (int(time.bounds[place]) for place in time.place(window[0]))
        seconds = (end - begin) / float(recorded.events.samplerate_hz)
        if not seconds:
            raise QuantityError(f"{of_node.name} shows nothing after the warm-up.")
        energies = time.within(of_node.segments, window)
        by_node.append(_single(of_node.name, quantity, energies, NANO * Fraction(seconds), begin, unit=NANO))
    return _some(by_node)


def _of_steps(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    by_node = []
    for of_node in _nodes(quantity, recorded):
        owners = of_node.time.owners
        packets, groups = np.unique(owners.packets, return_inverse=True)
        if not len(packets):
            continue
        energies = of_node.time.of_steps(of_node.segments).summed(groups, len(packets))
        starts = np.full(len(packets), np.iinfo(np.int64).max)
        np.minimum.at(starts, groups, owners.begins)
        rows = packets.astype(np.int32)
        plain = Series(of_node.name, quantity, np.zeros(len(packets), dtype=np.int64), PICO, starts, rows)
        by_node.append(_valued(plain, energies))
    if not by_node and (quantity.kind.is_estimate or recorded.traces):
        raise QuantityError("no packet of this recording has all steps of its way.")
    return _some(by_node)


def _valued(plain: Series, energies: Energies) -> Series:
    """A series with these energies, in the order of time; those that a trace lacks a part of are lacking."""
    order = np.argsort(plain.starts, kind="stable")
    there = order[np.isfinite(energies.joules[order])]
    absent = order[~np.isfinite(energies.joules[order])]
    return replace(
        plain,
        values=np.rint(energies.joules[there] / float(PICO)).astype(np.int64),
        scale=PICO,
        starts=plain.starts[there],
        packets=plain.packets[there],
        lacking=plain.lacking + len(absent),
        lacking_packets=np.concatenate([plain.lacking_packets, plain.packets[absent]]),
        uncertainties=energies.expanded[there] / float(PICO),
    )


def _single(
    name: str, quantity: Quantity, energies: Energies, per: Fraction, begin: int, *, unit: Fraction = PICO
) -> Series:
    """One value, of joules over `per`; a trace that lacks a part has none."""
    if not np.isfinite(energies.joules[0]):
        raise QuantityError(f"the power trace of {name} lacks a part of its time.")
    value, doubt = (float(joules[0]) / float(per) for joules in (energies.joules, energies.expanded))
    return single(name, quantity, round(value), unit, begin, uncertainty=doubt)


def _labels(time: NodeTime, subject: str) -> Samples:
    """0 for each segment of a layer, of a state or of the node; -1 for others."""
    if subject == NODE:
        return np.zeros_like(time.durations)
    if subject in PROCESSOR:
        inside = time.processor == states.PROCESSOR.index(subject)
    elif subject in RADIO_STATES:
        names = (subject, states.ASSUMED) if subject == states.LISTENS else (subject,)
        inside = np.isin(time.radio, [states.RADIO.index(name) for name in names])
    else:
        layers, places = time.layers
        inside = np.isin(places, [place for place, name in enumerate(layers) if name == subject])
    if not inside.any():
        raise QuantityError(f"{time.node} does not show `{subject}`.")
    return np.where(inside, 0, -1)


def _nodes(quantity: Quantity, recorded: Recorded, windows: Samples | None = None) -> Iterator[_OfNode]:
    for number in recorded.nodes(quantity):
        name = recorded.events.node_names[number]
        if quantity.node or _has(quantity, recorded, name):
            yield _of_node(quantity, recorded, name, windows)


def _has(quantity: Quantity, recorded: Recorded, node: str) -> bool:
    """Whether a node is asked for, or there is what its energy is computed from."""
    return quantity.kind.is_estimate or bool(quantity.node) or node in recorded.traces


def _of_node(quantity: Quantity, recorded: Recorded, node: str, windows: Samples | None = None) -> _OfNode:
    try:
        if not quantity.kind.is_estimate:
            if node not in recorded.traces:
                raise _no_trace(f"of {node}")
            powered = recorded.traces[node]()
            time = NodeTime(recorded.analysis, node, windows=windows)
            return _OfNode(node, time, time.measured(powered.trace, powered.clock, clock_ppm=powered.clock_ppm))
        supply = recorded.supplies.get(node)
        if supply is None:
            raise QuantityError(
                f"the board of {node} states no currents: add [currents] to its file, and to its radio's."
            )
        time = NodeTime(recorded.analysis, node, windows=windows)
        supply = supply.above_sleep() if quantity.kind is Kind.ESTIMATED_POWER_ABOVE else supply
        return _OfNode(node, time, time.estimated(supply))
    except EventError as error:
        raise QuantityError(str(error)) from error


def _some(by_node: list[Series]) -> tuple[Series, ...]:
    if not by_node:
        raise _no_trace("of a node")
    return tuple(by_node)


def _no_trace(whose: str) -> QuantityError:
    return QuantityError(
        f"no power trace {whose} is known: name it in power.toml in the folder of the recording "
        "(docs/guide/energy.md). `estimated …` needs none."
    )
