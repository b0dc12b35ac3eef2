"""An opened recording: what its channels, nodes and instruments mean, derived once and passed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpiorig.analysis.delays.instruments import Instruments
from gpiorig.analysis.events.wiring import Bus, NodeLines
from gpiorig.capture.recording.description import ROLES
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches, boards
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.boards import Board
from gpiorig.rig.bench.node import OTHER_LINES
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import destinations
from gpiorig.rig.experiments.experiment import ROUND_TRIPS
from gpiorig.rig.recordings import instruments

SHOWN = ("normal", "doubled")  # probes that are on the pins


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A recording, and what it means.

    Attributes
    ----------
    recording
        The recording.
    bench
        None of a recording without a bench file, such as one imported from files; then it has no nodes.
    boards
        By node.
    wiring
        The recorded channels of each node.
    instruments
        What it was recorded with.
    header_ns
        By receiving node the time from the first bit on the air to the rise of its frame timestamp line.
    destinations
        By origin the nodes that its packets are for; without an experiment empty.
    answered
        Whether packets make round trips that the pins show; without an initiator and a responder they do not.
    """

    recording: Recording
    bench: Bench | None
    boards: Mapping[str, Board]
    wiring: tuple[NodeLines, ...]
    instruments: Instruments
    header_ns: Mapping[str, int]
    destinations: Mapping[str, tuple[str, ...]]
    answered: bool

    @property
    def known_bench(self) -> Bench:
        """The bench; raises `BenchError` if the recording has none."""
        return self.bench or benches.from_recording(self.recording)

    @property
    def initiator(self) -> str | None:
        """The node whose packets are answered; None where packets go one way."""
        return self.ends[0] if self.ends else None

    @property
    def ends(self) -> tuple[str, str] | None:
        """The node whose packets are answered, and the one that answers; None where packets go one way.

        Raises
        ------
        BenchError
            The experiment names a node that the bench does not have.
        """
        if not self.answered:
            return None
        parameters, bench = self.recording.info.parameters, self.known_bench
        for role in ROLES:
            if (node := str(parameters.get(role, ""))) not in bench.nodes:
                raise BenchError(
                    f"{self.recording.folder}: parameters.{role} is `{node}`; the bench has {', '.join(bench.nodes)}."
                )
        return str(parameters["initiator"]), str(parameters["responder"])


def open_recording(recording: Recording | Path) -> Opened:
    """Open a recording, or the one in a folder.

    Raises
    ------
    BenchError
        Its bench file is wrong.
    """
    if isinstance(recording, Path):
        recording = Recording.open(recording)
    parameters = recording.info.parameters
    bench = benches.from_recording(recording) if recording.info.bench else None
    return Opened(
        recording=recording,
        bench=bench,
        answered=_answered(parameters, bench),
        boards={name: node.described_board for name, node in bench.nodes.items()} if bench else {},
        header_ns=headers_ns(bench, parameters) if bench else {},
        destinations=destinations.of_nodes(parameters, bench) if bench else {},
        wiring=wiring(bench) if bench else (),
        instruments=instruments.from_info(recording.info, bench),
    )


def _answered(parameters: Mapping[str, Any], bench: Bench | None) -> bool:
    ends = [bench.nodes[node] for role in ROLES if bench and (node := parameters.get(role)) in bench.nodes]
    if not all(node.has_bus for node in ends):
        return False
    is_visible = parameters.get("probes", "normal") in SHOWN and parameters.get("app", "pingpong") in ROUND_TRIPS
    return is_visible and any(parameters.get(role) for role in ROLES)


def headers_ns(bench: Bench, parameters: Mapping[str, Any]) -> dict[str, int]:
    """Of each node the time from the first bit of a frame on the air to the rise of its frame timestamp line."""
    return {name: boards.timestamp_ns(node.described_board, name, parameters) for name, node in bench.nodes.items()}


def wiring(bench: Bench) -> tuple[NodeLines, ...]:
    """The recorded channels of each node: `node.line`."""
    lines = []
    for name, node in bench.nodes.items():
        not_spans = {"strobe", *OTHER_LINES, *node.data_lines}
        bus = Bus(
            strobe=f"{name}.strobe",
            data=tuple(f"{name}.{line}" for line in node.data_lines),
            frame_gap_ns=node.gap_ns,
            settle_ns=bench.settle_ns(name),
        )
        lines.append(
            NodeLines(
                name=name,
                bus=bus if node.has_bus else None,
                lines={line: f"{name}.{line}" for line in node.lines if line not in not_spans},
            )
        )
    return tuple(lines)
