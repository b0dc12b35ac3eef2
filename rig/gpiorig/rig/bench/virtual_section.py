"""What the core asks about the `[virtual]` table of a bench file: its keys are known to gpiorig-vbench only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from gpiorig.analysis.delays.instruments import Setting
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.distributions import VBENCH


class Section(Protocol):
    """The part `section` of the virtual bench."""

    def complete(self, table: Mapping[str, Any], *, source: str) -> dict[str, Any]:
        """The table with every key; raises `BenchError` with the key if one of it is unknown or impossible."""

    def check(self, bench: Bench, *, source: str) -> None:
        """Raise `BenchError` where the table does not fit the bench."""

    def driver(self, bench: Bench, analyzer: str) -> str | None:
        """Sigrok's driver of a virtual analyzer; None: the bench states it when it runs."""

    def parameters(self, bench: Bench) -> dict[str, int]:
        """What of the table are parameters of a recording."""

    def model_changes(self, bench: Bench) -> dict[str, int]:
        """Settings of the timing model that are not its own."""

    def model_doubt(self, board: str) -> tuple[Setting, ...]:
        """The numbers of a board's timing model that are in doubt; none where that was not measured."""

    def has_own_time(self, bench: Bench) -> bool:
        """Whether its time is not the host's, and may stand still."""

    def drops(self, bench: Bench, analyzer: str) -> bool:
        """Whether an analyzer loses samples by a fault that is asked for."""


def load(source: str) -> Section:
    """The part; raises `BenchError`, which names the source of the table, if it is not installed."""
    section: Section = VBENCH.load("section", needed_by=source)
    return section


def parameters(bench: Bench) -> dict[str, int]:
    """What of the `[virtual]` table are parameters of a recording."""
    return load(bench.name).parameters(bench) if bench.virtual is not None else {}


def has_own_time(bench: Bench) -> bool:
    """Whether its time is not the host's, and may stand still."""
    return bench.virtual is not None and load(bench.name).has_own_time(bench)


def drops(bench: Bench, analyzer: str) -> bool:
    """Whether an analyzer of a virtual bench loses samples by a fault that is asked for."""
    return bench.virtual is not None and load(bench.name).drops(bench, analyzer)


def model_doubt(board: str) -> tuple[Setting, ...]:
    """The numbers of a virtual board's timing model that are in doubt; none where that is not known."""
    return load(board).model_doubt(board) if VBENCH.is_installed else ()


def driver(bench: Bench, analyzer: str) -> str | None:
    """Sigrok's driver of an analyzer, as far as the file names it; None: the bench states it when it runs."""
    if bench.virtual is None:
        return bench.analyzers[analyzer].driver
    return load(bench.name).driver(bench, analyzer)
