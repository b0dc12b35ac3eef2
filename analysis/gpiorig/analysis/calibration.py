"""The cost of a probe, from the calibration burst that firmware sends at boot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.event_table import BY_NAME
from gpiorig.analysis.events import Events


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
