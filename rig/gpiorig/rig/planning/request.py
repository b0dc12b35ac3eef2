"""What a bench is asked for: its boards, their lines, how well a delay is to be known, for how long it records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.rig.bench import boards
from gpiorig.rig.bench.boards import Board
from gpiorig.rig.bench.checks import NAME
from gpiorig.rig.bench.node import OTHER_LINES
from gpiorig.rig.errors import BenchError

PAIR = ("initiator", "responder")  # the nodes of most experiments
TAPS = ("tap.irq", "tap.frame_timestamp", "tap.tx_active")  # without them steps join: docs/reference/bench-files.md
MAX_NODES = 64
_NODES = re.compile(r"(?:(?P<name>[^=]+)=)?(?:(?P<count>\d{1,3})x)?(?P<board>.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A bench, and what it is for.

    Attributes
    ----------
    nodes, boards
        The board of each node, as its file names it, and its description.
    lines
        Of each node, those that are wanted next to its symbol bus.
    width
        Data lines of each symbol bus, 0: no bus; None: as many as there are channels for, the board's own at most.
    resolution_ns, delay_ns
        What ± (k = 2) of a delay of this length may be at most; None: whatever 24 MHz or so give.
    duration_s, interval_s
        How long a recording lasts, and the time from one round trip to the next.
    groups
        Groups of events that are built in; None: all that the reference firmware begins with.
    samplerate_hz
        In place of the rate that follows from the rest.
    has_sync
        Whether a channel of each analyzer is for a sync line; several analyzers always have one.
    one_shot
        Recordings have a given number of samples, so an analyzer need not sample without an end.
    """

    nodes: Mapping[str, str]
    boards: Mapping[str, Board]
    lines: Mapping[str, tuple[str, ...]]
    width: int | None = None
    resolution_ns: float | None = None
    delay_ns: float = 100_000.0
    duration_s: Fraction = Fraction(20)
    interval_s: Fraction = Fraction(20, 1000)
    groups: frozenset[str] | None = None
    samplerate_hz: int | None = None
    has_sync: bool = False
    one_shot: bool = False

    def width_of(self, node: str, widest: int) -> int:
        """Data lines of a node's bus: what its pins can have, up to `widest`; 0 for none."""
        board = self.boards[node]
        return max((width for width in board.widths if width <= min(widest, self._most(node))), default=0)

    def _most(self, node: str) -> int:
        return self.boards[node].bus_width if self.width is None else self.width


def names_of(count: int) -> tuple[str, ...]:
    """What nodes are called that have no names."""
    return PAIR[:count] if count <= len(PAIR) else tuple(f"n{number + 1}" for number in range(count))


def nodes_of(words: Iterable[str]) -> dict[str, str]:
    """The nodes of words such as ``2xnrf52840dk``, ``telosb`` or ``client=iotlab-m3``, with their boards.

    Raises
    ------
    BenchError
        A name cannot be, comes twice or stands for several boards, or there are too many.
    """
    named: list[tuple[str | None, str]] = []
    for word in words:
        match = _NODES.fullmatch(word)
        if match is None:
            raise BenchError(f"`{word}` is not a node: write a board, NAME=BOARD, or 2xBOARD.")
        count = int(match["count"] or 1)
        if match["name"] and count != 1:
            raise BenchError(f"{word}: one name for {count} boards; name each, as in a={match['board']}.")
        named += [(match["name"], match["board"])] * count
    if not 1 <= len(named) <= MAX_NODES:
        raise BenchError(f"a plan is for 1 to {MAX_NODES} nodes, and {len(named)} are asked for.")
    usual = names_of(len(named))
    names = [name or usual[index] for index, (name, _) in enumerate(named)]
    if wrong := [name for name in names if not NAME.fullmatch(name)]:
        raise BenchError(f"node `{wrong[0]}`: use up to 64 letters, digits, - and _, a letter first.")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BenchError(f"two nodes are called {twice[0]}; give each a name, as in NAME=BOARD.")
    return {name: board for name, (_, board) in zip(names, named, strict=True)}


def descriptions(nodes: Mapping[str, str]) -> dict[str, Board]:
    """The description of each node's board: gpiorig's, or a file."""
    return {
        name: boards.load_file(Path(board)) if boards.is_file(board) else boards.load(board)
        for name, board in nodes.items()
    }


def lines_of(words: Iterable[str] | None, described: Mapping[str, Board]) -> dict[str, tuple[str, ...]]:
    """The lines of each node next to its bus, of words such as ``tap.irq`` or ``initiator:uart_tx``.

    A line without a node is of all whose boards have a pin for it; None: the taps.

    Raises
    ------
    BenchError
        There is no such line or node, or no board has a pin for it.
    """
    chosen: dict[str, list[str]] = {name: [] for name in described}
    for word in TAPS if words is None else words:
        node, colon, line = word.rpartition(":")
        if line not in OTHER_LINES and f"{line}.enter" not in BY_NAME:
            raise BenchError(
                f"--lines {word}: no such line; valid are {', '.join(OTHER_LINES)} and the spans of "
                "firmware-gpio-probes/events.toml, such as tap.irq. The symbol bus is there without being named."
            )
        if colon and node not in described:
            raise BenchError(f"--lines {word}: there is no node {node}; the nodes are {', '.join(described)}.")
        owners = [name for name, board in described.items() if node in ("", name) and line in board.pins]
        if not owners and words is not None:
            pins = sorted({pin for name, board in described.items() if node in ("", name) for pin in board.pins})
            raise BenchError(f"--lines {word}: no board has a pin for it; the boards have {', '.join(pins)}.")
        for name in owners:
            chosen[name].append(line)
    return {name: tuple(dict.fromkeys(lines)) for name, lines in chosen.items()}
