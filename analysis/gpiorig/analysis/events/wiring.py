"""Wiring: the analyzer channels of the lines of every node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Bus:
    """The symbol bus of one node (docs/reference/line-code.md).

    Parameters
    ----------
    strobe
        Channel of the strobe line.
    data
        Channels of the data lines, line 0 (the least significant bit of a symbol) first: 1, 2, 4 or 8.
    frame_gap_ns
        Quiet time that separates two frames: a fact of the board port.
    settle_ns
        Data lines are read this long after the strobe, one sample at least: the sample period, rounded down, of the
        analyzer that sees them, where a merged recording counts in another's samples.
    """

    strobe: str
    data: tuple[str, ...]
    frame_gap_ns: int
    settle_ns: int = 0


@dataclass(frozen=True, slots=True)
class NodeLines:
    """The lines of one node.

    Parameters
    ----------
    name
        Name of the node.
    bus
        Its symbol bus, if it has one.
    lines
        Span lines: name of the point (such as ``tap.irq``) -> channel.
    """

    name: str
    bus: Bus | None = None
    lines: Mapping[str, str] = field(default_factory=dict)
