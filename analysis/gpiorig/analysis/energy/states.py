"""The states of a node that the pins show: what runs on its processor, and what its radio does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.attribution import airtime
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.index import Index
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import spans
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.passages import COLUMNS
from gpiorig.analysis.processor import ownership
from gpiorig.analysis.processor.ownership import Kind, Ownership

Samples = NDArray[np.int64]
NONE = -1
SWITCH = "sched.switch"
SLOTS = ("slot.rx", "slot.tx")
LISTENING, IDLE = "radio.set_rx", "radio.set_idle"
PROCESSOR = SLEEPS, RUNS, UNSEEN = ("sleep", "run", "processor not shown")
RADIO = OFF, LISTENS, SENDS, UNSHOWN, ASSUMED = ("off", "listen", "send", "radio not shown", "listen, assumed")


def occupants(events: Events, index: Index, node: int) -> Ownership:
    """The owners of a node's processor over the recording."""
    threads = len(index.positions(SWITCH, node=node)) > 0
    pairs = [spans.pairs_of(name, events, index, node=node) for name in ownership.enters(threads=threads)]
    both = np.concatenate(pairs)
    both = both[np.argsort(both[:, 1])]
    none = np.full(len(events), NONE, dtype=np.int32)
    return ownership.build(events, node, spans=(both[:, 0], both[:, 1]), packet_of=none, threads=threads)


def opened(events: Events, index: Index, point: str, node: int) -> Samples:
    """int64[k, 2], when a span is open on a node; one that was entered last and never left stays open to the end."""
    both = spans.pairs_of(f"{point}.enter", events, index, node=node)
    enters, exits = (index.positions(f"{point}.{end}", node=node) for end in ("enter", "exit"))
    latest_exit = int(exits[-1]) if len(exits) else NONE
    left_open = events.samples[enters[enters > latest_exit]]
    ends = np.full(len(left_open), events.end, dtype=np.int64)
    return np.concatenate([events.samples[both], np.stack([left_open, ends], axis=1)])


def listening(events: Events, index: Index, node: int) -> Samples | None:
    """int64[k, 2], when the radio receives; None where the pins do not show that.

    A slotted MAC shows it by its spans; others show when the receiver is switched on and off.
    """
    if len(index.positions(f"{SLOTS[0]}.enter", node=node)):
        return opened(events, index, SLOTS[0], node)
    codes = [BY_NAME[name].code for name in (LISTENING, IDLE)]
    at = np.flatnonzero((events.nodes == node) & np.isin(events.codes, codes))
    if len(np.unique(events.codes[at])) < len(codes):
        return None
    ends = np.append(events.samples[at][1:], events.end)
    receiving: Samples = np.stack([events.samples[at], ends], axis=1)[events.codes[at] == codes[0]]
    return receiving


def processor_bounds(owned: Ownership) -> tuple[Samples, NDArray[np.int64]]:
    """Where intervals of the processor begin, and the place of each one's state in `PROCESSOR`."""
    kinds = owned.kind_of()
    state = np.where(kinds == Kind.SLEEP, PROCESSOR.index(SLEEPS), PROCESSOR.index(RUNS))
    return owned.starts, np.where(kinds == Kind.UNSEEN, PROCESSOR.index(UNSEEN), state)


def radio_bounds(events: Events, index: Index, hops: Hops | None, node: int) -> tuple[Samples, NDArray[np.int64]]:
    """Where intervals of the radio begin, and the place of each one's state in `RADIO`.

    It sends from the first bit of a frame on the air to the end of its transmission. From the command to the first bit,
    and where no receiver shows that, a frame is waiting: neither is shown. At other times the pins show whether it
    listens, or it is taken to listen always: a receiver that is always on has no events.
    """
    receiving = listening(events, index, node)
    parts: list[tuple[str, Samples]] = [] if receiving is None else [(LISTENS, receiving)]
    if hops is not None:
        sent = hops.transmissions
        of_node = sent.nodes == node
        parts.append((UNSHOWN, np.stack([sent.begins[of_node], sent.ends[of_node]], axis=1)))
        starts = hops.samples[COLUMNS["air.start"]]
        rows = np.flatnonzero((hops.senders == node) & (hops.sent >= 0) & (starts != NONE))
        on_air = np.stack([starts[rows], sent.ends[hops.sent[rows]]], axis=1)
        parts.append((SENDS, on_air[on_air[:, 1] > on_air[:, 0]]))
    merged = [(state, airtime.union(airtime.Intervals(*intervals.T))) for state, intervals in parts]
    bounds = np.unique(np.concatenate([[events.start], *(part for _, pair in merged for part in pair)]))
    labels = np.full(len(bounds), RADIO.index(ASSUMED if receiving is None else OFF))
    for state, intervals in merged:
        place = np.searchsorted(intervals.starts, bounds, side="right") - 1
        inside = (
            (place >= 0) & (bounds < intervals.ends[place]) if len(intervals.starts) else np.zeros(len(bounds), bool)
        )
        labels[inside] = RADIO.index(state)
    return bounds, labels
