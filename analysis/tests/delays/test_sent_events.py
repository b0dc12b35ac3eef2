"""Events that nodes sent, against counting them one by one."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from synthetic_events import disturbed

from gpiorig.analysis.delays import sent_events
from gpiorig.analysis.delays.calibration import LAST_BUS_CODE
from gpiorig.analysis.delays.sent_events import SentEvents


def plain(events, start, end, node):
    """Events with an id and without, of one packet."""
    inside = (events.samples >= start) & (events.samples < end) & (events.nodes == node)
    inside &= events.codes <= LAST_BUS_CODE
    return [int(np.count_nonzero(inside & with_id)) for with_id in (events.ids >= 0, events.ids < 0)]


@pytest.mark.parametrize("block", [1, 1 << 10])
def test_counts_are_those_of_a_loop(monkeypatch, block):
    """Instants at events and between them, before the first one and after the last; short and long times."""
    monkeypatch.setattr(sent_events, "_BLOCK", block)
    events = disturbed(60, seed=3)
    random = np.random.default_rng(3)
    at = np.sort(random.choice(events.samples, (40, 4)) + random.integers(-1, 2, (40, 4)), axis=1)
    instants = np.concatenate([at, [[-5, 0, events.end, events.end + 9]]])
    ranges = [(0, 0, 1), (1, 1, 2), (0, 2, 3), (1, 0, 3)]
    counts = SentEvents(events).within(instants, ranges)
    for row, packet in enumerate(instants.tolist()):
        expected = [plain(events, packet[first], packet[last], node) for node, first, last in ranges]
        assert expected == counts[:, :, row].tolist()
    assert (-counts[3] == SentEvents(events).within(instants, [(1, 3, 0)])[0]).all()


def test_another_node_or_instant_is_refused():
    """The kernel would read what is not there."""
    sent = SentEvents(disturbed(5, seed=1))
    for outside in ((2, 0, 1), (0, 0, 2)):
        with pytest.raises(IndexError):
            sent.within(np.zeros((1, 2), dtype=np.int64), [outside])


def test_a_recording_without_events():
    """Nothing was sent."""
    events = disturbed(5, seed=1)
    fields = {name: getattr(events, name)[:0] for name in ("samples", "nodes", "codes", "ids")}
    sent = SentEvents(dataclasses.replace(events, **fields))
    assert [[[0.0], [0.0]]] == sent.within(np.array([[0, 10]]), [(1, 0, 1)]).tolist()
