"""The cost of a probe, from the calibration burst that firmware sends at boot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.event_table import BY_NAME
from gpiorig.analysis.events import Events
from gpiorig.analysis.timelines import Steps, Timelines

_LAST_BUS_CODE = 127


def probe_cost(events: Events, *, node: str) -> NDArray[np.int64]:
    """Spacing of the events of the calibration bursts of a node.

    The burst is `rig.calibrate` events back to back, ids counting up from 0, so the spacing of two with successive ids
    is what one event with an id costs the firmware, call and loop included.

    Returns
    -------
    numpy.ndarray
        int64, in samples; empty if there was no burst.
    """
    mine = (events.codes == BY_NAME["rig.calibrate"].code) & (events.nodes == events.node(node))
    samples, ids = events.samples[mine], events.ids[mine]
    successive = np.diff(ids) == 1
    spacing: NDArray[np.int64] = np.diff(samples)[successive]
    return spacing


def events_within(events: Events, timelines: Timelines, steps: Steps) -> NDArray[np.int64]:
    """How many events a node sent on its symbol bus within each step: what the step owes to the probes.

    Returns
    -------
    numpy.ndarray
        int64, one per step: the median over the packets. Of a step between two nodes, events of the node it is named
        after; 0 on the air.
    """
    counts = np.zeros(len(steps.steps), dtype=np.int64)
    if not len(steps.rows):
        return counts
    sent = {
        name: events.samples[(events.nodes == node) & (events.codes <= _LAST_BUS_CODE)]
        for node, name in enumerate(events.node_names)
    }
    for column, step in enumerate(steps.steps):
        if step.node in sent:
            start, end = (timelines.column(end.name)[steps.rows] for end in (step.start, step.end))
            within = np.searchsorted(sent[step.node], end) - np.searchsorted(sent[step.node], start)
            counts[column] = int(np.median(within))
    return counts
