"""Delays of a run that can be compared with those of other builds: by the radio's lines, the log and the pins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.delays.calibration import events_within
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets import timelines
from gpiorig.analysis.packets.timelines import Timelines
from gpiorig.analysis.probe_effect import landmarks
from gpiorig.analysis.probe_effect.landmarks import LANDMARKS, NAMES, Exchanges

Delays = NDArray[np.floating[Any]]

LOG, TAPS, PINS = "log", "taps", "events"
LOG_RESOLUTION_NS = 1000.0  # the firmware's timestamps are integer microseconds of its timer
ROUND_TRIP = "round trip"
MARK_TO_MARK = "request mark to reply mark"
REST = "initiator: stack and application"
_LAST_BUS_CODE = 127


@dataclass(frozen=True, slots=True, eq=False)
class Delay:
    """One delay of every packet of one run.

    Parameters
    ----------
    name, node
        Name of the delay and its node; no node for a time in the air.
    source
        `LOG` (the node's own timestamps), `TAPS` (the radio's lines) or `PINS` (events on the pins).
    ids, ns
        int32[p] and float64[p]: sequence numbers and delays.
    resolution_ns
        Largest error of a delay, in either direction.
    events
        Events on the symbol bus within it at its node, the median; of a round trip those on its path. -1 if unknown.
    """

    name: str
    node: str
    source: str
    ids: NDArray[np.int32]
    ns: Delays
    resolution_ns: float
    events: int = -1


def delays(
    events: Events,
    log: NodeLog,
    *,
    initiator: str,
    responder: str,
    interval_ns: int,
    lines: Timelines | None = None,
) -> tuple[Delay, ...]:
    """All delays of a run that can be compared with those of other builds.

    Parameters
    ----------
    events, log
        Events and log of the run; the log is the initiator's.
    initiator, responder, interval_ns
        As for `landmarks.find`.
    lines
        The timelines, if the pins show events; they cannot be compared with a build that shows none.
    """
    exchanges = landmarks.find(events, initiator=initiator, responder=responder, interval_ns=interval_ns)
    if len(exchanges.clean) != len(log.sequences):
        raise EventError(
            f"the radio's lines show {len(exchanges.clean)} ping-pongs, node `{initiator}` logged "
            f"{len(log.sequences)}. Use a quiet channel, and an interval of more than twice the round trip."
        )
    ids, nodes = log.sequences[exchanges.clean], {"initiator": initiator, "responder": responder}
    logged, tapped = logged_round_trip(log), _tapped(exchanges, events, ids, nodes)
    steps, rest = tapped[1:], []
    if {NAMES[0], NAMES[-1]} <= set(exchanges.names):
        outside = _events_outside(events, exchanges, ids, lines) if lines else -1
        rest = [_rest(logged, steps, outside)]
        if outside >= 0:
            logged = replace(logged, events=outside + sum(step.events for step in steps))
    shown = _timelined(lines, events, within=logged.events) if lines else []
    return (logged, *tapped, *rest, *shown)


def without_landmarks(events: Events, log: NodeLog, *, lines: Timelines | None = None) -> tuple[Delay, ...]:
    """As `delays`, where the radio's lines do not cut the round trips: those of the log and of events on the pins."""
    return (logged_round_trip(log), *(_timelined(lines, events, within=-1) if lines else []))


def logged_round_trip(log: NodeLog) -> Delay:
    """The round trip by the node's own timestamps, which a build without probes has, too."""
    good = ~log.lost & (log.received_us >= 0) & (log.sent_us >= 0)
    us = (log.received_us[good] - log.sent_us[good]) % (1 << 32)
    return Delay(ROUND_TRIP, log.node, LOG, log.sequences[good], us * 1e3, LOG_RESOLUTION_NS)


def _tapped(exchanges: Exchanges, events: Events, ids: NDArray[np.int32], nodes: Mapping[str, str]) -> list[Delay]:
    """The turn-around, and the steps between landmarks, with the events that their nodes sent meanwhile."""
    period_ns = NS_PER_S / float(events.samplerate_hz)
    place = {name: column for column, name in enumerate(exchanges.names)}

    def delay(name: str, start: str, end: str, at: list[str]) -> Delay:
        first, last = (exchanges.samples[:, place[landmark]] for landmark in (start, end))
        within = sum(_events_between(events, node, first, last) for node in at)
        return Delay(name, at[0] if len(at) == 1 else "", TAPS, ids, (last - first) * period_ns, period_ns, within)

    result = [delay(MARK_TO_MARK, "request.mark", "reply.mark", [nodes["responder"]])]
    present = [row for row, (name, _, _) in enumerate(LANDMARKS) if name in place]
    for start, end in pairwise(present):
        # A landmark without a line joins the steps on both sides.
        joined = LANDMARKS[start + 1 : end + 1]
        name = " \N{HORIZONTAL ELLIPSIS} ".join(dict.fromkeys((joined[0][1], joined[-1][1])))
        at = sorted({nodes[role] for _, _, role in joined if role})
        result.append(delay(name, LANDMARKS[start][0], LANDMARKS[end][0], at))
    return result


def _events_between(events: Events, node: str, first: NDArray[np.int64], last: NDArray[np.int64]) -> int:
    sent = events.samples[(events.nodes == events.node(node)) & (events.codes <= _LAST_BUS_CODE)]
    counts = np.searchsorted(sent, last) - np.searchsorted(sent, first)
    return int(np.median(counts)) if len(counts) else -1


def _events_outside(events: Events, exchanges: Exchanges, ids: NDArray[np.int32], lines: Timelines) -> int:
    """Events of the initiator before the first landmark of a packet and after its last."""
    _, here, there = np.intersect1d(ids, lines.ids[lines.timelined], return_indices=True)
    first, last = (lines.samples[lines.timelined][there, column] for column in (0, -1))
    down = _events_between(events, lines.initiator, first, exchanges.samples[here, 0])
    return down + _events_between(events, lines.initiator, exchanges.samples[here, -1], last)


def _rest(logged: Delay, steps: list[Delay], events: int) -> Delay:
    """The part of the round trip outside the landmarks: the initiator's stack and application, down and up."""
    ids, here, there = np.intersect1d(logged.ids, steps[0].ids, return_indices=True)
    ns = logged.ns[here] - np.sum([step.ns for step in steps], axis=0)[there]
    return Delay(REST, logged.node, LOG, ids, ns, logged.resolution_ns, events)


def _timelined(lines: Timelines, events: Events, *, within: int) -> list[Delay]:
    """Round trip, with `within` events in it, and steps as the events on the pins show them."""
    period_ns = NS_PER_S / float(lines.samplerate_hz)
    steps = timelines.steps(lines)
    counts = events_within(events, lines, steps)
    good = lines.timelined
    rtt = Delay(ROUND_TRIP, lines.initiator, PINS, lines.ids[good], lines.rtt[good] * period_ns, period_ns, within)
    ids = lines.ids[lines.complete]
    return [rtt] + [
        Delay(step.name, step.node, PINS, ids, steps.samples[:, column] * period_ns, period_ns, int(counts[column]))
        for column, step in enumerate(steps.steps)
    ]
