"""What a recording can be exported as, besides its edges: its frames, its trace, its tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from gpiorig.analysis import airframes, events, radioframes, tables, trace
from gpiorig.analysis.airframes import NodeAir
from gpiorig.analysis.quantity import NS_PER_S
from gpiorig.analysis.timelines import Timelines
from gpiorig.analysis.trace import Trace
from gpiorig.capture.frames import Frames
from gpiorig.capture.recording import Recording
from gpiorig.capture.spi import SpiLines
from gpiorig.capture.waveform import Waveform, waveform_of
from gpiorig.rig import bench as benches
from gpiorig.rig import boards, pipeline, survey
from gpiorig.rig.errors import RigError

if TYPE_CHECKING:
    import pyarrow as pa

# Radios as the board files name them, and the decoders of their SPI buses.
CHIPS = {"AT86RF231": "at86rf2xx", "CC2420": "cc2420", "SPIRIT1": "spirit1"}
VIRTUAL_NOTE = "virtual bench: these numbers test the rig; they are no measurement of hardware"
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


def waveform(recording: Recording) -> Waveform:
    """The edges of a recording."""
    return waveform_of(recording.edges(), epoch=recording.info.epoch.wall, source=f"recording {recording.folder.name}")


def table(recording: Recording, name: str) -> pa.Table:
    """A table of what was decoded; of a recording without round trips there are events and damaged frames only."""
    if pipeline.has_round_trips(recording):
        return ROUND_TRIP_TABLES[name](pipeline.analyse(recording))
    if name not in SURVEY_TABLES:
        raise RigError(
            f"{recording.folder}: no table `{name}` of a recording without round trips; "
            f"there are {', '.join(SURVEY_TABLES)}."
        )
    return SURVEY_TABLES[name](survey.survey(recording))


def trace_of(recording: Recording) -> Trace:
    """The trace of a recording."""
    note = VIRTUAL_NOTE if recording.info.virtual else ""
    if not pipeline.has_round_trips(recording):
        return trace.build(survey.survey(recording).events, note=note)
    found = pipeline.analyse(recording)
    return trace.build(found.events, packets=found.packets, lines=found.timelines, note=note)


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
    bench = benches.loads(recording.info.bench, what=f"bench in {recording.folder}")
    edges = recording.edges()
    wired = [name for name, node in bench.nodes.items() if {"spi_clk", "spi_mosi", "tap.select"} <= node.lines.keys()]
    if not wired:
        raise RigError(
            f"{recording.folder}: the octets of its frames are not known, since no radio's SPI bus was recorded; name "
            "the lines spi_clk, spi_mosi, spi_miso and tap.select in the bench file and record again, or export the "
            "instants as .pftrace or with --table packets."
        )
    seen = events.from_edges(edges, pipeline.wiring(bench))
    radios = []
    for name in wired:
        radio = boards.load(bench.nodes[name].board).radio
        if radio.name not in CHIPS:
            raise RigError(f"{recording.folder}: node {name}: no decoder for the SPI bus of a {radio.name}.")
        miso = f"{name}.spi_miso"  # without it the frames that are sent are known, not those that are received
        bus = SpiLines(
            clk=edges.index(f"{name}.spi_clk"),
            mosi=edges.index(f"{name}.spi_mosi"),
            miso=edges.index(miso) if miso in edges.channels else None,
            select=edges.index(f"{name}.tap.select"),
        )
        found = radioframes.read(waveform(recording), bus, chip=CHIPS[radio.name], node=name)
        marks, ends = airframes.pulses(seen, MARK, node=name)
        header = round(radio.frame_timestamp_ns * edges.samplerate_hz / NS_PER_S)
        radios.append(NodeAir(frames=found, marks=marks, ends=ends, header_samples=header))
    return airframes.frames(
        radios,
        start=edges.start,
        epoch=recording.info.epoch.wall,
        packets=_packets_on_air(recording),
        source=str(recording.folder),
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
