"""Parts of the radio wait: what was on the air between the command to send and the first bit of the frame received."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis.columns import names, table
from gpiorig.analysis.delays.components import Component, rectangular
from gpiorig.analysis.delays.instruments import Instruments, Pin
from gpiorig.analysis.delays.part_names import PART_NAMES
from gpiorig.analysis.delays.uncertainty import DelayUncertainty, for_delay
from gpiorig.analysis.events.completions import FRAME_TIMESTAMP
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.routes import Route

Samples = NDArray[np.int64]
Flags = NDArray[np.bool_]
ATTEMPTS, ACKNOWLEDGEMENTS, OTHERS, BACKOFF, AGAIN, UNDIVIDED, REPEATED = range(7)
COLUMNS = ("attempts", "acknowledgements", "others", "backoff", "again", "undivided", "repeated")
RETRANSMISSION = [ATTEMPTS, ACKNOWLEDGEMENTS, AGAIN, REPEATED]  # what a packet waits because its frame is sent again


@dataclass(frozen=True, slots=True, eq=False)
class RadioParts:
    """One radio wait of a route, divided; the rows are the packets of the route.

    Parameters
    ----------
    column
        Place of the step in the route.
    attempts, acknowledgements, others, backoff, again, undivided, repeated
        int64[k] each, samples; they add up to the step. `backoff` is that before the first attempt, `again` that of
        later ones. Of a wait that is not divided `undivided` is what comes before the first attempt, `repeated` the
        rest; where no line shows the first attempt, it comes after the mean wait of the packets sent once.
    attempt_count
        int64[k], frames on the air that the first consists of; 0 where the wait is not divided.
    notes
        What cannot be seen, and how many packets are not divided for which reason; a sentence each.
    spread
        Samples: standard deviation of the waits that stand for those before a first attempt that no line shows.
    """

    column: int
    attempts: Samples
    acknowledgements: Samples
    others: Samples
    backoff: Samples
    again: Samples
    undivided: Samples
    repeated: Samples
    attempt_count: Samples
    notes: tuple[str, ...] = ()
    spread: float = 0.0

    @property
    def by_part(self) -> tuple[Samples, ...]:
        """int64[k] each, the parts in the order of `PART_NAMES`."""
        return tuple(getattr(self, column) for column in COLUMNS)

    @property
    def samples(self) -> Samples:
        """int64[k, 7], the parts in the order of `PART_NAMES`."""
        return np.column_stack(self.by_part)

    @property
    def retransmission(self) -> Samples:
        """int64[k], what each packet waits because its frame is sent again."""
        return functools.reduce(np.add, [self.by_part[place] for place in RETRANSMISSION])

    @property
    def divided(self) -> Flags:
        """bool[k], packets whose wait is divided."""
        known: Flags = (self.undivided == 0) & (self.repeated == 0)
        return known


def uncertainties(parts: RadioParts, route: Route, instruments: Instruments) -> tuple[DelayUncertainty, ...]:
    """The uncertainty of each part of a packet that has it, in the order of `PART_NAMES`; `delay_ns` is their mean.

    A frame lasts complete bytes, and all frames of a wait share the constant between their first bit and the line's
    rise. So a part is off by that constant and by two edges, once, however many frames it has. Where the first attempt
    of a packet shows on no line, what comes before it and after it is off by a backoff.
    """
    step, next_step = route.steps.steps[parts.column : parts.column + 2]
    receiver = next_step.nodes[-1]
    line, node = f"{receiver}.{FRAME_TIMESTAMP.removesuffix('.enter')}", instruments.node(receiver)
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
        edges = for_delay(
            f"{step.name}: {name}", mean_ns, start=Pin(line, "rise"), end=Pin(line, "fall"), instruments=instruments
        )
        components = (*edges.components, constant, rounding)
        if parts.spread and name in (PART_NAMES[UNDIVIDED], PART_NAMES[REPEATED]):
            waits = "standard deviation of the packets sent once"
            components += (Component("first attempt, on no line", parts.spread * period_ns, "A", waits),)
        return replace(edges, components=components)

    return tuple(of_part(name, samples) for name, samples in zip(PART_NAMES, parts.by_part, strict=True))


def by_name(waits: Sequence[RadioParts], route: Route) -> dict[str, Samples]:
    """int64[k] by ``STEP: PART``, the parts that some packet has: what `assert` and `compare` can name."""
    steps = route.steps.steps
    every = {
        f"{steps[wait.column].name}: {name}": samples
        for wait in waits
        for name, samples in zip(PART_NAMES, wait.by_part, strict=True)
    }
    return {name: samples for name, samples in every.items() if samples.any()}


def as_table(waits: Sequence[RadioParts], route: Route, *, part: slice = slice(None)) -> pa.Table:
    """One row per packet and wait; `part` of them."""
    packet, place = np.divmod(np.arange(*part.indices(len(route) * len(waits))), max(1, len(waits)))
    steps = {i: route.steps.steps[wait.column].name for i, wait in enumerate(waits)}
    columns = {
        f"{name}_samples": np.stack([getattr(wait, name)[packet] for wait in waits])[place, np.arange(len(packet))]
        for name in COLUMNS
    }
    rows = {"packet_row": route.steps.rows[packet].astype(np.int32), "step": names(place, steps)}
    return table(rows | columns, route.steps.samplerate_hz)
