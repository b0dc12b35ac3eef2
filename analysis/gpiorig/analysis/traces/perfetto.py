"""A trace as a Perfetto TrackEvent protobuf, for ui.perfetto.dev and trace_processor.

Nodes are processes, their layers and the threads of their kernels are threads; flows link the slices of a packet.
Source of the encoding: Perfetto's protos
(track_event.proto, track_descriptor.proto, clock_snapshot.proto), as the `perfetto` package has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb
from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder

from gpiorig.analysis.traces.trace import Counter, Slice, Trace, ordered, processes
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.edges.nanoseconds import nearest_ns, rounding_text

SUFFIXES = (".pftrace", ".perfetto-trace")
SEQUENCE = 1  # all packets are of one writer
REALTIME, BOOTTIME = 1, 6  # builtin_clock.proto
FIRST_TRACK = 1 << 32  # uuids of tracks; below are those of processes


def write(path: Path, trace: Trace, *, epoch_ns: int | None = None) -> str:
    """Write a trace; times are ns from the start of the recording.

    Parameters
    ----------
    path
        The file; replaced in one step when it is complete.
    trace
        The trace.
    epoch_ns
        Wall-clock time of the start, in ns since 1970-01-01 UTC, if it is known.

    Returns
    -------
    str
        Note on what was rounded.
    """
    with replacing(path) as new, new.open("wb") as file:
        builder = StreamingTraceProtoBuilder(file)
        builder.write_packet(_clocks(epoch_ns))
        for packet in _descriptors(trace):
            builder.write_packet(packet)
        for packet in _events(trace):
            builder.write_packet(packet)
    return rounding_text(trace.samplerate_hz)


def _packet() -> pb.TracePacket:
    packet = pb.TracePacket()
    packet.trusted_packet_sequence_id = SEQUENCE
    return packet


def _clocks(epoch_ns: int | None) -> pb.TracePacket:
    """The trace's clock begins with the recording; the wall clock at that instant goes with it."""
    packet = _packet()
    packet.sequence_flags = pb.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
    packet.timestamp = 0
    snapshot = packet.clock_snapshot
    snapshot.primary_trace_clock = BOOTTIME
    for clock, timestamp in ((BOOTTIME, 0), (REALTIME, epoch_ns)):
        if timestamp is not None:
            snapshot.clocks.add(clock_id=clock, timestamp=timestamp)
    return packet


def _descriptors(trace: Trace) -> Iterator[pb.TracePacket]:
    """Processes and threads in the order in which they are to be shown, and counters."""
    names = processes(trace.tracks)
    for number, name in enumerate(names, start=1):
        packet = _packet()
        descriptor = packet.track_descriptor
        descriptor.uuid = number
        descriptor.process.pid = number
        descriptor.process.process_name = name
        descriptor.process_ordering = pb.TrackDescriptor.PROCESS_ORDERING_EXPLICIT
        descriptor.thread_ordering = pb.TrackDescriptor.THREAD_ORDERING_EXPLICIT
        descriptor.sibling_order_rank = number
        if trace.note:
            descriptor.description = trace.note
            descriptor.process.process_labels.append(trace.note)
        yield packet
    for index, track in enumerate(trace.tracks):
        packet = _packet()
        descriptor = packet.track_descriptor
        descriptor.uuid = FIRST_TRACK + index
        descriptor.parent_uuid = names.index(track.process) + 1
        descriptor.sibling_order_rank = index
        if track.unit is None:
            descriptor.thread.pid = descriptor.parent_uuid
            descriptor.thread.tid = len(names) + 1 + index  # a thread whose number is its process's is its main thread
            descriptor.thread.thread_name = track.name
        else:
            descriptor.name = track.name
            if track.unit == "ns":
                descriptor.counter.unit = pb.CounterDescriptor.UNIT_TIME_NS
            else:
                descriptor.counter.unit_name = track.unit
        yield packet


def _events(trace: Trace) -> Iterator[pb.TracePacket]:
    """Slices, instants and counters; each flow ends with its last slice."""
    names: dict[str, int] = {}
    categories: dict[str, int] = {}
    flow_ends = trace.flow_ends()
    for timestamp, part, ends in ordered(trace):
        packet = _packet()
        packet.timestamp = timestamp
        event = packet.track_event
        event.track_uuid = FIRST_TRACK + part.track
        if ends:
            event.type = pb.TrackEvent.TYPE_SLICE_END
        else:
            event.type = pb.TrackEvent.TYPE_INSTANT if part.instant else pb.TrackEvent.TYPE_SLICE_BEGIN
            _describe(packet, part, trace, (names, categories))
            if part.flow in flow_ends:
                last = flow_ends[part.flow][1]
                (event.terminating_flow_ids if part is last else event.flow_ids).append(part.flow + 1)
        yield packet
    for counter in trace.counters:
        yield from _values(trace, counter)


def _describe(
    packet: pb.TracePacket, part: Slice, trace: Trace, interned: tuple[dict[str, int], dict[str, int]]
) -> None:
    """Name, category and facts; a name and a category are written once in the file."""
    names, categories = interned
    packet.sequence_flags = pb.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
    if part.name not in names:
        names[part.name] = len(names) + 1
        packet.interned_data.event_names.add(iid=names[part.name], name=part.name)
    packet.track_event.name_iid = names[part.name]
    if part.category:
        if part.category not in categories:
            categories[part.category] = len(categories) + 1
            packet.interned_data.event_categories.add(iid=categories[part.category], name=part.category)
        packet.track_event.category_iids.append(categories[part.category])
    facts = part.facts if part.instant else part.facts | {"duration_ns": _length_ns(part, trace)}
    for key, value in facts.items():
        annotation = packet.track_event.debug_annotations.add(name=key)
        if isinstance(value, int):
            annotation.int_value = value
        else:
            annotation.string_value = value


def _length_ns(part: Slice, trace: Trace) -> int:
    """Length of a slice to the nearest ns, not the difference of rounded ends."""
    return int(nearest_ns(np.array([part.end - part.start], dtype=np.int64), trace.samplerate_hz)[0])


def _values(trace: Trace, counter: Counter) -> Iterator[pb.TracePacket]:
    for timestamp, value in zip(trace.ns(counter.samples.tolist()), counter.values.tolist(), strict=True):
        packet = _packet()
        packet.timestamp = timestamp
        packet.track_event.type = pb.TrackEvent.TYPE_COUNTER
        packet.track_event.track_uuid = FIRST_TRACK + counter.track
        packet.track_event.counter_value = value
        yield packet
