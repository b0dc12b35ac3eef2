"""Whether a node of a bench file can be: its board, its lines, its console, its port."""

from __future__ import annotations

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.rig.bench import boards, consoles
from gpiorig.rig.bench.node import OTHER_LINES, Node
from gpiorig.rig.errors import BenchError


def check(name: str, node: Node, *, needs_port: bool, what: str) -> None:
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
