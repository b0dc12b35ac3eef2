"""Measurements as a user writes them: which channels, which edges of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from gpiorig.analysis.measure.edge_kinds import KINDS, OPPOSITE, Kind
from gpiorig.rig.errors import RigError

Way = Literal["between", "period", "width", "skew", "toggle"]
TOGGLE = "toggle"  # of a skew: pins that change with each event, whatever the direction
LEVELS = {"high": "rise", "low": "fall"}


@dataclass(frozen=True, slots=True)
class Spec:
    """One measurement.

    Attributes
    ----------
    way
        What is measured.
    ends
        (channel, kind of edge) of begin and end.
    """

    way: Way
    ends: tuple[tuple[str, Kind], tuple[str, Kind]]

    def on(self, node: str) -> Spec:
        """The same on the lines of one node."""
        begin, end = ((f"{node}.{line}", kind) for line, kind in self.ends)
        return Spec(self.way, (begin, end))


def between(begin: str, end: str) -> Spec:
    """From one edge to the next of another kind: ``D0:rise``, ``D1:fall``."""
    return Spec("between", (_edge(begin), _edge(end)))


def period(text: str) -> Spec:
    """From one edge of a channel to the next of the same kind."""
    return Spec("period", (_edge(text), _edge(text)))


def width(text: str) -> Spec:
    """How long a channel is ``high`` or ``low``."""
    channel, level = _split(text, tuple(LEVELS), default="high")
    kind = cast(Kind, LEVELS[level])
    return Spec("width", ((channel, kind), (channel, OPPOSITE[kind])))


def skew(earlier: str, later: str) -> Spec:
    """How much later the second channel shows the edges that both have."""
    begin, end = (_split(text, (*KINDS, TOGGLE), default="edge") for text in (earlier, later))
    if begin == end:
        raise RigError(f"--skew {earlier} {later}: is one channel; a skew is between two.")
    if begin[1] != end[1]:
        raise RigError(f"--skew {earlier} {later}: a skew is between edges of one kind; give both the same, or none.")
    if begin[1] == TOGGLE:
        return Spec("toggle", ((begin[0], "edge"), (end[0], "edge")))
    return Spec("skew", (cast(tuple[str, Kind], begin), cast(tuple[str, Kind], end)))


def _edge(text: str) -> tuple[str, Kind]:
    return cast(tuple[str, Kind], _split(text, KINDS, default="rise"))


def _split(text: str, words: tuple[str, ...], *, default: str) -> tuple[str, str]:
    """Channel and the word after its last colon, if that is one of the words."""
    channel, colon, word = text.rpartition(":")
    if colon and word in words:
        return channel, word
    if colon and word.lower() in {*KINDS, *LEVELS, "rising", "falling", "both"}:
        raise RigError(f"{text}: `{word}` is not known here; write {channel}:{f' or {channel}:'.join(words)}.")
    return text, default
