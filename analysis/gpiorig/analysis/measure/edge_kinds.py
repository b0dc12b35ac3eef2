"""Kinds of edges by name."""

from typing import Literal

Kind = Literal["rise", "fall", "edge"]
KINDS: tuple[Kind, ...] = ("rise", "fall", "edge")
OPPOSITE: dict[Kind, Kind] = {"rise": "fall", "fall": "rise"}
