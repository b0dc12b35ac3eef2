"""Who had the processor of a node, stretch by stretch: a thread, a task, an interrupt, nobody; and in which span.

At any instant one has it. An interrupt has it while its span is open, the innermost one. Else the thread that
``sched.switch`` named last; thread 0 is nobody, the processor sleeps. Without ``sched.switch`` it is the innermost open
``task.run``. A span belongs to the thread (or the interrupts) that entered it: while another thread runs, nothing in it
runs. So the stretches of a node follow each other without holes, and sums over them add up to any time exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.completions import Index
from gpiorig.analysis.event_table import BY_CODE
from gpiorig.analysis.events import Events
from gpiorig.analysis.identity import PACKET_LAYERS, code_set, named

Positions = NDArray[np.int64]
NONE = -1
UNKNOWN, INTERRUPTS = 0, 1  # contexts: no thread or task known, interrupts; threads or runs of tasks follow
FIRST_THREAD = 2
IDLE = 0  # id in sched.switch: no thread runs
NUMBERS = (1 << 16) + 1  # ids of threads and tasks, and -1 for a task that did not say

_IS_INTERRUPT = code_set(c for c, e in BY_CODE.items() if e.kind == "enter" and e.layer == "isr") | named(
    "timer.fire.enter"
)
_IS_TASK = named("task.run.enter")
# Software that works on packets; lines and slots are no software, they only last.
IS_LAYER_EVENT = code_set(code for code, event in BY_CODE.items() if event.layer in PACKET_LAYERS and code < 128)
_IS_LAYER = IS_LAYER_EVENT & code_set(code for code, event in BY_CODE.items() if event.kind == "enter")


class Kind(IntEnum):
    """What an occupant is."""

    UNSEEN = 0
    SLEEP = 1
    LAYERS = 2  # a span of the stack, nobody says in which task
    INTERRUPT = 3
    TASK = 4
    THREAD = 5


@dataclass(frozen=True, slots=True, eq=False)
class Ownership:
    """The stretches of one node, from the start of the recording to its end.

    Parameters
    ----------
    node
        Its name.
    positions
        int64[m], increasing: the event with which each stretch begins, -1 for the first.
    starts
        int64[m], its sample.
    durations
        int64[m], samples.
    names, kinds
        Occupants: such as ``thread 3``, ``isr.uart``, ``sleep``, and what each is.
    occupants
        int32[m], index into `names`.
    spans
        int64[m], position of the enter of the innermost open span in the context that runs, -1 none.
    packet_spans
        int64[m], of the innermost of these that is of a packet, -1 none.
    scheduled
        Whether the node shows who runs: ``sched.switch`` or ``task.run``.
    """

    node: str
    positions: Positions
    starts: NDArray[np.int64]
    durations: NDArray[np.int64]
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    occupants: NDArray[np.int32]
    spans: Positions
    packet_spans: Positions
    scheduled: bool

    def kind_of(self) -> NDArray[np.int8]:
        """int8[m], kind of the occupant of each stretch."""
        return np.array(self.kinds, dtype=np.int8)[self.occupants]


class TimeOf:
    """How much of any time the stretches with one label took; stretches with label -1 have none."""

    def __init__(self, owned: Ownership, labels: NDArray[np.int64]) -> None:
        self._owned, self._labels = owned, labels
        labelled = np.flatnonzero(labels >= 0)
        self._order = labelled[np.argsort(labels[labelled], kind="stable")]
        self._keys = labels[self._order] * len(labels) + self._order
        self._before = np.concatenate([[0], np.cumsum(owned.durations[self._order])])

    def within(self, label: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[q]: samples of a label in [start, end), for each of q queries; none before the recording starts."""
        return self._until(label, end) - self._until(label, start)

    def _until(self, label: NDArray[np.int64], instant: NDArray[np.int64]) -> NDArray[np.int64]:
        """Samples before an instant, up to a constant of the label."""
        stretch = np.searchsorted(self._owned.starts, instant, side="right") - 1
        whole = self._before[np.searchsorted(self._keys, label * len(self._labels) + stretch)]
        running = self._labels[stretch] == label
        part: NDArray[np.int64] = whole + np.where(running, instant - self._owned.starts[stretch], 0)
        return part


def build(
    events: Events, node: int, *, index: Index, spans: tuple[Positions, Positions], packet_of: NDArray[np.int32]
) -> Ownership | None:
    """Find the stretches of a node; None if it has no event.

    Parameters
    ----------
    events, index
        Of the whole recording.
    node
        Index of the node.
    spans
        As `gpiorig.analysis.spans.pairs` gives them.
    packet_of
        int32[n], of every event the row of its packet, -1 none.
    """
    codes = events.codes[spans[0]]
    wanted = (events.nodes[spans[0]] == node) & (_IS_INTERRUPT | _IS_TASK | _IS_LAYER)[codes]
    switches = index.of("sched.switch", node=node)
    if len(switches):
        wanted &= ~_IS_TASK[codes]
    enters, exits = spans[0][wanted], spans[1][wanted]
    sleeps = [index.of(f"sched.sleep.{end}", node=node) for end in ("enter", "exit")]
    is_boundary = np.zeros(len(events), dtype=bool)
    for positions in (enters, exits, switches, *sleeps):
        is_boundary[positions] = True
    boundaries = np.concatenate([[NONE], np.flatnonzero(is_boundary)])
    if len(boundaries) == 1:
        return None
    codes = events.codes[enters]
    of_packet = np.maximum(packet_of[enters], packet_of[exits]) >= 0
    is_task = _IS_TASK[codes]
    tasks = _Stacks(enters[is_task], exits[is_task], np.full(int(is_task.sum()), UNKNOWN))
    task = tasks.top(np.full(len(boundaries), UNKNOWN), boundaries)
    thread = _threads(events, boundaries, switches)
    # Each run of a task is a context of its own, as a thread is.
    running = np.where(np.maximum(thread, task) >= 0, np.maximum(thread, task) + FIRST_THREAD, UNKNOWN)
    context = running[np.searchsorted(boundaries, enters)]
    in_interrupt = _open(enters[_IS_INTERRUPT[codes]], exits[_IS_INTERRUPT[codes]], enters)
    context[in_interrupt] = INTERRUPTS

    def innermost(chosen: NDArray[np.bool_], at: NDArray[np.int64]) -> Positions:
        return _Stacks(enters[chosen], exits[chosen], context[chosen]).top(at, boundaries)

    interrupt = innermost(_IS_INTERRUPT[codes], np.full(len(boundaries), INTERRUPTS))
    now = np.where(interrupt >= 0, INTERRUPTS, running)
    layers = _IS_LAYER[codes] | _IS_INTERRUPT[codes]
    spans_now = innermost(layers, now)
    asleep = _asleep(boundaries, *sleeps) | (thread == IDLE)
    names, kinds, occupants = _occupants(
        events, interrupt=interrupt, asleep=asleep, thread=thread, task=task, spans=spans_now
    )
    spans_now[np.array(kinds)[occupants] == Kind.SLEEP] = NONE
    packet_spans = np.where(spans_now >= 0, innermost(layers & of_packet, now), NONE)
    starts = events.samples[boundaries]
    starts[0] = events.start
    return Ownership(
        node=events.node_names[node],
        positions=boundaries,
        starts=starts,
        durations=np.diff(starts, append=max(events.end, int(starts[-1]))),
        names=names,
        kinds=kinds,
        occupants=occupants,
        spans=spans_now,
        packet_spans=packet_spans,
        scheduled=bool(len(switches) or is_task.any()),
    )


def _threads(events: Events, boundaries: Positions, switches: Positions) -> NDArray[np.int64]:
    """The thread that the scheduler named last; -1 before that and after lost samples."""
    if not len(switches):
        return np.full(len(boundaries), NONE, dtype=np.int64)
    place = np.searchsorted(switches, boundaries, side="right") - 1
    latest = switches[np.maximum(place, 0)]
    stretch = [np.searchsorted(events.gaps[:, 1], events.samples[each], side="right") for each in (latest, boundaries)]
    known = (place >= 0) & (stretch[0] == stretch[1])
    return np.where(known, events.ids[latest].astype(np.int64), NONE)


def _open(enters: Positions, exits: Positions, at: Positions) -> NDArray[np.bool_]:
    """Whether any of the spans is open behind an event."""
    begun = np.searchsorted(np.sort(enters), at, side="right")
    ended = np.searchsorted(np.sort(exits), at, side="right")
    opened: NDArray[np.bool_] = begun > ended
    return opened


def _asleep(boundaries: Positions, enters: Positions, exits: Positions) -> NDArray[np.bool_]:
    """Whether the latest end of ``sched.sleep`` was its enter."""
    both = np.concatenate([enters, exits])
    order = np.argsort(both)
    place = np.searchsorted(both[order], boundaries, side="right") - 1
    last = order[np.maximum(place, 0)] if len(order) else place
    sleeping: NDArray[np.bool_] = (place >= 0) & (last < len(enters))
    return sleeping


class _Stacks:
    """The open spans of each context, the latest on top."""

    def __init__(self, enters: Positions, exits: Positions, contexts: NDArray[np.int64]) -> None:
        positions = np.concatenate([enters, exits])
        contexts = np.concatenate([contexts, contexts])
        self._span = int(positions.max(initial=0)) + 1
        keys = contexts * self._span + positions
        order = np.argsort(keys)
        self._keys = keys[order]
        self._tops = self._found(order, enters, len(enters))

    def _found(self, order: Positions, enters: Positions, count: int) -> Positions:
        """Position of the enter on top behind each end of a span."""
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
        """Position of the enter of the innermost span of a context that is open behind an event; -1 none."""
        if not len(self._keys):
            return np.full(len(at), NONE, dtype=np.int64)
        wanted = contexts * self._span + np.minimum(at, self._span - 1)
        place = np.searchsorted(self._keys, wanted, side="right") - 1
        found = (place >= 0) & (self._keys[place] // self._span == contexts)
        return np.where(found, self._tops[place], NONE)


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
) -> tuple[tuple[str, ...], tuple[Kind, ...], NDArray[np.int32]]:
    """Name and kind of every occupant, and which has each stretch."""
    choices = [
        (Kind.INTERRUPT, interrupt >= 0, events.codes[interrupt].astype(np.int64)),
        (Kind.SLEEP, asleep, np.zeros(len(asleep), dtype=np.int64)),
        (Kind.THREAD, thread >= 0, thread),
        (Kind.TASK, task >= 0, events.ids[task].astype(np.int64) % NUMBERS),
        (Kind.LAYERS, spans >= 0, np.zeros(len(asleep), dtype=np.int64)),
    ]
    kind = np.select([chosen for _, chosen, _ in choices], [np.int64(each) for each, *_ in choices], Kind.UNSEEN)
    number = np.select([chosen for _, chosen, _ in choices], [which for *_, which in choices], 0)
    keys = kind * NUMBERS + number
    occurs = np.bincount(keys) > 0
    occupants = (np.cumsum(occurs) - 1).astype(np.int32)[keys]
    found = [divmod(key, NUMBERS) for key in np.flatnonzero(occurs).tolist()]
    names = tuple(_name(Kind(each), which) for each, which in found)
    return names, tuple(Kind(each) for each, _ in found), occupants


def _name(kind: Kind, number: int) -> str:
    if kind is Kind.INTERRUPT:
        return BY_CODE[number].name.removesuffix(".enter")
    texts = {Kind.UNSEEN: "nothing seen", Kind.SLEEP: "sleep", Kind.LAYERS: "stack, in no known task"}
    return texts.get(kind, f"{kind.name.lower()} {number if number < NUMBERS - 1 else 'without id'}")
