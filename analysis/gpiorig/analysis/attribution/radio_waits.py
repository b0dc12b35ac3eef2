"""Radio waits divided into their parts, by the frames on the air around them.

The time of a wait is divided by the frames that the pins show, in this order: an earlier attempt of the packet on the
air; the wait for an acknowledgement after it; another node's frame on the air; and the rest, which is the backoff with
the channel assessments, the turn-around of the radio and the time of its driver. A packet whose wait cannot be divided
counts as such, with all of its wait.

Packets that met nothing on the air show how long one backoff may be, if the radio repeats frames alone: where they lie
on a lattice, one off it, or beyond it, has an attempt or a frame in it that no line shows, and is not divided.

What comes after the first bit of the first attempt is waiting for a retransmission. Where no line shows that attempt,
the frame was repeated if the wait is longer than one backoff, and long enough for the frame and its acknowledgement,
and no node but those of the route was sending; its first attempt is then taken to come after the mean wait of the
packets sent once: a backoff does not determine the next one, so this is right on average.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from gpiorig.analysis.attribution import airtime, channel, frame_owners
from gpiorig.analysis.attribution.airtime import Flags, Intervals, Samples
from gpiorig.analysis.attribution.lattice import Lattice
from gpiorig.analysis.attribution.on_air import Air
from gpiorig.analysis.delays.instruments import Instruments
from gpiorig.analysis.delays.radio_parts import RadioParts
from gpiorig.analysis.events.completions import ACK_WAIT_NS
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.number_text import NS_PER_S, count_text, time_text
from gpiorig.analysis.packets.routes import Route
from gpiorig.capture import mapped

FIT_PACKETS = 2048  # packets for the lattice of the backoff, evenly over the run


def from_events(
    events: Events, route: Route, instruments: Instruments
) -> tuple[dict[str, Air], tuple[RadioParts, ...]]:
    """The frames around the radio waits of a route, by the name of the step, and the waits divided."""
    header_ns = {name: node.mark_ns for name, node in instruments.nodes.items()}
    air = frame_owners.for_route(events, route, header_ns=header_ns)
    return air, for_route(route, air)


def for_route(route: Route, air: dict[str, Air]) -> tuple[RadioParts, ...]:
    """The radio waits of a route, divided by the frames around them (`frame_owners.for_route`)."""
    if not air:
        return ()
    over = np.append(route.starts[1:], np.iinfo(np.int64).max)[: len(route)]
    ends = route.starts + route.totals
    ended = np.maximum.accumulate(ends)
    alone = (ends <= over) & (route.starts >= np.append(0, ended)[: len(route)])
    return tuple(
        _divided(column, air[step.name], alone) for column, step in enumerate(route.steps.steps) if step.name in air
    )


def _divided(column: int, air: Air, alone: Flags) -> RadioParts:
    begins, ends = air.begins, air.ends
    await_samples = int(Fraction(ACK_WAIT_NS, NS_PER_S) * air.samplerate_hz)
    own = air.attempts
    window = airtime.window_of(own.starts, begins, ends)
    until = np.minimum(own.ends + await_samples, np.where(window >= 0, ends[window], own.ends))
    awaited = airtime.union(own, Intervals(own.ends, np.maximum(until, own.ends)))
    foreign = airtime.union(air.others, air.unreceived)
    attempts = airtime.covered(own, begins, ends)
    acknowledgements = airtime.covered(awaited, begins, ends) - attempts
    busy = airtime.covered(airtime.union(awaited, foreign), begins, ends)
    others, backoff = busy - attempts - acknowledgements, ends - begins - busy
    reasons = _undivided(air, free=busy == 0)
    divided = ~np.logical_or.reduce(list(reasons.values()))
    firsts = _first_attempts(air, alone, divided, free=busy == 0)
    first = firsts.bits
    before = first - begins - airtime.covered(airtime.union(awaited, foreign), begins, first)
    divided_wait = RadioParts(
        column=column,
        attempts=attempts * divided,
        acknowledgements=acknowledgements * divided,
        others=others * divided,
        backoff=before * divided,
        again=(backoff - before) * divided,
        undivided=(first - begins) * ~divided,
        repeated=(ends - first) * ~divided,
        attempt_count=airtime.count_within(own, begins, ends) * divided,
        notes=_notes(air, reasons, firsts),
        spread=firsts.spread,
    )
    return mapped.settled(divided_wait)


class _Firsts(NamedTuple):
    """First bits of first attempts, int64[k]; those that no line shows, bool[k]; the spread of the latter, samples."""

    bits: Samples
    unseen: Flags
    spread: float


def _first_attempts(air: Air, alone: Flags, divided: Flags, *, free: Flags) -> _Firsts:
    """The first attempt of each packet, of a frame that was sent once its own.

    `alone` are packets during which no other one of the route was under way, `free` those that met nothing.
    """
    place = np.searchsorted(air.attempts.starts, air.begins)
    seen = np.minimum(np.append(air.attempts.starts, np.iinfo(np.int64).max)[place], air.ends)
    delays = air.ends - air.begins
    levels = None if air.commanded else _levels(delays, free & divided)
    if levels is None:
        return _Firsts(np.where(divided, seen, air.ends), np.zeros(len(seen), dtype=np.bool_), 0.0)
    once = delays[free & divided & levels.on_levels(delays)]
    again = air.lengths + int(Fraction(ACK_WAIT_NS, NS_PER_S) * air.samplerate_hz)
    others = airtime.count_within(air.others, air.begins, air.begins + int(levels.beyond)) > 0
    repeated = (delays > levels.beyond) & (delays >= int(once.min()) + again) & ~others & ~air.foreign & alone
    shown = seen - air.begins <= levels.beyond
    unseen = ~divided & repeated & ~shown
    usual = np.minimum(round(float(once.mean())), delays - again)
    bits = np.where(divided | (repeated & shown), seen, np.where(unseen, air.begins + usual, air.ends))
    return _Firsts(bits, unseen, float(once.std()) if unseen.any() else 0.0)


def _levels(delays: Samples, free: Flags) -> Lattice | None:
    """The levels of one backoff, from packets that met nothing; None where they are not evident."""
    rows = np.flatnonzero(free)
    return channel.backoff_levels(delays[rows[:: -(-len(rows) // FIT_PACKETS)]]) if len(rows) else None


def _undivided(air: Air, *, free: Flags) -> dict[str, Flags]:
    """bool[k] by reason, packets whose wait cannot be divided; a packet has one reason."""
    reasons = {
        "another node sent a frame that the receiver did not receive": air.hidden,
        "a frame may be the packet's own or another node's": air.unclear & ~air.hidden,
        "another node was sending, and no line shows its frames": air.unseen & ~air.unclear & ~air.hidden,
    }
    if not air.commanded:
        unknown = air.hidden | air.unclear | air.unseen
        unexplained = _longer_than_a_backoff(air.ends - air.begins, free & ~unknown)
        reasons["no line shows a frame, and the wait is not one backoff"] = unexplained
    return reasons


def _longer_than_a_backoff(delays: Samples, free: Flags) -> Flags:
    """bool[k], packets that met nothing and lie off the levels of one backoff; none without such levels."""
    levels = _levels(delays, free)
    if levels is None:
        return np.zeros(len(delays), dtype=np.bool_)
    return free & ~levels.on_levels(delays)


def _notes(air: Air, reasons: dict[str, Flags], firsts: _Firsts) -> tuple[str, ...]:
    seen = "The driver's commands show every attempt."
    if not air.commanded:
        seen = "The radio repeats frames without its driver: an attempt that no line shows is part of the backoff."
    count = count_text(len(air.begins), "packet")
    left = [
        f"Not divided: {int(np.count_nonzero(flags))} of {count}: {reason}."
        for reason, flags in reasons.items()
        if flags.any()
    ]
    if firsts.unseen.any():
        period_ns = float(NS_PER_S / air.samplerate_hz)
        usual = time_text(float(np.median((firsts.bits - air.begins)[firsts.unseen])) * period_ns)
        left.append(
            f"Repeated, and the first attempt on no line: {np.count_nonzero(firsts.unseen)} of {count}; it is taken to "
            f"come after {usual}, the mean wait of the packets sent once."
        )
    return (seen, *left)
