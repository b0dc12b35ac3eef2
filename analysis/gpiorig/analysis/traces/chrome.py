"""A trace as JSON in Chrome's trace event format, for small recordings; Perfetto's own format takes the large ones.

Source: "Trace Event Format" (Nduca, Sinclair, Google 2016): phases X, i, C, M, and s, t, f for flows; times are in us.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpiorig.analysis.errors import TableError
from gpiorig.analysis.traces.trace import Trace, processes
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.edges.nanoseconds import rounding_text

SUFFIXES = (".json",)
# A file of 900 MB stopped Perfetto's page (google/perfetto issue 99), chrome://tracing takes 256 MB; ours has about 200
# octets for each event.
MAX_EVENTS = 500_000
NS_PER_US = 1000


def write(path: Path, trace: Trace) -> str:
    """Write a trace; the file is replaced in one step when it is complete.

    Returns
    -------
    str
        What was rounded.

    Raises
    ------
    TableError
        It would be larger than viewers of JSON take.
    """
    count = len(trace.slices) + sum(len(counter.samples) for counter in trace.counters)
    if count > MAX_EVENTS:
        raise TableError(
            f"{path}: {count} events are too many for JSON; write a .pftrace, or a window of the recording."
        )
    with replacing(path) as new, new.open("w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit":"ns","otherData":')
        file.write(json.dumps({"writer": "gpiorig", "note": trace.note}))
        file.write(',"traceEvents":[\n')
        separator = ""
        for event in _events(trace):
            file.write(separator + json.dumps(event, ensure_ascii=False))
            separator = ",\n"
        file.write("\n]}\n")
    return rounding_text(trace.samplerate_hz)


def _events(trace: Trace) -> Iterator[dict[str, Any]]:
    names = processes(trace.tracks)
    for pid, name in enumerate(names, start=1):
        yield {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}
        yield {"ph": "M", "name": "process_sort_index", "pid": pid, "args": {"sort_index": pid}}
    places = []
    for index, track in enumerate(trace.tracks):
        place = {"pid": names.index(track.process) + 1, "tid": len(names) + 1 + index}
        places.append(place)
        if track.unit is None:
            yield {"ph": "M", "name": "thread_name", **place, "args": {"name": track.name}}
            yield {"ph": "M", "name": "thread_sort_index", **place, "args": {"sort_index": index}}
    yield from _slices(trace, places)
    for counter in trace.counters:
        track, place = trace.tracks[counter.track], places[counter.track]
        for stamp, value in zip(trace.ns(counter.samples.tolist()), counter.values.tolist(), strict=True):
            yield {"ph": "C", "name": track.name, **place, "ts": stamp / NS_PER_US, "args": {track.unit: value}}


def _slices(trace: Trace, places: list[dict[str, int]]) -> Iterator[dict[str, Any]]:
    flow_ends = trace.flow_ends()
    starts = trace.ns(each.start for each in trace.slices)
    ends = trace.ns(each.end for each in trace.slices)
    for each, start, end in zip(trace.slices, starts, ends, strict=True):
        common = {**places[each.track], "ts": start / NS_PER_US}
        if each.instant:
            yield {"ph": "i", "s": "t", "name": each.name, **common, "args": each.facts}
            continue
        yield {"ph": "X", "name": each.name, **common, "dur": (end - start) / NS_PER_US, "args": each.facts}
        if each.flow in flow_ends:
            first, last = flow_ends[each.flow]
            phase: dict[str, Any] = (
                {"ph": "s"} if each is first else {"ph": "f", "bp": "e"} if each is last else {"ph": "t"}
            )
            yield {**phase, "cat": "packet", "name": "packet", "id": each.flow + 1, **common}
