"""Extents of packets and the layers on the way of a route, against loops over the events."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from synthetic_events import disturbed
from tripcases import analysed

from gpiorig.analysis.events import events as events_module
from gpiorig.analysis.events.layers import WAYS
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.processor.extents import ORDER, Extents, Places


@pytest.fixture
def analysis():
    return analysed(disturbed(80, seed=4))


def extents_of(analysis, size):
    extents = Extents(analysis.events, analysis.event_packets, analysis.hops.ways, analysis.routes[:1])
    return extents, extents.windows(size)


def test_windows_hold_the_events_and_the_steps_of_their_packets(monkeypatch, analysis):
    """One packet each: from its first event or milestone to its last; whatever the slices are."""
    monkeypatch.setattr(events_module, "SLICE_EVENTS", 101)
    _, (rows, first, stop) = extents_of(analysis, 1)
    route, events, packet_of = analysis.routes[0], analysis.events, analysis.packet_of
    assert len(rows) > 50
    for window, (row, after) in enumerate(pairwise(rows.tolist())):
        inside = (packet_of >= row) & (packet_of < after)
        for packet in np.flatnonzero((route.steps.rows >= row) & (route.steps.rows < after)):
            start = route.starts[packet]
            inside |= (events.samples >= start) & (events.samples <= start + route.totals[packet])
        positions = np.flatnonzero(inside)
        assert [positions[0], positions[-1] + 1] == [first[window], stop[window]]


def test_columns_are_in_the_order_of_the_legs(analysis):
    """By the medians of when they begin, in the order of the layers within a leg."""
    extents, _ = extents_of(analysis, 100)
    events, route, ways, packet_of = analysis.events, analysis.routes[0], analysis.hops.ways, analysis.packet_of
    layers = np.array([BY_CODE[code].layer if code < 128 else "" for code in events.codes.tolist()])
    begins, legs, seen = {}, {}, set()
    for at in range(len(events)):
        row, leg = int(packet_of[at]), (int(events.nodes[at]), int(ways[at]))
        if row in route.steps.rows and leg[1] >= 0 and layers[at] in ORDER:
            sample = int(events.samples[at])
            legs.setdefault(leg, {}).setdefault(row, sample - begins.setdefault(row, sample))
            seen.add((leg[0], str(layers[at]), leg[1]))
    order = sorted(legs, key=lambda leg: np.median(list(legs[leg].values())))
    assert order == list(dict.fromkeys((node, way) for node, _, way in extents.columns[0]))
    assert seen == set(extents.columns[0])
    for leg in order:
        layers_of_leg = [ORDER.index(layer) for node, layer, way in extents.columns[0] if (node, way) == leg]
        down = [*range(len(ORDER))] if WAYS[leg[1]] == "tx" else [len(ORDER) - 1, *range(len(ORDER) - 2, -1, -1)]
        assert layers_of_leg == [layer for layer in down if layer in layers_of_leg]


def test_places_of_rows():
    """In any order; of no rows."""
    places = Places.of(np.array([7, 4, 6]))
    assert (4, [1, -1, 2, 0]) == (places.lowest, places.places.tolist())
    assert 0 == len(Places.of(np.zeros(0, dtype=np.int64)).places)


def test_a_route_without_packets_has_no_columns(analysis):
    """And no packets at all have no windows."""
    route = analysis.routes[0].select(np.zeros(0, dtype=np.int64))
    none = np.full(len(analysis.events), -1, dtype=np.int32)
    extents = Extents(analysis.events, none, analysis.hops.ways, [route])
    assert ((),) == extents.columns
    assert [[0], [], []] == [side.tolist() for side in extents.windows(10)]
