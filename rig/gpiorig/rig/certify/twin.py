"""The virtual twin of a bench: the same boards, lines and rates with the model as it is, without errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import msgspec

from gpiorig.capture.edges.edges import Edges
from gpiorig.rig.bench import benches, written
from gpiorig.rig.bench.bench import BEAGLELOGIC_CHANNELS, Bench
from gpiorig.rig.bench.node import Node
from gpiorig.rig.distributions import VBENCH
from gpiorig.rig.errors import BenchError

NEEDED_BY = "the virtual twin of `gpiorig bench certify`"
MAX_HZ = 100_000_000  # of a virtual analyzer (gpiorig.vbench.description.section)
NAME = "twin.toml"


@dataclass(frozen=True, slots=True)
class Tried:
    """A setting of the timing model: its value in the model, and the values that a fit tries."""

    model: int
    values: range


class Recorder(Protocol):
    """The part `twin` of the virtual bench."""

    def edges(self, bench: Bench, *, firmware: Mapping[str, Path], duration_s: float) -> dict[str, Edges]:
        """What each analyzer of a virtual bench sees from power-on, its channels named ``node.line``."""

    def settings(self, board: str) -> dict[str, Tried]:
        """The settings of a board's timing model; none of a board without one."""


def recorder() -> Recorder:
    """The part; raises `BenchError` if the virtual bench is not installed."""
    part: Recorder = VBENCH.load("twin", needed_by=NEEDED_BY)
    return part


def write(bench: Bench, folder: Path) -> tuple[Bench, Path]:
    """Write the twin's bench file, and read it.

    Raises
    ------
    BenchError
        The virtual bench is not installed, or has no such boards or that many channels.
    """
    path = folder / NAME
    path.write_text(written.text(of(bench)), encoding="utf-8")
    return benches.load(path), path


def of(bench: Bench) -> Bench:
    """The twin of a bench of boards, or of a virtual one."""
    analyzers = {
        name: msgspec.structs.replace(
            analyzer, driver=None, config=None, samplerate_hz=min(analyzer.samplerate_hz, MAX_HZ)
        )
        for name, analyzer in bench.analyzers.items()
    }
    places = {name: _channels(bench, name) for name in bench.analyzers}
    analyzers = {
        name: msgspec.structs.replace(analyzer, sync=places[name][analyzer.sync]) if analyzer.sync else analyzer
        for name, analyzer in analyzers.items()
    }
    nodes = {name: _node(bench, node, places) for name, node in bench.nodes.items()}
    return msgspec.structs.replace(
        bench,
        name=f"virtual twin of {bench.name}",
        analyzers=analyzers,
        nodes=nodes,
        virtual={"seed": 1},  # an empty table would not be written
        simulated=msgspec.UNSET,
    )


def alone(twin: Bench, node: str, *, timing: Mapping[str, int]) -> Bench:
    """The twin with one board, and with other settings of the timing model."""
    virtual: dict[str, Any] = {**(twin.virtual or {}), "timing": dict(timing)}
    lines = {"strobe": twin.nodes[node].lines["strobe"]}
    nodes = {node: msgspec.structs.replace(twin.nodes[node], lines=lines)}
    place, _ = twin.place(lines["strobe"])
    analyzers = {place: msgspec.structs.replace(twin.analyzers[place], sync=None)}
    return msgspec.structs.replace(twin, nodes=nodes, analyzers=analyzers, virtual=virtual)


def _node(bench: Bench, node: Node, places: Mapping[str, Mapping[str, str]]) -> Node:
    """A node with the lines that its virtual board has pins for."""
    lines = {}
    for line, channel in node.lines.items():
        analyzer, name = bench.place(channel)
        if line in node.described_board.pins:
            lines[line] = f"{analyzer}:{places[analyzer][name]}"
    return msgspec.structs.replace(node, lines=lines, serial=None, debug=None, firmware=None)


def _channels(bench: Bench, analyzer: str) -> dict[str, str]:
    """A channel of the virtual analyzer for each that is in use."""
    wired = [bench.place(channel) for node in bench.nodes.values() for channel in node.lines.values()]
    used = dict.fromkeys(channel for place, channel in wired if place == analyzer)
    if (sync := bench.analyzers[analyzer].sync) is not None:
        used[sync] = None
    if len(used) > len(BEAGLELOGIC_CHANNELS):
        raise BenchError(
            f"bench {bench.name}: {len(used)} channels of {analyzer} are wired; its virtual twin has "
            f"{len(BEAGLELOGIC_CHANNELS)}. Certify with a bench file that has the strobe and the radio's taps only."
        )
    return dict(zip(used, BEAGLELOGIC_CHANNELS, strict=False))
