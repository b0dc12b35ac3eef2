"""What a recording can be exported as, besides its edges: its frames, its trace, its tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from gpiorig.analysis import airframes, events, radioframes, tables, tracebuild
from gpiorig.analysis.airframes import NodeAir
from gpiorig.analysis.network import hop_tables
from gpiorig.analysis.quantity import NS_PER_S
from gpiorig.analysis.timelines import Timelines
from gpiorig.analysis.trace import Trace
from gpiorig.capture.frames import Frames
from gpiorig.capture.recording import Recording
from gpiorig.rig import bench as benches
from gpiorig.rig import boards, pipeline, provenance, radio_buses, survey
from gpiorig.rig.errors import RigError

if TYPE_CHECKING:
    import pyarrow as pa

MARK = "tap.frame_timestamp"

ROUND_TRIP_TABLES: dict[str, Callable[[pipeline.Result], pa.Table]] = {
    "events": lambda found: tables.events(found.events, packets=found.packets),
    "damaged": lambda found: tables.damaged(found.events),
    "unattributed": lambda found: tables.unattributed(found.packets),
    "packets": lambda found: tables.packets(found.packets, found.timelines),
    "timelines": lambda found: tables.timelines(found.timelines),
    "steps": lambda found: tables.steps(found.steps),
}
SURVEY_TABLES: dict[str, Callable[[survey.Survey], pa.Table]] = {
    "events": lambda found: tables.events(found.events),
    "damaged": lambda found: tables.damaged(found.events),
}


def table(recording: Recording, name: str) -> pa.Table:
    """A table of what was decoded: of round trips, if packets make any, and otherwise of hops."""
    if pipeline.has_round_trips(recording) and name in ROUND_TRIP_TABLES:
        return ROUND_TRIP_TABLES[name](pipeline.analyse(recording))
    found = survey.survey(recording)
    if name in SURVEY_TABLES:
        return SURVEY_TABLES[name](found)
    if name not in hop_tables.TABLES:
        known = ", ".join((*SURVEY_TABLES, *hop_tables.TABLES))
        raise RigError(f"{recording.folder}: no table `{name}` of a recording without round trips; there are {known}.")
    if found.hops is None:
        raise RigError(f"{recording.folder}: no table `{name}`: {found.no_packets}")
    return hop_tables.TABLES[name](found.hops)


def trace_of(recording: Recording) -> Trace:
    """The trace of a recording."""
    note = _note(recording)
    if not pipeline.has_round_trips(recording):
        return tracebuild.build(survey.survey(recording).events, note=note)
    found = pipeline.analyse(recording)
    return tracebuild.build(found.events, packets=found.packets, lines=found.timelines, note=note)


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
        found = radioframes.read(waveform, bus.lines, chip=bus.chip, node=bus.node)
        marks, ends = airframes.pulses(seen, MARK, node=bus.node)
        header_ns = boards.load(bench.nodes[bus.node].board).radio.frame_timestamp_ns
        header = round(header_ns * waveform.samplerate_hz / NS_PER_S)
        radios.append(NodeAir(frames=found, marks=marks, ends=ends, header_samples=header))
    return airframes.frames(
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
