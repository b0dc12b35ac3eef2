"""Ends of spans, against matching enters and exits one by one."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from processor import Processor
from synthetic_events import disturbed

from gpiorig.analysis.events import events as events_module
from gpiorig.analysis.events import span_ends
from gpiorig.analysis.events.span_ends import SpanEnds
from gpiorig.analysis.packets import spans

NONE = -1


def ends_of(events, enters=spans.ENTERS):
    return SpanEnds(events, [enters] * len(events.node_names), span_ends.occurrences(events))


def pairs_of(ends):
    enters = np.flatnonzero(ends.exits != NONE)
    return set(zip(enters.tolist(), ends.exits[enters].tolist(), strict=True))


def changed(events, seed):
    """The same with ids at random, some lacking, events lacking, and gaps."""
    random = np.random.default_rng(seed)
    kept = random.random(len(events)) < 0.8
    columns = {name: getattr(events, name)[kept] for name in ("samples", "nodes", "codes")}
    ids = np.where(random.random(len(events)) < 0.3, NONE, random.integers(-1, 4, len(events)))[kept]
    gaps = np.array([[100, 110], [800, 900]])
    return dataclasses.replace(events, ids=ids.astype(np.int32), gaps=gaps, **columns)


@pytest.mark.parametrize("seed", range(4))
def test_ends_are_those_of_one_by_one(monkeypatch, seed):
    """Also in small slices: an enter waits for its exit from one to the next."""
    logs = [disturbed(60, seed=seed), *(Processor(seed, threads).run(400) for threads in (True, False))]
    for events in [*logs, *(changed(events, seed) for events in logs)]:
        expected = set(zip(*(side.tolist() for side in spans.pairs(events)), strict=True))
        assert expected
        for size in (7, 1_000):
            monkeypatch.setattr(events_module, "SLICE_EVENTS", size)
            assert expected == pairs_of(ends_of(events))


@pytest.mark.parametrize("apart", [1, 50])
def test_no_span_is_open_where_it_is_closed(apart):
    """Against going through the spans; with one in every event no place is left out."""
    events = disturbed(60, seed=2)
    ends = ends_of(events)
    for node, places in enumerate(ends.closed(apart=apart)):
        spans_of_node = [pair for pair in sorted(pairs_of(ends)) if events.nodes[pair[0]] == node]
        for place in places.tolist():
            assert not any(enter < place <= exit_ for enter, exit_ in spans_of_node)
        begins = [enter for enter, _ in spans_of_node if not any(a < enter <= b for a, b in spans_of_node)]
        assert {place // apart for place in begins} <= {place // apart for place in places.tolist()}
        assert [0, len(events)] == [places[0], places[-1]]


def test_only_the_spans_that_are_sought():
    """Of each node others."""
    events = disturbed(20, seed=1)
    enters = [("mac.tx.enter",), ("isr.radio.enter",)]
    ends = SpanEnds(events, enters, span_ends.occurrences(events))
    found = [[ends.has(name, node=node) for name in ("mac.tx.enter", "isr.radio.enter")] for node in range(2)]
    assert [[True, False], [False, True]] == found


def test_occurrences_are_counts():
    """By node, code, and whether there is an id."""
    events = disturbed(20, seed=1)
    counts = span_ends.occurrences(events)
    assert len(events) == counts.sum()
    for node, code, with_id in zip(*np.nonzero(counts), strict=True):
        same = (events.nodes == node) & (events.codes == code) & ((events.ids >= 0) == with_id)
        assert np.count_nonzero(same) == counts[node, code, with_id]
