"""Interrupts of radios that software polls: drivers that report no handler of their own (``driver.isr``).

Such a driver waits in its start command until the frame is out, and reads a frame when it sees that one is there. The
interrupt may be answered later, when other interrupts let it; then it caused nothing. So the line's rise is the cause:
the latest one before the frame was read, or within the command. Its interrupt service routine is the next one, whenever
that ran. Without the line, a routine counts if it ran before the reading, after the radio was commanded to receive.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events

Positions = NDArray[np.int64]
PositionsOf = Callable[[str], Positions]  # of the events of one name on the node

IRQ, ISR = "tap.irq.enter", "isr.radio.enter"
READ = "driver.rx_read.enter"
LISTEN = "radio.set_rx"
# The shortest frame, an acknowledgement: 11 bytes of 32 us (IEEE 802.15.4-2006, 6.3 and 7.2.2.3; 250 kb/s). A start
# command that takes longer waits until the frame is out.
SHORTEST_FRAME_NS = 352_000


def waits(events: Events, positions_of: PositionsOf) -> bool:
    """Whether the start commands of a node wait until their frame is out: they take longer than one in the median.

    Of another node a command that was interrupted for as long would look the same.
    """
    took = np.subtract(*(events.samples[at] for at in _commands(events, positions_of)[::-1]))
    return len(took) > 0 and bool(np.median(took) >= _shortest(events))


def waiting_commands(events: Events, positions_of: PositionsOf) -> tuple[Positions, Positions]:
    """Of a node that waits, positions of start commands that did so until their frame was out, and of their ends."""
    enters, ends = _commands(events, positions_of)
    waited = events.samples[ends] - events.samples[enters] >= _shortest(events)
    return enters[waited], ends[waited]


def _commands(events: Events, positions_of: PositionsOf) -> tuple[Positions, Positions]:
    """Begins and ends of the start commands that have both."""
    enters, exits = (positions_of(f"driver.exec.{side}") for side in ("enter", "exit"))
    place = np.searchsorted(exits, enters)
    ends = np.append(exits, -1)[np.minimum(place, len(exits))]
    following = np.append(enters[1:], len(events))[: len(enters)]
    closed = (ends >= 0) & (ends < following)
    return enters[closed], ends[closed]


def _shortest(events: Events) -> int:
    return int(Fraction(SHORTEST_FRAME_NS, 1_000_000_000) * events.samplerate_hz)


def unreported_commands(events: Events, positions_of: PositionsOf, ends: Positions) -> tuple[Positions, Positions]:
    """Those of `waiting_commands` within which no event, of `ends`, reports the end of the transmission."""
    begun, over = waiting_commands(events, positions_of)
    unreported = np.searchsorted(ends, begun) == np.searchsorted(ends, over)
    return begun[unreported], over[unreported]


def links(positions_of: PositionsOf, reported: Positions, since: Positions) -> dict[str, Positions]:
    """The rise of the line and the interrupt service routine of each reported end, -1 for none.

    Parameters
    ----------
    reported
        int64[k], increasing: positions of the ends.
    since
        int64[k], of the end of a start command the position of its begin, -1 for other ends.
    """
    read = _latest(positions_of(READ), reported)
    previous = np.concatenate([[-1], reported[:-1]])[: len(reported)]
    begins = np.where((read > previous) & (since < 0), read, reported)
    bound = np.maximum(np.concatenate([[-1], begins[:-1]])[: len(reported)], since)
    rises, routines = positions_of(IRQ), positions_of(ISR)
    rise = _later(_latest(rises, begins), bound)
    if not len(rises):
        bound = np.maximum(bound, _latest(positions_of(LISTEN), begins))
    before = _later(_latest(routines, begins), np.maximum(bound, rise))
    if len(rises):
        before = np.where(rise >= 0, before, -1)  # it answers the rise of another end
    place = np.searchsorted(routines, rise)
    after = np.append(routines, -1)[np.minimum(place, len(routines))]
    answers = (before < 0) & (rise >= 0) & (after >= 0) & (_latest(rises, after) == rise)
    return {ISR: np.where(answers, after, before), IRQ: rise}


def after_this_sample(events: Events, positions: Positions) -> Positions:
    """The first position of a later sample than that of each position, or the last one."""
    later = np.searchsorted(events.samples, events.samples[positions], side="right")
    return np.minimum(later, len(events) - 1)


def _latest(candidates: Positions, before: Positions) -> Positions:
    """The latest candidate before each position, -1 for none."""
    return np.append(candidates, -1)[np.searchsorted(candidates, before) - 1]


def _later(positions: Positions, bound: NDArray[np.int64]) -> Positions:
    """Positions that are after a bound, -1 in place of the others."""
    return np.where(positions > bound, positions, -1)
