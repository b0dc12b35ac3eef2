"""Exports of a recording other than its edges: its frames, its trace, its tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.timelines import Timelines
from gpiorig.analysis.radio import air_frames, spi_frames
from gpiorig.analysis.radio.air_frames import NodeAir
from gpiorig.analysis.tables import registry
from gpiorig.analysis.traces import build
from gpiorig.analysis.traces.trace import Trace
from gpiorig.capture.frames.frames import Frames
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings import provenance, radio_buses, radio_decoders
from gpiorig.rig.recordings.opened import Opened
from gpiorig.rig.recordings.power_file import PowerFile
from gpiorig.rig.results import energy, quantities
from gpiorig.rig.results.analyse import analyse

if TYPE_CHECKING:
    import pyarrow as pa

NOTE = b"note"
MARK = "tap.frame_timestamp"


def table(opened: Opened, name: str) -> pa.Table:
    """A table of what was decoded: one of `registry.NAMES`, or of `quantities.TABLES`.

    Raises
    ------
    RigError
        The recording does not have it.
    QuantityError
        The recording does not show a quantity that its experiment names.
    """
    analysis = analyse(opened)
    if name in quantities.TABLES:
        return _noted(quantities.table(opened, analysis, name), opened.recording)
    content = registry.table(analysis, name)
    if content is None:
        reason = analysis.no_packets or "its packets make no round trips that the pins show."
        raise RigError(f"{opened.recording.folder}: no table `{name}`: {reason}")
    return _noted(content, opened.recording)


def energy_table(opened: Opened, power: Sequence[PowerFile]) -> tuple[pa.Table, list[str]]:
    """The table `energy`, measured by power traces or estimated, and what is to be stated of it."""
    content, sentences = energy.table(opened, analyse(opened), power)
    return _noted(content, opened.recording), sentences


def _noted(content: pa.Table, recording: Recording) -> pa.Table:
    """A table whose metadata have the note, if there is one; formats of text have no place for it."""
    if not (note := _note(recording)):
        return content
    return content.replace_schema_metadata({**(content.schema.metadata or {}), NOTE: note.encode()})


def trace_of(opened: Opened) -> Trace:
    """The trace of a recording."""
    return build.build(analyse(opened), note=_note(opened.recording))


def _note(recording: Recording) -> str:
    return provenance.VIRTUAL if recording.info.virtual else ""


def epoch_ns(recording: Recording) -> int:
    """Wall-clock time of sample 0, in ns since 1970."""
    wall = datetime.fromisoformat(recording.info.epoch.wall)
    return round(wall.timestamp() * 1e6) * 1000  # as exact as `datetime` is: us


def frames_of(opened: Opened) -> Frames:
    """The frames that went over the radios' SPI buses, with their instants on the air where the pins show them.

    Raises
    ------
    RigError
        No node's SPI bus was recorded: pins alone tell when a frame was on the air, not what was in it.
    """
    recording = opened.recording
    waveform = recording.waveform()
    buses = radio_buses.for_recording(opened, waveform.channels)
    analysis = analyse(opened)
    events = analysis.events
    radios = []
    for bus in buses:
        frames = spi_frames.read(waveform, bus.lines, decoder=radio_decoders.load(bus.chip), node=bus.node)
        marks, ends = air_frames.pulses(events, MARK, node=bus.node)
        header = round(opened.header_ns[bus.node] * waveform.samplerate_hz / NS_PER_S)
        radios.append(NodeAir(frames=frames, marks=marks, ends=ends, header_samples=header))
    return air_frames.frames(
        radios,
        start=events.start,
        epoch=recording.info.epoch.wall,
        packets=_packets_on_air(analysis.timelines),
        source=str(recording.folder),
        note=_note(recording),
    )


def _packets_on_air(lines: Timelines | None) -> dict[int, str]:
    """Which packet a frame carries, by the sample of its first bit."""
    if lines is None:
        return {}
    return {
        sample: f"packet {identity} {lines.ways[milestone.direction]}"
        for column, milestone in enumerate(lines.milestones)
        if milestone.point == "air.start"
        for identity, sample in zip(lines.ids.tolist(), lines.samples[:, column].tolist(), strict=True)
        if sample >= 0
    }
