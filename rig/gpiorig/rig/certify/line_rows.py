"""The rows of each node's line, from what its analyzer saw."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.certify import pulses, row_values
from gpiorig.rig.certify.row_values import CLOCKS_HZ, Missing, Value
from gpiorig.rig.certify.rows import ROWS
from gpiorig.rig.experiments import images
from gpiorig.rig.recordings.merge import PARTS

LINE = "strobe"
MACHINES = tuple(CLOCKS_HZ)


def firmware(bench: Bench) -> dict[str, Path]:
    """The image that shows the rows, of each node whose board has one."""
    return {
        name: images.certify_image(node.described_board)
        for name, node in bench.nodes.items()
        if node.described_board.machine in MACHINES
    }


def recorded(recording: Recording, bench: Bench) -> dict[str, Edges]:
    """The edges of each analyzer of a recording, each at its own rate."""
    if len(bench.analyzers) == 1:
        return {next(iter(bench.analyzers)): recording.edges()}
    return {name: Recording.open(recording.folder / PARTS / name).edges() for name in bench.analyzers}


def values(edges: Mapping[str, Edges], bench: Bench, name: str) -> dict[str, Value | Missing]:
    """The rows of a node; each states why, if it has no value."""
    node = bench.nodes[name]
    machine = node.described_board.machine
    keys = [row.key for row in ROWS if machine in row.boards]
    if LINE not in node.lines:
        return dict.fromkeys(keys, Missing(reason=f"its line {LINE} is not wired"))
    analyzer, channel = bench.place(node.lines[LINE])
    captured = edges[analyzer]
    try:
        showings = pulses.read(captured, f"{name}.{LINE}")
    except CaptureError as error:
        return dict.fromkeys(keys, Missing(reason=str(error)))
    if not showings.showings:
        reason = (
            f"no code of a row on {channel}: the board does not run the image of certify, or its lead, ground "
            "or threshold is wrong"
        )
        return dict.fromkeys(keys, Missing(reason=reason))
    return row_values.values(showings.showings, machine, samplerate_hz=float(captured.samplerate_hz))
