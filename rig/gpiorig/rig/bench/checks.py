"""Whether a bench can be: its names, its nodes with their boards, lines and ports, its channels and samplerates."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping

import msgspec

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.rig.bench import boards, consoles, flashing, virtual_section
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.node import OTHER_LINES, Node
from gpiorig.rig.distributions import VBENCH
from gpiorig.rig.errors import BenchError

# Names of nodes and analyzers become parts of file and channel names.
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


def check(bench: Bench, *, what: str, is_recorded: bool = False) -> Bench:
    """The bench itself with every key of its `[virtual]` table, if it can be; raises `BenchError` otherwise."""
    section = None
    if bench.virtual is not None and (VBENCH.is_installed or not is_recorded):
        section = virtual_section.load(what)
        bench = msgspec.structs.replace(bench, virtual=section.complete(bench.virtual, source=what))
    if not bench.nodes or not bench.analyzers:
        raise BenchError(f"{what}: needs at least one `[nodes.NAME]` and one `[analyzers.NAME]`.")
    for name in (*bench.nodes, *bench.analyzers):
        if not NAME.fullmatch(name):
            raise BenchError(f"{what}: name `{name}`: use up to 64 letters, digits, - and _, a letter first.")
    for name, analyzer in bench.analyzers.items():
        if bench.virtual is None and analyzer.driver is None:
            raise BenchError(
                f'{what}: analyzers.{name} has no `driver`; give sigrok\'s, such as driver = "fx2lafw", '
                "or add a `[virtual]` section."
            )
    for name, node in bench.nodes.items():
        _check_node(name, node, needs_port=bench.virtual is None, what=what)
    _check_ports(bench, what=what)
    _check_samplerates(bench, _analyzers(bench, what=what), what=what)
    flashing.check(bench.nodes, what=what)
    if section is not None:
        section.check(bench, source=what)
    return bench


def _check_node(name: str, node: Node, *, needs_port: bool, what: str) -> None:
    """Raise `BenchError` where board, lines, console or port of a node cannot be; a virtual one needs no port."""
    try:
        board = boards.check(node.described_board, what=node.board_name)
    except BenchError as error:
        raise BenchError(f"{what}: nodes.{name}.board: {error}") from error
    try:
        _ = node.described_console
    except BenchError as error:
        raise BenchError(f"{what}: nodes.{name}.console: {error}") from error
    if node.width not in board.widths:
        raise BenchError(
            f"{what}: nodes.{name}.bus_width is {node.width}; the pins of {board.name} can have "
            f"{', '.join(map(str, board.widths))}."
        )
    bus = {"strobe", *node.data_lines}
    missing = sorted(bus - node.lines.keys())
    if missing and bus & node.lines.keys():  # an image without probes has none of them
        narrower = [width for width in board.widths if width < node.width]
        remedy = f" For an image with fewer, write `bus_width = {narrower[0]}`." if narrower else ""
        raise BenchError(
            f"{what}: nodes.{name}.lines lacks {', '.join(missing)}; a symbol bus of width {node.width} has "
            f"{', '.join(sorted(bus))}.{remedy}"
        )
    for line in node.lines.keys() - bus - set(OTHER_LINES):
        if f"{line}.enter" not in BY_NAME:
            raise BenchError(
                f"{what}: nodes.{name}.lines.{line}: no such line; valid are {', '.join((*sorted(bus), *OTHER_LINES))} "
                "and the spans of firmware-gpio-probes/events.toml, such as tap.irq."
            )
    if needs_port and node.serial is None and node.console != consoles.NONE:
        raise BenchError(
            f'{what}: nodes.{name} has no `serial`; give its port, such as serial = "/dev/ttyUSB0", or '
            f'console = "{consoles.NONE}" for firmware that is not spoken to.'
        )


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


def _analyzers(bench: Bench, *, what: str) -> dict[str, str]:
    """The analyzer of each channel in use; raises `BenchError` if a channel has two lines, or is of no analyzer."""
    channels = [channel for node in bench.nodes.values() for channel in node.lines.values()]
    channels += [f"{name}:{analyzer.sync}" for name, analyzer in bench.analyzers.items() if analyzer.sync]
    try:
        places = [bench.place(channel) for channel in channels]
    except ValueError as error:
        raise BenchError(f"{what}: {error}") from error
    twice = sorted(channel for (_, channel), count in Counter(places).items() if count > 1)
    if twice:
        raise BenchError(f"{what}: more than one line on channel {', '.join(twice)}; a channel sees one line.")
    return {channel: analyzer for channel, (analyzer, _) in zip(channels, places, strict=True)}


def _check_samplerates(bench: Bench, analyzers: Mapping[str, str], *, what: str) -> None:
    """Data lines are read one sample after the strobe's edge, so a symbol must last two samples.

    A recording of so few can be read; to record, it takes three (`symbols.refuse_short`).
    """
    for name, analyzer in bench.analyzers.items():
        nodes = [node for node in bench.nodes.values() if node.has_bus]
        held_ns = [node.held_ns for node in nodes if analyzers[node.lines["strobe"]] == name]
        symbol_ns = min(held_ns, default=1_000_000)
        least_hz = 2 * 1_000_000_000 // symbol_ns
        if analyzer.samplerate_hz < least_hz:
            raise BenchError(
                f"{what}: analyzers.{name}.samplerate_hz is {analyzer.samplerate_hz}; a symbol of the bus may last "
                f"{symbol_ns} ns, which takes {least_hz} at least, better 24000000."
            )
