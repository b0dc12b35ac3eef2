"""What only a page has that `gpiorig view` serves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class EdgesPanel:
    """The edges of all channels between two instants of a recording, in ns; on a page that is served only."""

    kind: ClassVar[str] = "edges"
    start_ns: float
    end_ns: float
    period_ns: float


@dataclass(frozen=True, slots=True)
class LiveTable:
    """The table of a capture that runs; on a page that is served only."""

    kind: ClassVar[str] = "live"


@dataclass(frozen=True, slots=True)
class Served:
    """What a page asks its server for.

    Parameters
    ----------
    address
        Where the answers about its run are; empty on a page of several runs.
    runs
        Names of all runs.
    shown
        Numbers, from 1, of the run or the two runs that the page shows.
    folder
        The recording, for commands that the page names; empty on a page of several runs.
    """

    address: str
    runs: tuple[str, ...]
    shown: tuple[int, int]
    folder: str = ""
