"""The event log in a node's memory, compared with the pins record by record."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gpiorig.analysis.audit.audit import Matching
from gpiorig.analysis.audit.inputs import NodeRecord
from gpiorig.analysis.audit.node_times import NODE_TICK_HZ
from gpiorig.analysis.audit.packet_lines import pin_interval_ns
from gpiorig.analysis.audit.quantities import Quantity
from gpiorig.analysis.clocks import fit as fitting
from gpiorig.analysis.clocks import pairing
from gpiorig.analysis.clocks.fit import ClockFit
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.capture.edges.nanoseconds import nearest_ns


@dataclass(frozen=True, slots=True)
class OwnLog:
    """A node's event log against the pins.

    Parameters
    ----------
    matching
        Records and events.
    fit
        Its ticks against the analyzer.
    steps
        Intervals from one event to the next, by ticks and by pins.
    """

    matching: Matching
    fit: ClockFit
    steps: Quantity


def compared(events: Events, record: NodeRecord) -> OwnLog | None:
    """Compare a node's event log with its pins; None without an event log."""
    if record.log.event_log is None or not len(record.log.event_log):
        return None
    pairs = pairing.recorded(events, record.log)
    ns_per_tick = int(Fraction(NS_PER_S) / NODE_TICK_HZ)
    steps = Quantity(
        f"interval between logged events, {record.node}",
        pin_interval_ns(pairs.samples[:-1], pairs.samples[1:], events),
        {"node": np.diff(pairs.timestamps) * float(ns_per_tick)},
        missing=pairs.unmatched_timestamps,
    )
    return OwnLog(
        matching=Matching(
            node=record.node,
            what="records of the event log, on the pins",
            matched=len(pairs.samples),
            unmatched={
                "record without an event on the pins": pairs.unmatched_timestamps,
                "event on the pins without a record": pairs.unmatched_samples,
                "record that did not fit in the node's memory": record.log.event_log.lost,
            },
        ),
        fit=fitting.fit(
            pairs.timestamps * ns_per_tick,
            nearest_ns(pairs.samples, events.samplerate_hz),
            clock=f"node {record.node}, event log",
            reference=record.reference,
            quanta_ns=(float(ns_per_tick), float(NS_PER_S / events.samplerate_hz)),
        ),
        steps=steps,
    )
