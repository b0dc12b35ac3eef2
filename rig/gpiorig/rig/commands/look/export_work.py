"""`gpiorig export`: a recording or a file, or a part of it, in the format of another tool."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from msgspec import UNSET, UnsetType, field, structs

from gpiorig.analysis.tables import stages
from gpiorig.analysis.traces import perfetto, trace
from gpiorig.capture import formats
from gpiorig.capture.edges import select
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.formats import pcap
from gpiorig.capture.frames.frames import Frames
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import plain_json
from gpiorig.rig.commands.look import export_pulseview
from gpiorig.rig.errors import RigError
from gpiorig.rig.export import export, pulseview_slices, written_kinds
from gpiorig.rig.plain_json import Result
from gpiorig.rig.progress import stage, watched
from gpiorig.rig.recordings import inputs, standing, time_base
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.recordings.power_file import power_file
from gpiorig.rig.recordings.time_base import TimeBaseNumbers
from gpiorig.rig.results.analyse import analyse
from gpiorig.rig.verbosity import note

_AROUND_S = Fraction(100, 10**6)


class Written(Result, frozen=True, kw_only=True):
    """A file that was written: what of the source it has, and what was rounded; its samples, of edges or a trace."""

    output: str
    format: str
    content: str = field(name="what")
    rounding: str
    from_sample: int | UnsetType = UNSET
    to_sample: int | UnsetType = UNSET
    time_base: TimeBaseNumbers | UnsetType = UNSET
    state: str | None = None
    remarks: tuple[str, ...] = ()


RESULTS = {"export": (Written,)}


def run(options: argparse.Namespace) -> int:
    """Find out what is asked for, and write it."""
    if options.pulseview:
        return export_pulseview.run(options)
    kind, name = written_kinds.of(options)
    write = {"table": _write_table, "trace": _write_trace, "frames": _write_frames, "edges": _write_edges}[kind]
    written = write(options, name)
    stated = standing.announced(options.source, as_json=options.json).as_json()
    stated["remarks"] = (*stated["remarks"], *written.remarks)
    rounding = f"; {written.rounding}" if written.rounding else ""
    text = f"{options.output}: {written.content} of {options.source}{rounding}"
    print(plain_json.text(structs.replace(written, **stated)) if options.json else text)
    return 0


def _write_edges(options: argparse.Namespace, name: str) -> Written:
    waveform = _waveform(options)
    bounds = _window(options, waveform.samplerate_hz)
    if bounds is not None:
        waveform = select.window(waveform, *bounds)
    if options.channels:
        waveform = select.channels(waveform, options.channels.split(","))
    waveform, base_of = time_base.watch(waveform)
    covered: list[int] = []
    rounding = formats.module(name).write(options.output, _noting(watched(waveform, "writing"), covered))
    start, end = covered or (0, 0)
    base = base_of()
    for sentence in [] if options.json else base.sentences():
        note(f"{options.source}: {sentence}")
    written = _written(options, name, f"samples {start} to {end}", rounding, (start, end))
    return structs.replace(written, time_base=base.numbers())


def _noting(waveform: Waveform, covered: list[int]) -> Waveform:
    """The same waveform; `covered` gets its first sample and its end when it is read."""

    def read() -> Iterator[Block]:
        for block in waveform.read():
            covered[:] = [*(covered or [int([*block.samples[:1], block.end][0])])[:1], block.end]
            yield block

    return dataclasses.replace(waveform, read=read)


def _write_trace(options: argparse.Namespace, name: str) -> Written:
    recording = _recording(options, "a trace")
    shown_trace = export.trace_of(open_recording(recording))
    bounds = _window(options, shown_trace.samplerate_hz)
    if bounds is not None:
        shown_trace = trace.window(shown_trace, *bounds)
    with stage("writing"):
        rounding = perfetto.write(options.output, shown_trace, epoch_ns=export.epoch_ns(recording))
    return _written(options, name, f"{len(shown_trace.slices)} slices and instants", rounding, bounds)


def _write_frames(options: argparse.Namespace, name: str) -> Written:
    frames: Frames
    if options.source.is_dir():
        frames = export.frames_of(open_recording(_recording(options, "frames")))
    else:
        content = _content(options)
        if not hasattr(content, "frames"):
            raise RigError(f"{options.source}: has no frames; export the recording it came from, or a packet capture.")
        frames = content
    with stage("writing"):
        rounding = pcap.write(options.output, frames)
    return _written(options, name, "packet capture", rounding, None)


def _write_table(options: argparse.Namespace, name: str) -> Written:
    opened, remarks = open_recording(_recording(options, "a table")), list[str]()
    if options.table == "energy":
        table, remarks = export.energy_table(opened, [power_file(text) for text in options.power])
    else:
        table = export.table(opened, options.table)
    with stage("writing"):
        stages.write(table, options.output)
    for sentence in [] if options.json else remarks:
        note(sentence)
    content = f"{table.num_rows} rows of {options.table}"
    written = _written(options, name, content, "samples are exact, times in ns are floats", None)
    return structs.replace(written, remarks=tuple(remarks))


def _written(
    options: argparse.Namespace, name: str, content: str, rounding: str, bounds: tuple[int, int] | None
) -> Written:
    begin, end = bounds or (UNSET, UNSET)
    return Written(
        output=str(options.output), format=name, content=content, rounding=rounding, from_sample=begin, to_sample=end
    )


def _recording(options: argparse.Namespace, content: str) -> Recording:
    recording = Given.of(options).open(options.source)
    if not recording.info.bench:
        raise RigError(
            f"{options.source}: has no bench, which names what its channels carry: export its edges, not {content}."
        )
    return recording


def _content(options: argparse.Namespace) -> Any:
    """What is in the source file."""
    return inputs.open_file(options.source, options)[1]


def _waveform(options: argparse.Namespace) -> Waveform:
    if not options.source.is_file():
        return Given.of(options).open(options.source).waveform()
    content = _content(options)
    if not isinstance(content, Waveform):
        raise RigError(f"{options.source}: has no edges; a packet capture can be exported as .pcapng.")
    return content


def _window(options: argparse.Namespace, rate: Fraction) -> tuple[int, int] | None:
    """The samples asked for: [from, to); None for all of them."""
    if options.packet is not None:
        return _round_trip(_recording(options, "the round trip of a packet"), options.packet)
    if not (options.begin or options.end):
        return None
    return (
        options.begin.at(rate) if options.begin else -(1 << 62),
        options.end.at(rate) if options.end else 1 << 62,
    )


def _round_trip(recording: Recording, packet: str) -> tuple[int, int]:
    """First and last sample of a packet's round trip, and a little around them."""
    analysis = analyse(open_recording(recording))
    lines = analysis.timelines
    if lines is None:
        raise RigError(f"{recording.folder}: it has no round trips; choose a window with --from and --to.")
    row = pulseview_slices.packet_row(lines, packet)
    row += int(((lines.ids[row:] == lines.ids[row]) & lines.timelined[row:]).argmax())
    if not lines.timelined[row]:
        raise RigError(f"{recording.folder}: no timeline of a packet with id {packet}; see round_trips.parquet.")
    around = int(_AROUND_S * lines.samplerate_hz)
    start, end = int(lines.samples[row, 0]) - around, int(lines.samples[row, -1]) + 1 + around
    return max(analysis.events.start, start), min(analysis.events.end, end)
