"""Bench files: which analyzers, which nodes, which channel is which line of which node."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import boards, flashing, node_checks, virtual_section
from gpiorig.rig.bench.analyzer import Analyzer
from gpiorig.rig.bench.boards import Board
from gpiorig.rig.bench.consoles import Console
from gpiorig.rig.bench.node import Node
from gpiorig.rig.distributions import VBENCH
from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import load as load_toml
from gpiorig.rig.strict_toml import parse

# The channels of libsigrok's `beaglelogic` driver, in its order (libsigrok 0.5.2, src/hardware/beaglelogic/api.c).
BEAGLELOGIC_CHANNELS = (
    *("P8_45", "P8_46", "P8_43", "P8_44", "P8_41", "P8_42", "P8_39", "P8_40"),
    *("P8_27", "P8_29", "P8_28", "P8_30", "P8_21", "P8_20"),
)

# Names become parts of file and channel names.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


class Bench(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A complete bench; `virtual` is there on a virtual one only: that table, which gpiorig-vbench reads and completes.

    `boards` has descriptions of boards by the name that nodes give them: those of files, in a recording. `simulated`
    marks the file of a virtual bench that is served, and is used as if it were of boards; it changes no more than what
    is stated of the results.
    """

    name: str
    analyzers: dict[str, Analyzer]
    nodes: dict[str, Node]
    boards: dict[str, Board] | None = None
    virtual: dict[str, Any] | None = None
    simulated: bool | msgspec.UnsetType = msgspec.UNSET  # unset, it is not part of what names a study's points

    @property
    def states_virtual(self) -> bool:
        """Whether its file states that its boards are virtual.

        OpenOCD's `remote_bitbang` is such a statement: the driver for processors that are simulated (its manual).
        """
        ends = (flashing.debug_end(node.debug) for node in self.nodes.values() if node.debug)
        return self.virtual is not None or bool(self.simulated) or any(end.kind == "remote_bitbang" for end in ends)

    def is_virtual(self, answers: Mapping[str, bool | None]) -> bool | None:
        """Whether its boards are virtual, by its file and by what the nodes have answered; None: that is not known."""
        if self.states_virtual or True in answers.values():
            return True
        return False if all(answers.get(name) is False for name in self.nodes) else None

    @property
    def described_consoles(self) -> dict[str, Console | None]:
        """The console that is named for each node; None: it identifies itself."""
        return {name: node.described_console for name, node in self.nodes.items()}


def load(path: Path) -> Bench:
    """The checked bench of a file; raises `BenchError` with the file, the key and the remedy."""
    what = f"bench file {path}"
    return check(_with_boards(load_toml(path, Bench, what="bench file"), path.parent, what=what), what=what)


def loads(text: str, *, what: str = "bench", is_recorded: bool = False) -> Bench:
    """As `load`, from text; that of a recording, which is there already, needs no virtual bench."""
    bench = _with_boards(parse(text, Bench, what=what), None, what=what)
    return check(bench, what=what, is_recorded=is_recorded)


def recorded_text(path: Path) -> str:
    """The text of a bench file as a recording has it: with the boards that are files of their own."""
    text = path.read_text(encoding="utf-8")
    raw = parse(text, Bench, what=f"bench file {path}")
    named = {node.board for node in raw.nodes.values() if isinstance(node.board, str)} - (raw.boards or {}).keys()
    described = {name: boards.load_file(path.parent / name) for name in sorted(named) if boards.is_file(name)}
    if not described:
        return text
    tables = {name: _without_none(msgspec.to_builtins(board)) for name, board in described.items()}
    return f"{text.rstrip()}\n\n# Boards of files next to the bench file.\n{tomli_w.dumps({'boards': tables})}"


def check(bench: Bench, *, what: str, is_recorded: bool = False) -> Bench:
    """The bench itself with every key of its `[virtual]` table, if it can be; raises `BenchError` otherwise."""
    section = None
    if bench.virtual is not None and (VBENCH.is_installed or not is_recorded):
        section = virtual_section.load(what)
        bench = msgspec.structs.replace(bench, virtual=section.complete(bench.virtual, source=what))
    if not bench.nodes or not bench.analyzers:
        raise BenchError(f"{what}: needs at least one `[nodes.NAME]` and one `[analyzers.NAME]`.")
    for name in (*bench.nodes, *bench.analyzers):
        if not _NAME.fullmatch(name):
            raise BenchError(f"{what}: name `{name}`: use up to 64 letters, digits, - and _, a letter first.")
    for name, analyzer in bench.analyzers.items():
        if bench.virtual is None and analyzer.driver is None:
            raise BenchError(
                f'{what}: analyzers.{name} has no `driver`; give sigrok\'s, such as driver = "fx2lafw", '
                "or add a `[virtual]` section."
            )
    for name, node in bench.nodes.items():
        node_checks.check(name, node, needs_port=bench.virtual is None, what=what)
    _check_ports(bench, what=what)
    flashing.check(bench.nodes, what=what)
    _check_channels(bench, what=what)
    _check_samplerates(bench, what=what)
    if section is not None:
        section.check(bench, source=what)
    return bench


def from_recording(recording: Recording) -> Bench:
    """The bench that a recording was made on.

    Raises
    ------
    BenchError
        It has none, as an imported one, or one that is wrong.
    """
    if not recording.info.bench and not any(recording.info.channels):
        raise BenchError(
            f"{recording.folder}: contains no edges of an analyzer. `gpiorig info` shows its content, "
            "for packets all of it; read lines of nodes with `gpiorig serial`, `latency` or `clocks`."
        )
    if not recording.info.bench:
        raise BenchError(
            f"{recording.folder}: has no bench, which names what its channels carry, so its edges are not events: "
            "give its file to `gpiorig report --bench`, or use `measure`, `decode` or `export`, which need none."
        )
    return loads(recording.info.bench, what=f"bench in {recording.folder}", is_recorded=True)


def place(bench: Bench, channel: str) -> tuple[str, str]:
    """The analyzer and its channel that a bench file means: `la:P8_45`, or `P8_45` where there is one analyzer.

    Raises
    ------
    ValueError
        The bench has no such channel.
    """
    analyzer, colon, name = channel.partition(":")
    if not colon:
        analyzer, name = next(iter(bench.analyzers)), channel
        if len(bench.analyzers) > 1:
            raise ValueError(f"channel `{channel}` of which analyzer? Write {analyzer}:{channel}.")
    if analyzer not in bench.analyzers:
        raise ValueError(f"channel `{channel}`: there is no analyzer `{analyzer}`.")
    return analyzer, name


def driver(bench: Bench, analyzer: str) -> str | None:
    """Sigrok's driver of an analyzer, as far as the file names it; None: the bench states it when it runs."""
    if bench.virtual is None:
        return bench.analyzers[analyzer].driver
    return virtual_section.load(bench.name).driver(bench, analyzer)


def settle_ns(bench: Bench, node: str) -> int:
    """How long after a strobe edge the data lines of a node are read in a merged recording: a sample of its analyzer.

    Rounded down, so that it is one sample where that analyzer is the reference; 0 where there is one analyzer.
    """
    channel = bench.nodes[node].lines.get("strobe")
    if channel is None or len(bench.analyzers) == 1:
        return 0
    return 1_000_000_000 // bench.analyzers[place(bench, channel)[0]].samplerate_hz


def _with_boards(bench: Bench, folder: Path | None, *, what: str) -> Bench:
    """The bench with the description of each board that is not gpiorig's, from its `boards` or from a file."""
    nodes = {}
    for name, node in bench.nodes.items():
        board = node.board
        if isinstance(board, str) and board in (bench.boards or {}):
            board = (bench.boards or {})[board]
        elif isinstance(board, str) and boards.is_file(board) and folder is not None:
            try:
                board = boards.load_file(folder / board)
            except BenchError as error:
                raise BenchError(f"{what}: nodes.{name}.board: {error}") from error
        nodes[name] = msgspec.structs.replace(node, board=board)
    return msgspec.structs.replace(bench, nodes=nodes)


def _without_none(table: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value is not None}


def _check_ports(bench: Bench, *, what: str) -> None:
    """A port, however it is named, is one node's."""
    owners: dict[str, str] = {}
    for name, node in bench.nodes.items():
        if bench.virtual is not None or node.serial is None:
            continue
        port = node.serial if "://" in node.serial else os.path.realpath(node.serial)
        if (owner := owners.setdefault(port, name)) != name:
            raise BenchError(
                f"{what}: nodes.{owner} and nodes.{name} have the same `serial`, {node.serial}; each node has a port "
                "of its own (`ls /dev/serial/by-id` names those that are there)."
            )


def _check_samplerates(bench: Bench, *, what: str) -> None:
    """Data lines are read one sample after the strobe's edge, so a symbol must last two samples.

    A recording of so few can be read; to record, it takes three (`symbols.refuse_short`).
    """
    for name, analyzer in bench.analyzers.items():
        held_ns = [
            node.held_ns
            for node in bench.nodes.values()
            if node.has_bus and place(bench, node.lines["strobe"])[0] == name
        ]
        symbol_ns = min(held_ns, default=1_000_000)
        least_hz = 2 * 1_000_000_000 // symbol_ns
        if analyzer.samplerate_hz < least_hz:
            raise BenchError(
                f"{what}: analyzers.{name}.samplerate_hz is {analyzer.samplerate_hz}; a symbol of the bus may last "
                f"{symbol_ns} ns, which takes {least_hz} at least, better 24000000."
            )


def _check_channels(bench: Bench, *, what: str) -> None:
    wanted = [channel for node in bench.nodes.values() for channel in node.lines.values()]
    wanted += [f"{name}:{analyzer.sync}" for name, analyzer in bench.analyzers.items() if analyzer.sync]
    try:
        uses = Counter(place(bench, channel) for channel in wanted)
    except ValueError as error:
        raise BenchError(f"{what}: {error}") from error
    twice = sorted(channel for (_, channel), count in uses.items() if count > 1)
    if twice:
        raise BenchError(f"{what}: more than one line on channel {', '.join(twice)}; a channel sees one line.")
