"""Owner of a node's processor, interval by interval: a thread, a task, an interrupt or none; and the open span.

At any instant one has it. An interrupt has it while its span is open, the innermost one. Else the thread that
``sched.switch`` named last; thread 0 is idle, the processor sleeps. After lost samples and after a reset
the owner is unknown until the next event of the scheduler. Without ``sched.switch`` it is the innermost open
``task.run``. A span belongs to the thread (or the interrupts) that entered it: while another thread runs, nothing in it
runs. So the intervals of a node follow each other without holes, and sums over them add up to any time exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.ids import code_set, named
from gpiorig.analysis.events.layers import PACKET_LAYERS
from gpiorig.analysis.events.table import BY_CODE, BY_NAME

Positions = NDArray[np.int64]
NONE = -1
UNKNOWN, INTERRUPTS = 0, 1  # contexts: no thread or task known, interrupts; threads or runs of tasks follow
FIRST_THREAD = 2
IDLE = 0  # id in sched.switch: no thread runs
NUMBERS = (1 << 16) + 1  # ids of threads and tasks, and -1 for a task without an id

_IS_INTERRUPT = code_set(c for c, e in BY_CODE.items() if e.kind == "enter" and e.layer == "isr") | named(
    "timer.fire.enter"
)
_IS_TASK = named("task.run.enter")
_SWITCH = BY_NAME["sched.switch"].code
_SLEEP = tuple(BY_NAME[f"sched.sleep.{end}"].code for end in ("enter", "exit"))
_BOOT = BY_NAME["rig.boot"].code
_IS_REPORT = code_set((_SWITCH, *_SLEEP, _BOOT))
# Software that works on packets; lines and slots are not software, they only last.
IS_LAYER_EVENT = code_set(code for code, event in BY_CODE.items() if event.layer in PACKET_LAYERS and code < 128)
_IS_LAYER = IS_LAYER_EVENT & code_set(code for code, event in BY_CODE.items() if event.kind == "enter")


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
    enters, exits = spans
    reports = np.flatnonzero((events.nodes == node) & _IS_REPORT[events.codes])
    is_boundary = np.zeros(len(events), dtype=bool)
    for positions in (enters, exits, reports):
        is_boundary[positions] = True
    boundaries = np.concatenate([[NONE], np.flatnonzero(is_boundary)])
    interval_of = np.cumsum(is_boundary)  # of an event on a boundary, the interval that it begins
    codes = events.codes[enters]
    of_packet = np.maximum(packet_of[enters], packet_of[exits]) >= 0
    is_task = _IS_TASK[codes]
    tasks = _Stacks(enters[is_task], exits[is_task], np.full(int(is_task.sum()), UNKNOWN))
    task = tasks.top(np.full(len(boundaries), UNKNOWN), boundaries)
    switched, slept, woke = (
        _latest(reports[np.isin(events.codes[reports], (code, _BOOT))], interval_of, len(boundaries))
        for code in (_SWITCH, *_SLEEP)
    )
    thread = np.where(_still(events, switched, boundaries, _SWITCH), events.ids[switched].astype(np.int64), NONE)
    # Each run of a task is a context of its own, as a thread is.
    running = np.where(np.maximum(thread, task) >= 0, np.maximum(thread, task) + FIRST_THREAD, UNKNOWN)
    begun = interval_of[enters]
    context = running[begun]
    is_interrupt = _IS_INTERRUPT[codes]
    change = np.zeros(len(boundaries), dtype=np.int64)
    change[begun[is_interrupt]], change[interval_of[exits[is_interrupt]]] = 1, -1
    context[np.cumsum(change)[begun] > 0] = INTERRUPTS

    def innermost(chosen: NDArray[np.bool_], at: NDArray[np.int64]) -> Positions:
        return _Stacks(enters[chosen], exits[chosen], context[chosen]).top(at, boundaries)

    interrupt = innermost(is_interrupt, np.full(len(boundaries), INTERRUPTS))
    now = np.where(interrupt >= 0, INTERRUPTS, running)
    layers = _IS_LAYER[codes] | is_interrupt
    spans_now = innermost(layers, now)
    asleep = ((slept > woke) & _still(events, slept, boundaries, _SLEEP[0])) | (thread == IDLE)
    keys, occupants = _occupants(events, interrupt=interrupt, asleep=asleep, thread=thread, task=task, spans=spans_now)
    spans_now[np.array(keys)[occupants] // NUMBERS == Kind.SLEEP] = NONE
    packet_spans = np.where(spans_now >= 0, innermost(layers & of_packet, now), NONE)
    starts = events.samples[boundaries]
    starts[0] = events.start
    return Ownership(
        node=events.node_names[node],
        positions=boundaries,
        starts=starts,
        durations=np.diff(starts, append=max(events.end, int(starts[-1]))),
        keys=keys,
        occupants=occupants,
        spans=spans_now,
        packet_spans=packet_spans,
    )


def _latest(positions: Positions, interval_of: NDArray[np.int64], intervals: int) -> Positions:
    """For each interval the latest of these events up to its start, -1 if there is none; all of them begin one."""
    latest = np.full(intervals, NONE, dtype=np.int64)
    latest[interval_of[positions]] = positions
    return np.maximum.accumulate(latest)


def _still(events: Events, latest: Positions, boundaries: Positions, code: int) -> NDArray[np.bool_]:
    """Whether the state of the latest event holds in each interval: its code is this one, no samples lost since."""
    lost = [
        np.searchsorted(events.gaps[:, 1], events.samples[positions], side="right")
        for positions in (latest, boundaries)
    ]
    holds: NDArray[np.bool_] = (latest >= 0) & (events.codes[latest] == code) & (lost[0] == lost[1])
    return holds


class _Stacks:
    """The open spans of each context, the latest on top."""

    def __init__(self, enters: Positions, exits: Positions, contexts: NDArray[np.int64]) -> None:
        positions = np.concatenate([enters, exits])
        contexts = np.concatenate([contexts, contexts])
        self._span = int(positions.max(initial=0)) + 1
        keys = contexts * self._span + positions
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._tops = self._top_enters(order, enters, len(enters))

    def _top_enters(self, order: Positions, enters: Positions, count: int) -> Positions:
        """Position of the enter on top after each end of a span."""
        span_of, is_enter = order % max(count, 1), order < count
        depth = np.cumsum(np.where(is_enter, 1, -1))
        top = np.full(len(order), NONE, dtype=np.int64)
        for level in range(1, int(depth.max(initial=0)) + 1):
            latest = np.maximum.accumulate(np.where(is_enter & (depth == level), np.arange(len(order)), NONE))
            top = np.where(depth == level, span_of[latest], top)
        ends = np.flatnonzero(~is_enter)
        if not np.array_equal(np.where(ends > 0, top[ends - 1], NONE), span_of[ends]):
            top = _walked(span_of, is_enter)
        return np.where(top >= 0, enters[top], NONE) if count else top

    def top(self, contexts: NDArray[np.int64], at: Positions) -> Positions:
        """Position of the enter of the innermost span of a context that is open after an event; -1 none."""
        if not len(self._keys):
            return np.full(len(at), NONE, dtype=np.int64)
        wanted = contexts * self._span + np.minimum(at, self._span - 1)
        place = np.searchsorted(self._keys, wanted, side="right") - 1
        known = (place >= 0) & (self._keys[place] // self._span == contexts)
        return np.where(known, self._tops[place], NONE)


def _walked(span_of: Positions, is_enter: NDArray[np.bool_]) -> Positions:
    """Tops where spans of one context cross instead of nesting: the latest that is still open."""
    tops, opened = [], dict[int, None]()
    for span, enter in zip(span_of.tolist(), is_enter.tolist(), strict=True):
        if enter:
            opened[span] = None
        else:
            del opened[span]
        tops.append(next(reversed(opened), NONE))
    return np.array(tops, dtype=np.int64)


def _occupants(
    events: Events,
    *,
    interrupt: Positions,
    asleep: NDArray[np.bool_],
    thread: NDArray[np.int64],
    task: Positions,
    spans: Positions,
) -> tuple[tuple[int, ...], NDArray[np.int32]]:
    """Every occupant as kind times `NUMBERS` plus number, and the occupant of each interval."""
    choices = [
        (Kind.INTERRUPT, interrupt >= 0, events.codes[interrupt].astype(np.int64)),
        (Kind.SLEEP, asleep, np.zeros(len(asleep), dtype=np.int64)),
        (Kind.THREAD, thread >= 0, thread),
        (Kind.TASK, task >= 0, events.ids[task].astype(np.int64) % NUMBERS),
        (Kind.LAYERS, spans >= 0, np.zeros(len(asleep), dtype=np.int64)),
    ]
    kind = np.select([chosen for _, chosen, _ in choices], [np.int64(starts) for starts, *_ in choices], Kind.UNSEEN)
    number = np.select([chosen for _, chosen, _ in choices], [which for *_, which in choices], 0)
    keys = kind * NUMBERS + number
    occurs = np.bincount(keys) > 0
    return tuple(np.flatnonzero(occurs).tolist()), (np.cumsum(occurs) - 1).astype(np.int32)[keys]


def name_of(key: int) -> str:
    """Name of an occupant."""
    kind, number = divmod(key, NUMBERS)
    if kind == Kind.INTERRUPT:
        return BY_CODE[number].name.removesuffix(".enter")
    texts = {Kind.UNSEEN: "nothing seen", Kind.SLEEP: "sleep", Kind.LAYERS: "stack, in no known task"}
    return texts.get(Kind(kind), f"{Kind(kind).name.lower()} {number if number < NUMBERS - 1 else 'without id'}")
