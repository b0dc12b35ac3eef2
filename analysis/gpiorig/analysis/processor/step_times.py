"""Times within steps: how long each occupant of a node had its processor while each step of each packet lasted."""

from __future__ import annotations

import functools
from collections.abc import Callable
from ctypes import c_int64, c_size_t, c_uint16, c_void_p
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.processor.extents import Places
from gpiorig.analysis.processor.ownership import IS_LAYER_EVENT, NUMBERS, Kind
from gpiorig.analysis.processor.windows import Window
from gpiorig.capture import native

Samples = NDArray[np.int64]
NONE = -1
_OF_LAYERS = IS_LAYER_EVENT.astype(np.uint8)
# The bits of capture/native/src/step_times.rs.
_IS_SCHEDULED, _IS_INTERRUPT = 1, 2
_KINDS = {Kind.THREAD: _IS_SCHEDULED, Kind.TASK: _IS_SCHEDULED, Kind.INTERRUPT: _IS_INTERRUPT}


@dataclass(frozen=True, slots=True, eq=False)
class StepTimes:
    """What ran on a node within its steps.

    Parameters
    ----------
    own
        int64[k, t]: spans of the packet ran, or threads and tasks in which it has an event within the step.
    busy
        int64[k, t]: a thread, a task, an interrupt or a span of a packet ran.
    sums
        By key of an occupant int64[t]: its time, over all packets.
    """

    own: Samples
    busy: Samples
    sums: dict[int, Samples]


def step_times(window: Window, node: str, *, places: Places, instants: Samples, steps: NDArray[np.int64]) -> StepTimes:
    """The times within the steps of one node.

    Parameters
    ----------
    window
        In which the packets were under way.
    node
        Its name; one whose owner is in the window.
    places
        Of the k packets.
    instants
        int64[k, s + 1], milestones of each packet, none before the one before it.
    steps
        int64[t], which steps are the node's.
    """
    events, owned = window.events, window.owned[node]
    packets, milestones = instants.shape
    columns = np.full(milestones - 1, NONE, dtype=np.int32)
    columns[steps] = np.arange(len(steps))
    kinds = np.array([_KINDS.get(Kind(key // NUMBERS), 0) for key in owned.keys], dtype=np.uint8)
    own, busy = np.zeros((2, packets, len(steps)), dtype=np.int64)
    sums = np.zeros((len(kinds), len(steps)), dtype=np.int64)
    instants = np.ascontiguousarray(instants)
    native.checked(
        _kernel()(
            *window.addresses,
            len(events),
            _OF_LAYERS.ctypes.data,
            events.node(node),
            *(row.ctypes.data for row in (owned.positions, owned.starts, owned.occupants, owned.packet_spans)),
            len(owned.starts),
            int(owned.starts[-1] + owned.durations[-1]),
            kinds.ctypes.data,
            len(kinds),
            places.places.ctypes.data,
            len(places.places),
            places.lowest,
            instants.ctypes.data,
            packets,
            columns.ctypes.data,
            len(columns),
            len(steps),
            *(times.ctypes.data for times in (own, busy, sums)),
        )
    )
    return StepTimes(own=own, busy=busy, sums=dict(zip(owned.keys, sums, strict=True)))


@functools.cache
def _kernel() -> Callable[..., int]:
    array, number = c_void_p, c_size_t
    events = (*[array] * 4, number, array, c_uint16)
    intervals = (*[array] * 4, number, c_int64, array, number)
    packets = (array, number, c_int64, array, number, array, number, number)
    return native.kernel("gpiorig_step_times", *events, *intervals, *packets, *[array] * 3)
