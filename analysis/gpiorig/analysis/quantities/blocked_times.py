"""The time that a processing task did not get: from due to done, less the processor time that it takes itself."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.packets import spans
from gpiorig.analysis.quantities.events import missed, shown, task_waits
from gpiorig.analysis.quantities.names import Quantity
from gpiorig.analysis.quantities.series import Recorded, Series, plain
from gpiorig.analysis.quantities.settings import number_of
from gpiorig.capture.edges.nanoseconds import nearest_ns

# The processing tasks of the reference firmware: `enum actor_id` in firmware-gpio-probes/reference/kernel/kernel.h.
_ON_US = {6: "worker_a_on_us", 7: "worker_b_on_us"}
_NS_PER_US = 1000


def blocked(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Times in ns of the runs of a task that were due; runs that were not done are counted."""
    events, task = recorded.events, quantity.number
    if task not in _ON_US:
        known = " and ".join(map(str, _ON_US))
        raise QuantityError(f"a blocked time is of a processing task; the reference firmware has {known}.")
    by_node = []
    for node in recorded.nodes(quantity):
        due, run, count = task_waits(recorded, task, node)
        count += missed(recorded, quantity, node)
        both = spans.pairs_of("task.run.enter", events, recorded.index, node=node)
        both = both[np.argsort(both[:, 0])]
        _, of_run, of_span = np.intersect1d(run, both[:, 0], return_indices=True)
        if len(of_run):
            name, starts = events.node_names[node], events.samples[due[of_run]]
            took_ns = nearest_ns(events.samples[both[of_span, 1]] - starts, events.samplerate_hz)
            values = took_ns - number_of(recorded, name, _ON_US[task]) * _NS_PER_US
            one = plain(name, quantity, recorded, values, starts, lacking=count - len(of_run))
            by_node.append(replace(one, scale=Fraction(1)))
    return shown(by_node, quantity, recorded, f"`task.due` with id {task}", event="task.due")
