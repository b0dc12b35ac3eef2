"""The cost of a probe."""

from __future__ import annotations

import dataclasses

import numpy as np

from gpiorig.analysis.delays.calibration import probe_cost
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
