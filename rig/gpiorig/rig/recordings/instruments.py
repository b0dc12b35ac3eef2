"""What is known of the instruments of a recording, from its bench file, its alignments and the boards' files."""

from __future__ import annotations

import math
from fractions import Fraction

from gpiorig.analysis.delays import instruments
from gpiorig.analysis.delays.instruments import Analyzer, Instruments, Node
from gpiorig.capture.recording.recording import AlignmentNote, RecordingInfo
from gpiorig.rig.bench import boards, virtual_section
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.node import OTHER_LINES
from gpiorig.rig.recordings import time_base

# The virtual analyzers stand for a BeagleLogic; what they are set to is for the tests to know.
_VIRTUAL = "beaglelogic"


def from_info(info: RecordingInfo, bench: Bench | None) -> Instruments:
    """The instruments; of a recording without a bench file, such as an imported one, only what its driver gives."""
    if bench is None:
        recorder = instruments.by_driver(info.recorder, samplerate_hz=info.samplerate_hz)
        if info.time_step:
            recorder = time_base.stepped(recorder, info.time_step.as_step())
        parts = [(note, _aligned(note, recorder)) for note in info.alignments]
        return Instruments(recorder, {name: part for note, part in parts for name in note.channels})
    analyzers = {name: analyzer(bench, name) for name in bench.analyzers}
    reference = max(bench.analyzers, key=lambda name: bench.analyzers[name].samplerate_hz)
    return Instruments(
        reference=analyzers[reference],
        others=_others(bench, analyzers, info),
        nodes={name: _node(bench, name, info) for name in bench.nodes},
    )


def analyzer(bench: Bench, name: str) -> Analyzer:
    """How exact an analyzer of a bench is, by its file and its driver."""
    given = bench.analyzers[name]
    return instruments.by_driver(
        given.driver or _VIRTUAL,
        samplerate_hz=given.samplerate_hz,
        clock_ppm=given.clock_ppm,
        skew_ns=given.skew_ns,
        aperture_ns=given.aperture_ns,
    )


def _others(bench: Bench, analyzers: dict[str, Analyzer], info: RecordingInfo) -> dict[str, tuple[Analyzer, float]]:
    """The analyzer of each channel that was aligned to the reference's, and its uncertainty in ns."""
    wires = {
        f"{node}.{line}": bench.place(channel)[0]
        for node, settings in bench.nodes.items()
        for line, channel in settings.lines.items()
    }
    return {
        channel: (analyzers[wires[channel]], note.uncertainty_ns)
        for note in info.alignments
        for channel in note.channels
        if channel in wires
    }


def _aligned(note: AlignmentNote, reference: Analyzer) -> tuple[Analyzer, float]:
    """An analyzer of which only its alignment is known: sampling is part of that, so its period is at most this."""
    period_ns = math.sqrt(max(12 * note.uncertainty_ns**2 - reference.period_ns**2, reference.period_ns**2))
    return instruments.by_driver(note.analyzer, samplerate_hz=Fraction(round(1e9 / period_ns))), note.uncertainty_ns


def _node(bench: Bench, name: str, info: RecordingInfo) -> Node:
    node = bench.nodes[name]
    board = node.described_board
    radio = board.radio
    return Node(
        lines=frozenset(node.lines) - {"strobe", *node.data_lines, *OTHER_LINES},
        bus_width=node.width,
        symbol_ns=node.held_ns,
        frame_gap_ns=node.gap_ns,
        mark_ns=boards.timestamp_ns(board, name, info.parameters),
        mark_uncertainty_ns=radio.frame_timestamp_uncertainty_ns,
        mark_source=radio.frame_timestamp_source,
        mark_unwitnessed=f"{radio.name}: {radio.unwitnessed}" if radio.unwitnessed else "",
        busy_ns=radio.busy_ns,
        poll_ns=radio.poll_ns,
        waits_in_software=radio.waits_in_software,
        model=virtual_section.model_doubt(board.name) if info.virtual else (),
    )
