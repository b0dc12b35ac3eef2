"""Parts of the radio wait: what was on the air between the command to send and the first bit of the frame received.

The time of a wait is divided by what the pins show of it, in this order: an earlier attempt of the packet on the air;
the wait for an acknowledgement after it; another node's frame on the air; and the rest, which is the backoff with the
channel assessments, the turn-around of the radio and the time of its driver. A packet whose wait cannot be divided
counts as such, with all of its wait.

Packets that met nothing on the air show how long one backoff may be, if the radio repeats by itself: where they lie on
a lattice, one that lies off it, or beyond it, has an attempt or a frame in it that no line shows, and is not divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pyarrow as pa

from gpiorig.analysis.attribution import airtime, channel, frame_owners
from gpiorig.analysis.attribution.airtime import Flags, Intervals, Samples
from gpiorig.analysis.attribution.frame_owners import ACK_WAIT_NS, TAP
from gpiorig.analysis.attribution.on_air import Air
from gpiorig.analysis.columns import names, table
from gpiorig.analysis.delays.instruments import Instruments, Pin
from gpiorig.analysis.delays.uncertainty import Component, DelayUncertainty, of_delay, rectangular
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.quantity import NS_PER_S, count_text

ATTEMPTS, ACKNOWLEDGEMENTS, OTHERS, BACKOFF, UNDIVIDED = range(5)
NAMES = ("earlier attempts", "acknowledgements awaited", "other nodes' frames", "backoff", "not divided")
COLUMNS = ("attempts", "acknowledgements", "others", "backoff", "undivided")
FIT_PACKETS = 2048  # packets of which the lattice of the backoff is taken, evenly over the run


@dataclass(frozen=True, slots=True, eq=False)
class RadioParts:
    """One radio wait of a route, divided; the rows are the packets of the route.

    Parameters
    ----------
    column
        Place of the step in the route.
    attempts, acknowledgements, others, backoff, undivided
        int64[k] each, samples; they add up to the step.
    attempt_count, other_count
        int64[k], frames on the air that the first and the third consist of; 0 where the wait is not divided.
    notes
        What cannot be seen, and how many packets are not divided for which reason; a sentence each.
    """

    column: int
    attempts: Samples
    acknowledgements: Samples
    others: Samples
    backoff: Samples
    undivided: Samples
    attempt_count: Samples
    other_count: Samples
    notes: tuple[str, ...] = ()

    @property
    def samples(self) -> Samples:
        """int64[k, 5], the parts in the order of `NAMES`."""
        return np.column_stack([self.attempts, self.acknowledgements, self.others, self.backoff, self.undivided])

    @property
    def divided(self) -> Flags:
        """bool[k], packets whose wait is divided."""
        known: Flags = self.undivided == 0
        return known


def from_events(
    events: Events, route: Route, instruments: Instruments
) -> tuple[dict[str, Air], tuple[RadioParts, ...]]:
    """The frames around the radio waits of a route, by the name of the step, and the waits divided."""
    header_ns = {name: node.mark_ns for name, node in instruments.nodes.items()}
    air = frame_owners.for_route(events, route, header_ns=header_ns)
    return air, for_route(route, air)


def for_route(route: Route, air: dict[str, Air]) -> tuple[RadioParts, ...]:
    """The radio waits of a route, divided by the frames around them (`frame_owners.for_route`)."""
    return tuple(_divided(column, air[step.name]) for column, step in enumerate(route.steps.steps) if step.name in air)


def uncertainties(parts: RadioParts, route: Route, instruments: Instruments) -> tuple[DelayUncertainty, ...]:
    """The uncertainty of each part of a packet that has it, in the order of `NAMES`; `delay_ns` is the mean of these.

    A frame lasts whole octets, and all frames of a wait share the constant between their first bit and the line's rise.
    So a part is off by that constant and by two edges, once, however many frames it has.
    """
    step, next_step = route.steps.steps[parts.column : parts.column + 2]
    receiver = next_step.node.split(" > ")[-1]
    line, node = f"{receiver}.{TAP}", instruments.node(receiver)
    constant = Component(
        "first bit on the air", rectangular(node.mark_uncertainty_ns), "B", node.mark_source or "unknown"
    )
    rounding = Component(
        "first bit on the air, rounded to a sample", instruments.mark_rounding_ns(receiver), "B", "the rounding itself"
    )
    period_ns = float(NS_PER_S / route.steps.samplerate_hz)

    def of_part(name: str, samples: Samples) -> DelayUncertainty:
        own = samples[samples > 0]
        mean_ns = float(own.mean()) * period_ns if len(own) else 0.0
        edges = of_delay(
            f"{step.name}: {name}", mean_ns, start=Pin(line, "rise"), end=Pin(line, "fall"), instruments=instruments
        )
        return replace(edges, components=(*edges.components, constant, rounding))

    return tuple(of_part(name, samples) for name, samples in zip(NAMES, parts.samples.T, strict=True))


def _divided(column: int, air: Air) -> RadioParts:
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
    return RadioParts(
        column=column,
        attempts=attempts * divided,
        acknowledgements=acknowledgements * divided,
        others=others * divided,
        backoff=backoff * divided,
        undivided=(ends - begins) * ~divided,
        attempt_count=airtime.count_within(own, begins, ends) * divided,
        other_count=airtime.count_within(foreign, begins, ends) * divided,
        notes=_notes(air, reasons),
    )


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
    rows = np.flatnonzero(free)
    levels = channel.backoff_levels(delays[rows[:: -(-len(rows) // FIT_PACKETS)]]) if len(rows) else None
    if levels is None:
        return np.zeros(len(delays), dtype=np.bool_)
    return free & ~levels.own(delays)


def _notes(air: Air, reasons: dict[str, Flags]) -> tuple[str, ...]:
    seen = "The driver's commands show every attempt."
    if not air.commanded:
        seen = "The radio repeats frames without its driver: an attempt that no line shows is part of the backoff."
    count = count_text(len(air.begins), "packet")
    left = [
        f"Not divided: {int(np.count_nonzero(flags))} of {count}: {reason}."
        for reason, flags in reasons.items()
        if flags.any()
    ]
    return (seen, *left)


def by_name(waits: Sequence[RadioParts], route: Route) -> dict[str, Samples]:
    """int64[k] by ``STEP: PART``, the parts that some packet has: what `assert` and `compare` can name."""
    steps = route.steps.steps
    every = {
        f"{steps[wait.column].name}: {name}": samples
        for wait in waits
        for name, samples in zip(NAMES, wait.samples.T, strict=True)
    }
    return {name: samples for name, samples in every.items() if samples.any()}


def as_table(waits: Sequence[RadioParts], route: Route, *, part: slice = slice(None)) -> pa.Table:
    """One row per packet and wait; `part` of them."""
    packet, place = np.divmod(np.arange(*part.indices(len(route) * len(waits))), max(1, len(waits)))
    steps = {i: route.steps.steps[wait.column].name for i, wait in enumerate(waits)}
    samples = np.stack([wait.samples[packet] for wait in waits], axis=1)[np.arange(len(packet)), place]
    columns = {f"{name}_samples": samples[:, i] for i, name in enumerate(COLUMNS)}
    rows = {"packet_row": route.steps.rows[packet].astype(np.int32), "step": names(place, steps)}
    return table(rows | columns, route.steps.samplerate_hz)


def stacked(parts: Sequence[RadioParts], packets: int) -> Samples:
    """int64[k, 5 n], the parts of all waits side by side."""
    none = np.zeros((packets, 0), dtype=np.int64)
    return np.concatenate([none, *(part.samples for part in parts)], axis=1)
