"""What a recording can be exported as, besides its edges: its frames, its trace, its tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from gpiorig.analysis.events import events
from gpiorig.analysis.packets.timelines import Timelines
from gpiorig.analysis.quantity import NS_PER_S
from gpiorig.analysis.radio import air_frames, spi_frames
from gpiorig.analysis.radio.air_frames import NodeAir
from gpiorig.analysis.tables import hops, stages
from gpiorig.analysis.traces import build
from gpiorig.analysis.traces.trace import Trace
from gpiorig.capture.frames.frames import Frames
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.bench import boards
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings import provenance, radio_buses
from gpiorig.rig.results import pipeline, survey

if TYPE_CHECKING:
    import pyarrow as pa

MARK = "tap.frame_timestamp"

ROUND_TRIP_TABLES: dict[str, Callable[[pipeline.Result], pa.Table]] = {
    "events": lambda found: stages.events(found.events, packets=found.packets),
    "damaged": lambda found: stages.damaged(found.events),
    "unattributed": lambda found: stages.unattributed(found.packets),
    "packets": lambda found: stages.packets(found.packets, found.timelines),
    "timelines": lambda found: stages.timelines(found.timelines),
    "steps": lambda found: stages.steps(found.steps),
}
SURVEY_TABLES: dict[str, Callable[[survey.Survey], pa.Table]] = {
    "events": lambda found: stages.events(found.events),
    "damaged": lambda found: stages.damaged(found.events),
}


def table(recording: Recording, name: str) -> pa.Table:
    """A table of what was decoded: of round trips, if packets make any, and otherwise of hops."""
    if pipeline.has_round_trips(recording) and name in ROUND_TRIP_TABLES:
        return ROUND_TRIP_TABLES[name](pipeline.analyse(recording))
    found = survey.survey(recording)
    if name in SURVEY_TABLES:
        return SURVEY_TABLES[name](found)
    if name not in hops.TABLES:
        known = ", ".join((*SURVEY_TABLES, *hops.TABLES))
        raise RigError(f"{recording.folder}: no table `{name}` of a recording without round trips; there are {known}.")
    if found.hops is None:
        raise RigError(f"{recording.folder}: no table `{name}`: {found.no_packets}")
    return hops.TABLES[name](found.hops)


def trace_of(recording: Recording) -> Trace:
    """The trace of a recording."""
    note = _note(recording)
    if not pipeline.has_round_trips(recording):
        return build.build(survey.survey(recording).events, note=note)
    found = pipeline.analyse(recording)
    return build.build(found.events, packets=found.packets, lines=found.timelines, note=note)


def _note(recording: Recording) -> str:
    return provenance.VIRTUAL if recording.info.virtual else ""


def epoch_ns(recording: Recording) -> int:
    """Wall-clock time of sample 0, in ns since 1970."""
    wall = datetime.fromisoformat(recording.info.epoch.wall)
    return round(wall.timestamp() * 1e6) * 1000  # as exact as `datetime` is: us


def frames_of(recording: Recording) -> Frames:
    """The frames that went over the radios' SPI buses, with their instants on the air where the pins show them.

    Raises
    ------
    RigError
        No node's SPI bus was recorded: pins alone tell when a frame was on the air, not what was in it.
    """
    bench = benches.of_recording(recording)
    waveform = recording.waveform()
    buses = radio_buses.of_recording(recording, waveform.channels)
    seen = events.from_edges(recording.edges(), pipeline.wiring(bench))
    radios = []
    for bus in buses:
        found = spi_frames.read(waveform, bus.lines, chip=bus.chip, node=bus.node)
        marks, ends = air_frames.pulses(seen, MARK, node=bus.node)
        header_ns = boards.load(bench.nodes[bus.node].board).radio.frame_timestamp_ns
        header = round(header_ns * waveform.samplerate_hz / NS_PER_S)
        radios.append(NodeAir(frames=found, marks=marks, ends=ends, header_samples=header))
    return air_frames.frames(
        radios,
        start=seen.start,
        epoch=recording.info.epoch.wall,
        packets=_packets_on_air(recording),
        source=str(recording.folder),
        note=_note(recording),
    )


def _packets_on_air(recording: Recording) -> dict[int, str]:
    """Which packet a frame carries, by the sample of its first bit; for recordings whose packets the pins tell."""
    if not pipeline.has_round_trips(recording):
        return {}
    lines: Timelines = pipeline.analyse(recording).timelines
    names = [milestone.name for milestone in lines.milestones]
    return {
        sample: f"packet {identity} {direction}"
        for direction in ("request", "reply")
        if f"{direction}.air.start" in names
        for identity, sample in zip(lines.ids.tolist(), lines.column(f"{direction}.air.start").tolist(), strict=True)
        if sample >= 0
    }
