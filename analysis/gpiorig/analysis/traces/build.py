"""The trace of a recording: spans, instants, round trips, queues and the air as slices and counters."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_CODE, BY_NAME, EVENT_TYPES
from gpiorig.analysis.packets import spans
from gpiorig.analysis.packets.path import DIRECTIONS
from gpiorig.analysis.packets.steps import Step
from gpiorig.analysis.packets.timelines import LOST, NONE, STATUS, Timelines
from gpiorig.analysis.traces.trace import Counter, Slice, Trace, Track
from gpiorig.capture.edges.nanoseconds import nearest_ns

PACKETS, AIR, CAPTURE = "packets", "air", "capture"  # processes that are not nodes
ROUND_TRIPS, STEPS = "round trips", "steps"
DAMAGED = "damaged frame"
_LAYERS = tuple(dict.fromkeys(event.layer for event in sorted(EVENT_TYPES, key=lambda item: item.layer == "rig")))
IDLE = 0  # id in sched.switch: no thread runs
_SWITCH = BY_NAME["sched.switch"].code
_THREAD_ENDS = {_SWITCH, BY_NAME["sched.sleep.enter"].code}
_QUEUE_STEPS = {BY_NAME["queue.post"].code: 1, BY_NAME["queue.fetch"].code: -1}


def build(analysis: Analysis, *, note: str = "") -> Trace:
    """Build the trace of a recording."""
    events, lines = analysis.events, analysis.timelines
    trace = Trace(events.samplerate_hz, events.start, note)
    if lines is not None:
        _round_trips(trace, lines)
        _in_flight(trace, lines)
    drawn = _spans(events, analysis.packet_of, set() if lines is None else _on_path(lines))
    for node, name in enumerate(events.node_names):
        for layer in _LAYERS:
            here = drawn.get((node, layer), [])
            _add(trace, Track(name, layer), here)
        _threads(trace, events, node)
        at = events.damaged.samples[events.damaged.nodes == node].tolist()
        _add(trace, Track(name, "symbol bus"), [Slice(0, position, position, DAMAGED, instant=True) for position in at])
        _queues(trace, events, node)
        if lines is not None and name == lines.initiator:
            _air(trace, lines)  # shown between the nodes
    lost = [Slice(0, first, last, "samples lost") for first, last in events.gaps.tolist()]
    _add(trace, Track(CAPTURE, "analyzer"), lost)
    return trace


def _add(trace: Trace, track: Track, slices: list[Slice]) -> None:
    """Add slices to a track, and to further lanes of it where they do not nest."""
    lanes: list[tuple[int, list[int]]] = []  # its track, and the ends of its open slices
    for slice_part in sorted(slices, key=lambda one: (one.start, -one.end)):
        lane = next((lane for lane in lanes if _fits(lane[1], slice_part)), None)
        if lane is None:
            name = track.name if not lanes else f"{track.name} ({len(lanes) + 1})"
            lane = (len(trace.tracks), [])
            trace.tracks.append(Track(track.process, name))
            lanes.append(lane)
        if not slice_part.instant:
            lane[1].append(slice_part.end)
        trace.slices.append(_on(slice_part, lane[0]))


def _fits(ends: list[int], part: Slice) -> bool:
    while ends and ends[-1] <= part.start:
        ends.pop()
    return not ends or part.end <= ends[-1]


def _on(part: Slice, track: int) -> Slice:
    return replace(part, track=track)


def _on_path(lines: Timelines) -> set[tuple[int, str, int]]:
    """Packet row, event and sample of all milestones."""
    return {
        (row, milestone.event, sample)
        for column, milestone in enumerate(lines.milestones)
        for row, sample in zip(lines.packets.tolist(), lines.samples[:, column].tolist(), strict=True)
        if sample != NONE
    }


def _spans(
    events: Events, rows: NDArray[np.int32], on_path: set[tuple[int, str, int]]
) -> dict[tuple[int, str], list[Slice]]:
    """Spans and instants of every node and layer; the flow of a packet passes those that begin with a milestone."""
    slices: dict[tuple[int, str], list[Slice]] = {}
    enters, exits = spans.pairs(events)
    samples, codes, ids = events.samples.tolist(), events.codes.tolist(), events.ids.tolist()
    nodes, packet_rows = events.nodes.tolist(), rows.tolist()
    spanned = np.zeros(len(events), dtype=bool)
    spanned[enters] = spanned[exits] = True
    for enter, leave in zip(enters.tolist(), exits.tolist(), strict=True):
        event = BY_CODE[codes[enter]]
        row = max(packet_rows[enter], packet_rows[leave])
        flow = row if (row, event.name, samples[enter]) in on_path else NONE
        facts = _facts(samples[enter], max(ids[enter], ids[leave]), row)
        name = event.name.removesuffix(".enter")
        part = Slice(0, samples[enter], samples[leave], name, flow, facts, category=event.layer)
        slices.setdefault((nodes[enter], event.layer), []).append(part)
    for position in np.flatnonzero(~spanned).tolist():
        event = BY_CODE[codes[position]]
        facts = _facts(samples[position], ids[position], packet_rows[position])
        at = samples[position]
        part = Slice(0, at, at, event.name, NONE, facts, instant=True, category=event.layer)
        slices.setdefault((nodes[position], event.layer), []).append(part)
    return slices


def _facts(sample: int, identity: int, row: int) -> dict[str, int | str]:
    facts: dict[str, int | str] = {"sample": sample}
    if identity >= 0:
        facts["id"] = identity
    if row >= 0:
        facts["packet row"] = row
    return facts


def _round_trips(trace: Trace, lines: Timelines) -> None:
    """A slice for each packet from its first to its last known milestone, and the steps between on tracks by way.

    Packets that are under way at once are in lanes of their own, their steps in those of the same number.
    """
    names: dict[tuple[int, int], Step] = {}
    ends: list[int] = []  # of each lane: the end of its last packet
    packets: list[tuple[int, Slice]] = []  # with its lane
    steps: dict[str, list[tuple[int, Slice]]] = {}
    for row, samples in enumerate(lines.samples.tolist()):
        known = [column for column, sample in enumerate(samples) if sample != NONE]
        start, end = min(samples[column] for column in known), max(samples[column] for column in known)
        lane = next((place for place, free in enumerate(ends) if free <= start), len(ends))
        ends[lane : lane + 1] = [end]
        status, identity, packet = int(lines.status[row]), int(lines.ids[row]), int(lines.packets[row])
        about: dict[str, int | str] = {"id": identity, "packet row": packet, "sample": start, "status": STATUS[status]}
        title = f"packet {identity}" + (" lost" if status == LOST else "")
        packets.append((lane, Slice(0, start, end, title, facts=about, category=PACKETS)))
        for before, after in pairwise(known):
            if (before, after) not in names:
                names[before, after] = lines.step(before, after)
            step = names[before, after]
            if samples[before] > samples[after]:
                break  # out of order, as in the status
            facts: dict[str, int | str] = {"id": identity, "packet row": packet, "sample": samples[before]}
            facts |= {"node": step.node, "kind": step.kind.text}
            part = Slice(0, samples[before], samples[after], step.short, facts=facts, category=step.kind.value)
            steps.setdefault(step.way or STEPS, []).append((lane, part))
    for name, parts in ((ROUND_TRIPS, packets), *steps.items()):
        for lane in range(len(ends)):
            of_lane = [part for place, part in parts if place == lane]
            _add(trace, Track(PACKETS, name if not lane else f"{name} ({lane + 1})"), of_lane)


def _in_flight(trace: Trace, lines: Timelines) -> None:
    """How many packets are under way, and the round-trip times, each at its packet's end."""
    known = lines.samples != NONE
    starts = np.where(known, lines.samples, np.iinfo(np.int64).max).min(axis=1)
    ends = lines.samples.max(axis=1)
    samples = np.concatenate([starts, ends])
    changes = np.concatenate([np.ones(len(starts), dtype=np.int64), -np.ones(len(ends), dtype=np.int64)])
    _count(trace, Track(PACKETS, "in flight", "packets"), samples, changes)
    timelined = lines.timelined
    order = np.argsort(ends[timelined], kind="stable")
    rtt_ns = nearest_ns(lines.rtt[timelined][order], lines.samplerate_hz)
    _counter(trace, Track(PACKETS, "round-trip time", "ns"), ends[timelined][order], rtt_ns)


def _threads(trace: Trace, events: Events, node: int) -> None:
    """A track for each thread that a node's kernel switches to: from the switch to the next one, or to sleep."""
    here = np.flatnonzero((events.nodes == node) & np.isin(events.codes, list(_THREAD_ENDS)))
    samples, codes, ids = (column[here].tolist() for column in (events.samples, events.codes, events.ids))
    period = np.searchsorted(events.gaps[:, 1], events.samples[here], side="right").tolist()
    threads: dict[int, list[Slice]] = {}
    for place, (start, end) in enumerate(pairwise(samples)):
        if codes[place] == _SWITCH and ids[place] != IDLE and period[place] == period[place + 1]:
            facts: dict[str, int | str] = {"sample": start, "id": ids[place]}
            threads.setdefault(ids[place], []).append(Slice(0, start, end, "runs", facts=facts, category="thread"))
    for thread, slices in sorted(threads.items()):
        _add(trace, Track(events.node_names[node], f"thread {thread}"), slices)


def _queues(trace: Trace, events: Events, node: int) -> None:
    """How many messages each queue of a node holds, counted from the least it held."""
    here = (events.nodes == node) & np.isin(events.codes, list(_QUEUE_STEPS))
    for queue in np.unique(events.ids[here]).tolist():
        of_queue = here & (events.ids == queue)
        steps = np.array([_QUEUE_STEPS[code] for code in events.codes[of_queue].tolist()], dtype=np.int64)
        name = f"queue {queue}" if queue >= 0 else "queue"
        _count(trace, Track(events.node_names[node], name, "messages"), events.samples[of_queue], steps)


def _count(trace: Trace, track: Track, samples: NDArray[np.int64], changes: NDArray[np.int64]) -> None:
    """Add the counter of a sum of changes, from its least value on as 0; changes at one sample are one."""
    at, place = np.unique(samples, return_inverse=True)
    total = np.cumsum(np.bincount(place, weights=changes, minlength=len(at)).astype(np.int64))
    _counter(trace, track, at, total - min(0, int(total.min(initial=0))))


def _counter(trace: Trace, track: Track, samples: NDArray[np.int64], values: NDArray[np.int64]) -> None:
    if len(samples):
        trace.counters.append(Counter(len(trace.tracks), samples, values))
        trace.tracks.append(track)


def _air(trace: Trace, lines: Timelines) -> None:
    """Frames on the air: from the first bit to the receiver's interrupt, of the packets that show both."""
    names = [milestone.name for milestone in lines.milestones]
    for direction in DIRECTIONS:
        wanted = (f"{direction}.air.start", f"{direction}.irq")
        if not set(wanted) <= set(names):
            continue
        slices = []
        starts, ends = (lines.column(name) for name in wanted)
        for row in np.flatnonzero((starts != NONE) & (ends >= starts)).tolist():
            identity, start = int(lines.ids[row]), int(starts[row])
            facts: dict[str, int | str] = {"sample": start, "id": identity, "packet row": int(lines.packets[row])}
            name = f"{direction} {identity}"
            slices.append(Slice(0, start, int(ends[row]), name, int(lines.packets[row]), facts, category=AIR))
        _add(trace, Track(AIR, direction), slices)
