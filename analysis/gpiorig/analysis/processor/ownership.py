"""Owner of a node's processor, interval by interval: a thread, a task, an interrupt or none; and the open span.

At any instant one has it. An interrupt has it while its span is open, the innermost one. Else the thread that
``sched.switch`` named last; thread 0 is idle, the processor sleeps. After lost samples and after a reset
the owner is unknown until the next event of the scheduler. Without ``sched.switch`` it is the innermost open
``task.run``. A span belongs to the thread (or the interrupts) that entered it: while another thread runs, nothing in it
runs. So the intervals of a node follow each other without holes, and sums over them add up to any time exactly.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from ctypes import POINTER, byref, c_size_t, c_uint16, c_void_p
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.ids import code_set, named
from gpiorig.analysis.events.layers import PACKET_LAYERS
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.capture import native

Positions = NDArray[np.int64]
NONE = -1
NUMBERS = (1 << 16) + 1  # ids of threads and tasks, and -1 for a task without an id

_IS_INTERRUPT = code_set(c for c, e in BY_CODE.items() if e.kind == "enter" and e.layer == "isr") | named(
    "timer.fire.enter"
)
TASK = "task.run.enter"
_IS_TASK = named(TASK)
REPORTS = ("sched.switch", "sched.sleep.enter", "sched.sleep.exit", "rig.boot")
_OF_REPORTS = tuple(map(named, REPORTS))
_IS_REPORT = np.any(_OF_REPORTS, axis=0)
# Software that works on packets; lines and slots are not software, they only last.
IS_LAYER_EVENT = code_set(code for code, event in BY_CODE.items() if event.layer in PACKET_LAYERS and code < 128)
_IS_LAYER = IS_LAYER_EVENT & code_set(code for code, event in BY_CODE.items() if event.kind == "enter")
# The bits of capture/native/src/ownership.rs.
_KINDS = np.packbits([_IS_INTERRUPT, _IS_TASK, _IS_LAYER, *_OF_REPORTS], axis=0, bitorder="little")[0]


class Kind(IntEnum):
    """What an occupant is."""

    UNSEEN = 0
    SLEEP = 1
    LAYERS = 2  # a span of the stack, its task is unknown
    INTERRUPT = 3
    TASK = 4
    THREAD = 5


@dataclass(frozen=True, slots=True, eq=False)
class Ownership:
    """The intervals of one node, from the start of the recording to its end.

    Parameters
    ----------
    node
        Its name.
    positions
        int64[m], increasing: the event with which each interval begins, -1 for the first.
    starts
        int64[m], its sample.
    durations
        int64[m], samples.
    keys
        Occupants, as numbers that are the same in every recording; `name_of` names them.
    occupants
        int32[m], index into `keys`.
    spans
        int64[m], position of the enter of the innermost open span in the context that runs, -1 none.
    packet_spans
        int64[m], of the innermost of these that is of a packet, -1 none.
    """

    node: str
    positions: Positions
    starts: NDArray[np.int64]
    durations: NDArray[np.int64]
    keys: tuple[int, ...]
    occupants: NDArray[np.int32]
    spans: Positions
    packet_spans: Positions

    def kind_of(self) -> NDArray[np.int8]:
        """int8[m], kind of the occupant of each interval."""
        return (np.array(self.keys, dtype=np.int64) // NUMBERS).astype(np.int8)[self.occupants]

    def interval(self, instants: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[q], the interval of each instant."""
        return np.searchsorted(self.starts, instants, side="right") - 1


class TimeOf:
    """How much of any time the intervals with one label took; intervals with label -1 have none."""

    def __init__(self, owned: Ownership, labels: NDArray[np.int64]) -> None:
        self._owned, self._labels = owned, labels
        labelled = np.flatnonzero(labels >= 0)
        self._order = labelled[np.argsort(labels[labelled], kind="stable")]
        self._keys = labels[self._order] * len(labels) + self._order
        self._before = np.concatenate([[0], np.cumsum(owned.durations[self._order])])

    def within(self, label: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[q]: samples of a label in [start, end), for each of q queries; none before the recording starts."""
        before, until = (self.until(label, bound, interval=self._owned.interval(bound)) for bound in (start, end))
        return until - before

    def until(
        self, label: NDArray[np.int64], instant: NDArray[np.int64], *, interval: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """int64[q]: samples of a label before an instant in a interval, up to a constant of the label."""
        before = self._before[np.searchsorted(self._keys, label * len(self._labels) + interval)]
        running = self._labels[interval] == label
        return before + np.where(running, instant - self._owned.starts[interval], 0)


def enters(*, threads: bool) -> tuple[str, ...]:
    """Events that begin the spans that `build` wants, on a node that has ``sched.switch`` or has not."""
    wanted = _IS_INTERRUPT | _IS_LAYER | (_IS_TASK & np.bool_(not threads))
    return tuple(BY_CODE[code].name for code in np.flatnonzero(wanted).tolist())


def build(
    events: Events, node: int, *, spans: tuple[Positions, Positions], packet_of: NDArray[np.int32], threads: bool
) -> Ownership:
    """Find the intervals of a node.

    Parameters
    ----------
    events
        Of the recording, or of a window of it.
    node
        Index of the node.
    spans
        Enters and exits of the node's spans that begin with one of `enters`.
    packet_of
        int32[n], of every event the row of its packet, -1 none.
    threads
        Whether the node has ``sched.switch``, in this window or elsewhere.
    """
    ends = [native.column(side, np.int64, name="ends of spans", count=len(spans[0])) for side in spans]
    reports = np.count_nonzero(_IS_REPORT[events.codes] & (events.nodes == node))
    count, room = len(events), 2 * len(ends[0]) + int(reports) + 1
    boundaries, starts, spans_now, packet_spans, keys = np.empty((5, room), dtype=np.int64)
    occupants = np.empty(room, dtype=np.int32)
    columns = (
        native.column(events.samples, np.int64, name="samples"),
        native.column(events.nodes, np.uint16, name="nodes", count=count),
        native.column(events.codes, np.uint8, name="codes", count=count),
        native.column(events.ids, np.int32, name="ids", count=count),
        native.column(packet_of, np.int32, name="packets", count=count),
    )
    gaps = np.ascontiguousarray(events.gaps[:, 1])
    key_count = c_size_t(0)
    written = native.checked(
        _kernel()(
            *(column.ctypes.data for column in columns),
            count,
            node,
            gaps.ctypes.data,
            len(gaps),
            _KINDS.ctypes.data,
            *(positions.ctypes.data for positions in ends),
            len(ends[0]),
            *(row.ctypes.data for row in (boundaries, starts, occupants, spans_now, packet_spans, keys)),
            room,
            byref(key_count),
        )
    )
    starts = starts[:written]
    starts[0] = events.start
    return Ownership(
        node=events.node_names[node],
        positions=boundaries[:written],
        starts=starts,
        durations=np.diff(starts, append=max(events.end, int(starts[-1]))),
        keys=tuple(keys[: key_count.value].tolist()),
        occupants=occupants[:written],
        spans=spans_now[:written],
        packet_spans=packet_spans[:written],
    )


@functools.cache
def _kernel() -> Callable[..., int]:
    array, number = c_void_p, c_size_t
    events = (*[array] * 5, number, c_uint16, array, number, array)
    return native.kernel("gpiorig_ownership", *events, array, array, number, *[array] * 6, number, POINTER(number))


def name_of(key: int) -> str:
    """Name of an occupant."""
    kind, number = divmod(key, NUMBERS)
    if kind == Kind.INTERRUPT:
        return BY_CODE[number].name.removesuffix(".enter")
    texts = {Kind.UNSEEN: "nothing seen", Kind.SLEEP: "sleep", Kind.LAYERS: "stack, in no known task"}
    return texts.get(Kind(kind), f"{Kind(kind).name.lower()} {number if number < NUMBERS - 1 else 'without id'}")
