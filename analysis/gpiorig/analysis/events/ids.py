"""Packet identity: events that carry the id of a packet, and events that belong to one only by their order."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events import completions
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.index import NO_ID, OF_PACKETS
from gpiorig.analysis.events.layers import PACKET_LAYERS
from gpiorig.analysis.events.table import BY_NAME, EVENT_TYPES
from gpiorig.capture import mapped

# Events that are attributed by order (completions.py); others without an id, such as timers, belong to no packet.
BY_ORDER = (
    *completions.INSIDE,
    *(link.removesuffix("enter") + side for link in completions.LINKS for side in ("enter", "exit")),
    completions.FRAME_TIMESTAMP,
    completions.FRAME_TIMESTAMP.removesuffix("enter") + "exit",
    *completions.OTHER_ENDS,
)


EVERYTHING = slice(None)


def code_set(codes: Iterable[int]) -> NDArray[np.bool_]:
    """bool[256], true for the codes given: index it with an array of codes."""
    table = np.zeros(256, dtype=bool)
    table[list(codes)] = True
    return table


def named(*names: str) -> NDArray[np.bool_]:
    """As `code_set`, for events given by name."""
    return code_set(BY_NAME[name].code for name in names)


def zeros(events: Events) -> NDArray[np.int64]:
    """int64[k], positions of the events of packets with the id 0, which means none."""
    zero = np.flatnonzero(events.ids == NO_ID)
    return zero[OF_PACKETS[events.codes[zero]]]


def without_ids(events: Events, positions: NDArray[np.int64]) -> Events:
    """The events, those at some positions without an id."""
    if not len(positions):
        return events
    ids = mapped.zeros(len(events), np.int32)
    ids[:] = events.ids
    ids[positions] = -1
    return dataclasses.replace(events, ids=ids)


def carries_packet_id(events: Events, part: slice = EVERYTHING) -> NDArray[np.bool_]:
    """bool[n], events (of a part) that came with the id of a packet."""
    return OF_PACKETS[events.codes[part]] & (events.ids[part] >= 0)


def needs_packet_id(events: Events, part: slice = EVERYTHING) -> NDArray[np.bool_]:
    """bool[n], events (of a part) that should come with a packet's id, or belong to one as ``mac.sequence`` does."""
    needs = code_set(e.code for e in EVENT_TYPES if e.layer in PACKET_LAYERS and e.has_id)
    return needs[events.codes[part]]


def belongs_by_order(events: Events, part: slice = EVERYTHING) -> NDArray[np.bool_]:
    """bool[n], events (of a part) that belong to a packet by their order only."""
    return named(*BY_ORDER)[events.codes[part]]
