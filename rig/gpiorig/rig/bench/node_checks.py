"""Whether a node of a bench file can be: its board, its lines, its console, its port."""

from __future__ import annotations

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.rig.bench import boards, consoles
from gpiorig.rig.bench.node import OTHER_LINES, Node
from gpiorig.rig.errors import BenchError
from gpiorig.vbench.description.virtual import Virtual
from gpiorig.vbench.description.world import VirtualNode


def check(name: str, node: Node, *, virtual: Virtual | None, what: str) -> None:
    """Raise `BenchError` where board, lines, console or port of a node cannot be."""
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
    if virtual is not None:
        if board.name not in boards.names():
            raise BenchError(
                f"{what}: nodes.{name}.board: no model of {board.name} exists; use one of {', '.join(boards.names())}."
            )
        known = pins(name, node, virtual)
        unknown = sorted(node.lines.keys() - known.keys())
        if unknown:
            raise BenchError(
                f"{what}: nodes.{name}.lines: the virtual {board.name} has no pin for {', '.join(unknown)}; it has "
                f"{', '.join(sorted(known))}. Name others in [virtual.nodes.{name}.pins]."
            )
        start = virtual.nodes.get(name, VirtualNode()).radio_start
        if start not in board.radio.virtual_starts:
            raise BenchError(
                f"{what}: virtual.nodes.{name}.radio_start is `{start}`; the virtual {board.radio.name} has "
                f"{', '.join(board.radio.virtual_starts)}."
            )
    elif node.serial is None and node.console != consoles.NONE:
        raise BenchError(
            f'{what}: nodes.{name} has no `serial`; give its port, such as serial = "/dev/ttyUSB0", or '
            f'console = "{consoles.NONE}" for firmware that is not spoken to.'
        )


def pins(name: str, node: Node, virtual: Virtual) -> dict[str, str]:
    """Where each line of a virtual node comes out: its board's pins, and the node's own."""
    return node.described_board.pins | virtual.nodes.get(name, VirtualNode()).pins
