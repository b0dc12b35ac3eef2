"""What only a page has that `gpiorig view` serves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class EdgesPanel:
    """The edges of all channels between two instants of a capture, in ns; on a page that is served only.

    `text` describes a capture that the rest of the page does not.
    """

    kind: ClassVar[str] = "edges"
    start_ns: float
    end_ns: float
    period_ns: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class LiveTable:
    """The table of a capture that runs; on a page that is served only."""

    kind: ClassVar[str] = "live"


@dataclass(frozen=True, slots=True)
class ServedRun:
    """One of several runs on a page: where the answers about it are, its recording, its edges."""

    address: str
    folder: str
    panel: EdgesPanel


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
        Numbers, from 1, of the run that the page shows, twice, or of the runs that it compares.
    folder
        The recording, for commands that the page names; empty on a page of several runs.
    compared
        On a page of several runs each of them.
    """

    address: str
    runs: tuple[str, ...]
    shown: tuple[int, ...]
    folder: str = ""
    compared: tuple[ServedRun, ...] = ()

    @property
    def comparison(self) -> str:
        """Where the page of all runs is; empty for two, which their lists choose."""
        numbers = "/".join(str(number) for number in range(1, len(self.runs) + 1))
        return f"/compare/{numbers}/" if len(self.runs) > 2 else ""
