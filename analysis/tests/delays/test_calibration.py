"""The cost of a probe."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np

from gpiorig.analysis.delays.calibration import LAST_BUS_CODE, events_within, probe_cost
from gpiorig.analysis.events.table import BY_NAME


def test_spacing_of_successive_ids_only(new_bench):
    """A lost event and the start of a second burst give no spacing; another node's burst is not mixed in."""
    stage = new_bench().events()
    samples = np.array([0, 80, 81, 160, 320, 400, 9000, 9080])
    stage = dataclasses.replace(
        stage,
        samples=samples,
        nodes=np.array([0, 0, 1, 0, 0, 0, 0, 0], dtype=np.uint16),
        codes=np.full(8, BY_NAME["rig.calibrate"].code, dtype=np.uint8),
        ids=np.array([0, 1, 0, 2, 4, 5, 0, 1], dtype=np.int32),
    )

    assert [80, 80, 80, 80] == probe_cost(stage, node=stage.node_names[0]).tolist()
    assert [] == probe_cost(stage, node=stage.node_names[1]).tolist()


def test_events_of_a_step_are_those_on_its_bus():
    """From its first sample on, before its last; the median over the complete packets; other nodes' and lines not."""
    bus, line = LAST_BUS_CODE, LAST_BUS_CODE + 1
    rows = [(9, 0, bus), (10, 0, bus), (15, 1, bus), (16, 0, line), (19, 0, 3), (20, 0, bus)]
    rows += [(110, 0, bus), (111, 0, bus), (112, 0, 3), (210, 0, bus), (211, 0, bus), (310, 0, bus)]
    samples, nodes, codes = (np.array(column) for column in zip(*rows, strict=True))
    events = SimpleNamespace(samples=samples, nodes=nodes, codes=codes, node_names=("a", "b"))
    instants = {"x": np.array([10, 110, 210, 310]), "y": np.array([20, 120, 220, 320])}
    lines = SimpleNamespace(column=instants.get, complete=np.array([0, 1, 2]))
    ends = {"start": SimpleNamespace(name="x"), "end": SimpleNamespace(name="y")}
    steps = [SimpleNamespace(node=node, **ends) for node in ("a", "b", "air")]
    assert [2, 0, 0] == events_within(events, lines, SimpleNamespace(steps=steps, rows=[0, 1, 2])).tolist()
    assert [0, 0, 0] == events_within(events, lines, SimpleNamespace(steps=steps, rows=[])).tolist()
