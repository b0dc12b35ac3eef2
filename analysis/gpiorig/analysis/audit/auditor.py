"""The audit: all clocks of a recording against each other, and the delays of the lines with their timestamps."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.audit import packet_lines, quantities, stages
from gpiorig.analysis.audit.comparisons import compare
from gpiorig.analysis.audit.inputs import NodeRecord
from gpiorig.analysis.audit.matching import NONE, same_text
from gpiorig.analysis.audit.node_times import CRYSTALS_PPM, NODE_TICK_HZ, NodeTimes, times
from gpiorig.analysis.audit.packet_lines import PacketTimestamps, pin_interval_ns
from gpiorig.analysis.audit.quantities import Quantity
from gpiorig.analysis.audit.results import Audit, Matching, Stage
from gpiorig.analysis.audit.stability import steadiness
from gpiorig.analysis.clocks import clock_fit as fitting
from gpiorig.analysis.clocks import pairing
from gpiorig.analysis.clocks.clock_fit import ClockFit
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.number_text import NS_PER_S, time_text
from gpiorig.capture.edges.nanoseconds import nearest_ns

UNSTEADY_NS = 10_000.0  # ten steps of the timestamps
SHORT_ROUND_US = 1 << 16


def audit(
    events: Events,
    records: Sequence[NodeRecord],
    *,
    round_trips: NDArray[np.bool_] | None = None,
) -> Audit:
    """Compare node timestamps and host timestamps with the pins.

    Nothing is guessed: entries without a partner are counted in `Audit.matchings`, and `Audit.notes` states what cannot
    be compared. A node whose log cannot be of this recording is named in `Audit.foreign` and omitted. The fits of the
    clocks are to the pins themselves, so that quantities over several nodes are as exact as these timestamps allow.

    Parameters
    ----------
    events
        Events on the pins.
    records
        Log of each node, and its lines at the host and on the pin as far as they were recorded.
    round_trips
        bool[n], events of the packets that make round trips; None if unknown.
    """
    nodes = [_node(record, events, round_trips) for record in records if record.node in events.node_names]
    known = [node.times for node in nodes if node.times is not None]
    own = [node.own_log for node in nodes if node.own_log is not None]
    measured = [quantity for node in known for quantity in quantities.from_node(node, events)]
    measured += quantities.between_nodes(known, events)
    unseen = [record.node for record in records if record.node not in events.node_names]
    return Audit(
        fits=(
            *(node.fit for node in known),
            *(fit for node in known if node.late is not None for fit in (node.late.fit, node.late.median)),
            *(clock.fit for clock in own),
        ),
        matchings=tuple(matching for node in nodes for matching in node.matchings),
        comparisons=tuple(
            comparison for quantity in (*measured, *(log.steps for log in own)) for comparison in compare(quantity)
        ),
        stages=tuple(stage for node in nodes for stage in node.stages),
        stability=tuple(steadiness(known, events)),
        notes=(
            *(note for node in nodes for note in node.notes),
            *(f"{node}: no pin of it was recorded, so its timestamps cannot be compared." for node in unseen),
            *_unknown_rates(known),
            *_not_by_host(measured, known),
        ),
        foreign=tuple(node.foreign for node in nodes if node.foreign),
        flags=(*_unsteady(known), *_set_clocks(known)),
    )


def times_of(
    events: Events,
    records: Sequence[NodeRecord],
    *,
    round_trips: NDArray[np.bool_] | None = None,
) -> dict[str, NodeTimes]:
    """The timestamps of each node's packet lines on every clock; without nodes whose log is of another recording."""
    nodes = [_node(record, events, round_trips) for record in records if record.node in events.node_names]
    return {node.times.packets.node: node.times for node in nodes if node.times is not None and not node.foreign}


@dataclass(frozen=True, slots=True)
class _Node:
    """Parts of an audit from one node."""

    matchings: tuple[Matching, ...]
    stages: list[Stage]
    own_log: OwnLog | None
    times: NodeTimes | None
    notes: tuple[str, ...]
    foreign: str


def _node(record: NodeRecord, events: Events, round_trips: NDArray[np.bool_] | None) -> _Node:
    on_pin = None
    if record.host is not None and record.pins is not None:
        on_pin = same_text(record.host.texts, record.pins.texts)
    packets, matching = packet_lines.match(events, record, on_pin, round_trips)
    reason = packet_lines.foreign(packets, events)
    notes = list(_gaps(record, packets, events))
    if reason:
        reason = f"{record.node}: this log is not of this recording: {reason}; its timestamps are omitted."
        packets = _without(packets)
    own_log = None if reason else compared(events, record)
    way, way_notes = stages.way(packets, record, on_pin, events)
    return _Node(
        matchings=(
            *(() if on_pin is None else (_lines(record, on_pin),)),
            matching,
            *(() if own_log is None else (own_log.matching,)),
        ),
        stages=way,
        own_log=own_log,
        times=times(packets, events, reference=record.reference) if (packets.seen != NONE).any() else None,
        notes=(*notes, *way_notes),
        foreign=reason,
    )


def _lines(record: NodeRecord, on_pin: NDArray[np.int64]) -> Matching:
    assert record.pins is not None
    matched = int(np.count_nonzero(on_pin != NONE))
    return Matching(
        node=record.node,
        what="lines at the host, on the pin",
        matched=matched,
        unmatched={
            "line at the host that is not on the pin": len(on_pin) - matched,
            "line on the pin that is not at the host": len(record.pins.texts) - matched,
        },
    )


def _gaps(record: NodeRecord, packets: PacketTimestamps, events: Events) -> Iterator[str]:
    """Notes on what a node's log does not allow."""
    if not len(record.log.lines):
        yield f"{record.node}: its log has no packet line, so its timer is not compared."
    elif not len(packets.calls.ids) + len(packets.arrivals.ids):
        yield f"{record.node}: the pins show no send call and no reception of it, so its timer is not compared."
    if record.host is None:
        yield f"{record.node}: its serial port was not recorded: no host timestamps."
    elif record.pins is None:
        yield f"{record.node}: its uart_tx is not on the analyzer: the delays of its lines are not divided into stages."
    boots = len(events.positions("rig.boot", node=events.node(record.node)))
    if max(boots, record.log.boots) > 1:
        yield f"{record.node}: {record.log.boots} boots in its log, {boots} on the pins; no interval spans one."


def _without(packets: PacketTimestamps) -> PacketTimestamps:
    none = np.full(len(packets.sent), NONE, dtype=np.int64)
    return dataclasses.replace(packets, sent=none, received=none)


def _unsteady(known: Sequence[NodeTimes]) -> Iterator[str]:
    """Node clocks that the fit does not follow."""
    for node in known:
        residual_ns = max((segment.residual_std_ns for segment in node.fit.segments), default=0.0)
        if not node.fit.segments:
            yield f"{node.packets.node}: its clock cannot be fitted: {node.fit.note}."
        elif residual_ns > UNSTEADY_NS:
            yield (
                f"{node.packets.node}: its clock wanders by {time_text(residual_ns)} (standard deviation); "
                "its times against other nodes' are no better."
            )


def _set_clocks(known: Sequence[NodeTimes]) -> Iterator[str]:
    """Clocks of nodes and of the host that were set or restarted."""
    for clock in known:
        node = clock.packets.node
        unreported = clock.fit.resets + 1 - len(np.unique(clock.packets.epochs[clock.packets.seen != NONE]))
        if unreported > 0:
            log = clock.packets.log
            why = "it was reset, or its timestamps are not of a timer of 32 bits"
            if max(log.sent_us.max(), log.received_us.max()) < SHORT_ROUND_US:
                why = "none of its timestamps reaches 65536, so they may be of a timer of 16 bits"
            often = "once" if unreported == 1 else f"{unreported} times"
            yield f"{node}: its clock restarted {often} without a boot line: {why}. Intervals across that are wrong."
        for at_ns, by_ns in clock.late.steps if clock.late is not None else ():
            yield (
                f"{node}: from {time_text(at_ns)} on the host's timestamps of its lines are {time_text(abs(by_ns))} "
                f"{'later' if by_ns > 0 else 'earlier'} than before: its clock was set, or the lines were held up. "
                "Intervals by host across that are off by as much."
            )


def _unknown_rates(known: Sequence[NodeTimes]) -> Iterator[str]:
    for node in known:
        if node.late is not None and node.late.fit.segments and not node.late.evened:
            yield (
                f"{node.packets.node}: the rate of the host's clock cannot be determined from its lines to better than "
                f"±{CRYSTALS_PPM:g} ppm; by minimum delay it is assumed to be the analyzer's."
            )


def _not_by_host(measured: Sequence[quantities.Quantity], known: Sequence[NodeTimes]) -> Iterator[str]:
    """Quantities that host timestamps cannot give, though lines were packets."""
    names = [quantity.name for quantity in measured if not np.isfinite(quantity.clocks.get("host", np.zeros(0))).any()]
    if names and any(node.host for node in known):
        yield (
            f"Not by host timestamps: {'; '.join(names)}. A line is of the last event that it reports: one of the "
            "two instants has no line of its own. Of round trips the setting `announce` of the firmware prints one."
        )


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
