"""Pauses: positions in the events at which nothing is under way, so that what comes before them decides nothing after.

For the time of a longest frame and of the wait for its acknowledgement no node's stack, radio or radio line shows
anything; every span of them is over, every command to a radio has been answered, or a slot of TSCH is over since; and
no id is in use on both sides, counted as in use from one event with it to the next unless half a round of ids was
called for in between; nor is a sequence number, counted as in use for the time that a transmission can take.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from ctypes import c_int64, c_size_t, c_void_p
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.completions import ACK_WAIT_NS, COMMAND_END, LONGEST_FRAME_NS, TX_ENDS
from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.ids import BY_ORDER, code_set, named
from gpiorig.analysis.events.index import CODES, NEVER, OF_PACKETS, SEQUENCE, Presence
from gpiorig.analysis.events.table import BY_NAME, EVENT_TYPES
from gpiorig.analysis.packets.acknowledgements import SLOT_NS
from gpiorig.analysis.packets.holders import HALF_A_ROUND
from gpiorig.analysis.packets.occurrences import NONE
from gpiorig.analysis.packets.transmissions import COMMANDS, LONGEST_NS
from gpiorig.analysis.packets.turned_round import CALLS
from gpiorig.capture import native

TOGETHER = 1 << 20  # events that are analysed together, if pauses allow: arrays that the caches of a processor hold
PLACES = 64  # as many pauses are remembered in that many events, at the most

_OF_RADIO = OF_PACKETS | named(SEQUENCE, *BY_ORDER)
_IS_SPAN = named(*(name for name in BY_ORDER if name.endswith("enter")))
_IS_SPAN |= code_set(e.code for e in EVENT_TYPES if e.layer in ("mac", "driver"))
_SPANS = tuple(
    (event.code, BY_NAME[f"{event.name.removesuffix('enter')}exit"].code)
    for event in EVENT_TYPES
    if event.kind == "enter" and _IS_SPAN[event.code]
)
_COMMANDED = len(_SPANS) + 1  # the number of one more span, from a command to the report of its end
_UNANSWERED = 127  # of a command whose end the node never reports: COMMAND of capture/native/src/pauses.rs
_IS_OF_RADIO, _CARRIES_ID, _IS_CALL, _IS_NUMBER = 1, 2, 4, 8  # bits of capture/native/src/pauses.rs


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Events from one pause to another, which are analysed by themselves.

    Parameters
    ----------
    events
        These events; start and end, gaps and nodes are those of the recording.
    start
        Position of the first of them in all events.
    pending
        int64[nodes], the sample of the node's last command to its radio before them, if nothing tells when that frame
        was out and it may still be on the air, else -1.
    """

    events: Events
    start: int
    pending: NDArray[np.int64]


def parts(events: Events, presence: Presence) -> Iterator[Part]:
    """The events in parts, each of `TOGETHER` events or of as many as there are until the next pause."""
    starts = [0]
    for position in _pauses(events, presence, apart=max(1, TOGETHER // PLACES)).tolist():
        if position - starts[-1] >= TOGETHER:
            starts.append(position)
    for start, end in pairwise([*starts, len(events)]):
        yield Part(events.part(slice(start, end)), start, _pending(events, presence, start))


def _pending(events: Events, presence: Presence, start: int) -> NDArray[np.int64]:
    pending = np.full(len(events.node_names), NONE, dtype=np.int64)
    if not start:
        return pending
    since = int(np.searchsorted(events.samples, events.samples[start] - events.samples_in(LONGEST_NS)))
    before = events.part(slice(since, start))
    for node in np.unique(before.nodes).tolist():
        commands = before.positions(presence.highest(COMMANDS, node=node), node=node)
        if not len(commands):
            continue
        ends = before.positions(*TX_ENDS, *([COMMAND_END] if presence.waits[node] else []), node=node)
        if not (before.ids[ends[ends > commands[-1]]] == before.ids[commands[-1]]).any():
            pending[node] = before.samples[commands[-1]]
    return pending


def _pauses(events: Events, presence: Presence, *, apart: int) -> NDArray[np.int64]:
    """int64[k], increasing: positions of the first event after pauses, `apart` events between two of them."""
    kinds = np.where(_OF_RADIO, _IS_OF_RADIO, 0) | np.where(OF_PACKETS, _CARRIES_ID, 0)
    kinds[BY_NAME[SEQUENCE].code] |= _IS_NUMBER
    kinds[BY_NAME[presence.highest_with_id(CALLS)].code] |= _IS_CALL
    spans = _spans(presence)
    kinds = kinds.astype(np.uint8)
    state = np.zeros(native.kernel("gpiorig_pauses_state", c_size_t)(len(events.node_names)), dtype=np.int64)
    pauses = np.empty(len(events) // apart + 1, dtype=np.int64)
    written = 0
    for part in slices(len(events)):
        columns = (
            native.column(column[part], kind, name=name, count=part.stop - part.start)
            for name, column, kind in (
                ("samples", events.samples, np.int64),
                ("nodes", events.nodes, np.uint16),
                ("codes", events.codes, np.uint8),
                ("ids", events.ids, np.int32),
            )
        )
        written = native.checked(
            _kernel()(
                *(column.ctypes.data for column in columns),
                part.stop - part.start,
                part.start,
                kinds.ctypes.data,
                spans.ctypes.data,
                len(events.node_names),
                *map(events.samples_in, (LONGEST_FRAME_NS + ACK_WAIT_NS, SLOT_NS, LONGEST_NS)),
                apart,
                HALF_A_ROUND,
                state.ctypes.data,
                pauses.ctypes.data,
                len(pauses),
            )
        )
    return pauses[:written]


def _spans(presence: Presence) -> NDArray[np.int8]:
    """int8[nodes, 256], the span that each code enters, or leaves if negative; one that a node never leaves is none."""
    occurs = presence.since.reshape(-1, CODES) != NEVER
    spans = np.zeros(occurs.shape, dtype=np.int8)
    for number, (entering, leaving) in enumerate(_SPANS, start=1):
        spans[:, entering] = np.where(occurs[:, leaving], number, 0)
        spans[:, leaving] = -number
    ends = [BY_NAME[name].code for name in TX_ENDS]
    for node, here in enumerate(occurs):
        command = BY_NAME[presence.highest(COMMANDS, node=node)].code
        spans[node, command] = _COMMANDED if here[ends].any() else _UNANSWERED
        spans[node, ends] = -_COMMANDED
    return spans


@functools.cache
def _kernel() -> Callable[..., int]:
    array, number, samples = c_void_p, c_size_t, c_int64
    events = (*[array] * 4, number, c_int64)
    return native.kernel(
        "gpiorig_pauses", *events, array, array, number, *[samples] * 3, c_int64, c_int64, array, array, number
    )
