"""Intervals within trains, deviations from the asked interval, and how far receivers of a packet are apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.packets.delivery import Packets
from gpiorig.analysis.quantities import events, log_clocks
from gpiorig.analysis.quantities.events import chosen, packets_at, shown
from gpiorig.analysis.quantities.kinds import Kind
from gpiorig.analysis.quantities.names import Quantity, event_of
from gpiorig.analysis.quantities.series import NONE, Recorded, Samples, Series, number_of, plain
from gpiorig.capture.edges.nanoseconds import nearest_ns

NS_PER_US = 1000


def interval_errors(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Intervals less the `interval_us` that the experiment asks of the node, on the pins or by another clock.

    Of a `Kind.INTERVAL_DEVIATION` their magnitudes.
    """
    measured = events.intervals_of if not quantity.clock else log_clocks.intervals_of
    errors = [_less(intervals, "interval_us", intervals.node, recorded) for intervals in measured(quantity, recorded)]
    if quantity.kind is Kind.INTERVAL_DEVIATION:
        return tuple(replace(error, values=np.abs(error.values)) for error in errors)
    return tuple(errors)


def gaps_of(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Intervals between the events of successive packets of a train; `Kind.GAP_ERROR`: less `gap_us` of the origin.

    The ids of an origin count its packets from 1, `train` in each train. Of several events of a packet the first
    counts.
    """
    by_node = []
    for node in recorded.nodes(quantity):
        firsts = _firsts(quantity, recorded, node)
        for origin in np.unique(recorded.packets().packets.origins[firsts.packets]).tolist():
            gaps = _gaps(quantity, recorded, node, origin, firsts)
            if len(gaps.values):
                name = recorded.events.node_names[origin]
                is_error = quantity.kind is Kind.GAP_ERROR
                by_node.append(_less(gaps, "gap_us", name, recorded) if is_error else gaps)
    return shown(by_node, quantity, recorded, f"`{event_of(quantity.subject)}` of two packets of a train")


def spreads_of(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """From the earliest to the latest event of a packet over its receivers, by origin; the origin is not among them.

    By the logs, the timestamps of each node are brought to the analyzer's clock; the host has one clock for all nodes.
    """
    packets = recorded.packets().packets
    origins = recorded.nodes(quantity)
    latest, earliest_sample = (np.full(len(packets), NONE, dtype=np.int64) for _ in range(2))
    by_node = _receptions(quantity, recorded)
    earliest, nodes = _earliest(by_node, len(packets))
    for seen, instants in by_node.values():
        rows = seen.packets
        latest[rows] = np.maximum(latest[rows], instants)
        begun = earliest_sample[rows]
        earliest_sample[rows] = np.where(begun == NONE, seen.samples, np.minimum(begun, seen.samples))
    by_origin = []
    for origin in origins:
        of_origin = packets.origins == origin
        rows, alone = np.flatnonzero(of_origin & (nodes > 1)), np.flatnonzero(of_origin & (nodes == 1))
        if len(rows):
            name, values = recorded.events.node_names[origin], (latest - earliest)[rows]
            spread = plain(name, quantity, recorded, values, earliest_sample[rows], packets=rows.astype(np.int32))
            scale = Fraction(1) if quantity.clock else spread.scale
            lacking = alone.astype(np.int32)
            by_origin.append(replace(spread, scale=scale, lacking=len(alone), lacking_packets=lacking))
    by = f" by {quantity.clock}" if quantity.clock else ""
    return shown(by_origin, quantity, recorded, f"`{event_of(quantity.subject)}` of a packet at two receivers{by}")


def lags_of(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """From the earliest event of a packet over its receivers to that of each of them, by receiver, as in a spread."""
    by_node = _receptions(quantity, recorded)
    earliest, nodes = _earliest(by_node, len(recorded.packets().packets))
    of_nodes = []
    for node in recorded.nodes(quantity):
        seen, instants = by_node[node]
        several = nodes[seen.packets] > 1
        if several.any():
            rows, name = seen.packets[several], recorded.events.node_names[node]
            values = instants[several] - earliest[rows]
            lags = plain(name, quantity, recorded, values, seen.samples[several], packets=rows.astype(np.int32))
            of_nodes.append(replace(lags, scale=Fraction(1) if quantity.clock else lags.scale))
    by = f" by {quantity.clock}" if quantity.clock else ""
    return shown(of_nodes, quantity, recorded, f"`{event_of(quantity.subject)}` of a packet at two receivers{by}")


@dataclass(frozen=True, slots=True, eq=False)
class _Firsts:
    """The first event of each packet at a node: int64[k] rows of the packets, increasing, and samples."""

    packets: Samples
    samples: Samples


def _firsts(quantity: Quantity, recorded: Recorded, node: int) -> _Firsts:
    recorded.packets()
    at = chosen(recorded, event_of(quantity.subject), NONE, node)
    rows = packets_at(recorded, at).astype(np.int64)
    packets, row_places = np.unique(rows, return_index=True)
    in_packet = packets >= 0
    return _Firsts(packets[in_packet], recorded.events.samples[at[row_places[in_packet]]])


def _receptions(quantity: Quantity, recorded: Recorded) -> dict[int, tuple[_Firsts, Samples]]:
    """By node the first event of each packet of another node, and its instant on the clock that is asked for."""
    origins = recorded.packets().packets.origins
    by_node = {}
    for node in range(len(recorded.events.node_names)):
        seen = _firsts(replace(quantity, node=""), recorded, node)
        instants = (
            log_clocks.on_common_clock(quantity, recorded, node, seen.samples) if quantity.clock else seen.samples
        )
        good = (origins[seen.packets] != node) & (instants != NONE)
        by_node[node] = _Firsts(seen.packets[good], seen.samples[good]), instants[good]
    return by_node


def _earliest(by_node: Mapping[int, tuple[_Firsts, Samples]], packets: int) -> tuple[Samples, Samples]:
    """int64[p] each: the earliest instant of a packet, -1 without one, and at how many nodes it has one."""
    earliest, nodes = np.full(packets, NONE, dtype=np.int64), np.zeros(packets, dtype=np.int64)
    for seen, instants in by_node.values():
        before = earliest[seen.packets]
        earliest[seen.packets] = np.where(before == NONE, instants, np.minimum(before, instants))
        nodes[seen.packets] += 1
    return earliest, nodes


def _gaps(quantity: Quantity, recorded: Recorded, node: int, origin: int, firsts: _Firsts) -> Series:
    """Gaps at a node between the packets of one origin; pairs of a train of which one lacks the event are counted."""
    packets, names = recorded.packets().packets, recorded.events.node_names
    instant = np.full(len(packets), NONE, dtype=np.int64)
    instant[firsts.packets] = firsts.samples
    pairs = np.array(list(_pairs(packets, origin, number_of(recorded, names[origin], "train"))), dtype=np.int64)
    before, after = pairs.reshape(-1, 2).T
    complete = (instant[before] != NONE) & (instant[after] != NONE)
    complete &= ~recorded.events.loses(instant[before], instant[after])
    rows = before[complete]
    series = plain(
        names[node] if node == origin else f"{names[origin]} > {names[node]}",
        quantity,
        recorded,
        instant[after[complete]] - instant[rows],
        instant[rows],
        packets=rows.astype(np.int32),
        lacking=int(np.count_nonzero(~complete)),
    )
    return replace(series, lacking_packets=before[~complete].astype(np.int32))


def _pairs(packets: Packets, origin: int, train: int) -> Iterator[tuple[int, int]]:
    """Rows of the packets of an origin that follow each other in a train; a reset of the node begins again at 1."""
    rows = np.flatnonzero(packets.accounted & (packets.origins == origin))
    ids: NDArray[np.int32] = packets.ids[rows]
    follows = (np.diff(ids) == 1) & (np.diff((ids - 1) // train) == 0)
    yield from zip(rows[:-1][follows].tolist(), rows[1:][follows].tolist(), strict=True)


def _less(series: Series, key: str, node: str, recorded: Recorded) -> Series:
    """The values less a setting in us: in samples where it is an integer number of them, else to the nearest ns."""
    asked = number_of(recorded, node, key) * NS_PER_US
    samples = asked / series.scale
    if samples.denominator == 1:
        return replace(series, values=series.values - int(samples))
    values = nearest_ns(series.values, recorded.events.samplerate_hz)
    return replace(series, values=values - asked, scale=Fraction(1))
