"""Delays that were measured on a capture, or that a log has: their table, statistics and distribution."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis.number_text import NS_PER_S, count_text, time_text
from gpiorig.analysis.statistics import intervals, statistic_names
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.statistics.summary import Summary, summarize
from gpiorig.api.tabular import Tabular
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import delay_files

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Delays(Tabular):
    """Delays, as `gpiorig measure` and `gpiorig latency` find them.

    Attributes
    ----------
    name
        What was measured.
    table
        A row for each delay: what `-o FILE` writes, and the same in seconds and as dates.
    numbers
        The object that the command prints with `--json`.
    series
        int64[n] by name: the delays of each node, or of each kind, in units of 1 / `unit_hz` seconds.
    unit_hz
        Exact: the samplerate of a capture, 10^9 of a log.
    virtual
        Whether it is of a virtual bench; then `plot` marks the axes.
    """

    name: str
    table: pa.Table
    numbers: dict[str, Any]
    series: Mapping[str, NDArray[np.int64]]
    unit_hz: Fraction
    virtual: bool

    @property
    def delays_s(self) -> NDArray[np.float64]:
        """float64[n], in the order of the table."""
        return np.asarray(self.table.column("delay_s").to_numpy())

    @property
    def summary(self) -> Summary:
        """Statistics of all delays, in ns: `n`, `min_ns`, `median_ns`, `mean_ns`, `p99_ns`, `max_ns`, `std_ns`, …."""
        return summarize(self._all(), samplerate_hz=self.unit_hz)

    def statistic(self, name: str) -> Interval:
        """A statistic of all delays with its 95 % interval, in ns: `median`, `p99`, `mean`, `max`, `p2p`, `std`, …."""
        statistic_names.checked(name)
        if not len(self):
            return Interval(math.nan, math.nan, math.nan, "none", "no delay")
        return intervals.for_statistic(self._all(), name, unit=float(NS_PER_S / self.unit_hz))

    def plot(self, ax: Axes) -> None:
        """Draw the share of the delays at or below each, in µs, a step for each series.

        Raises
        ------
        Error
            There is no delay.
        """
        if not len(self):
            raise RigError(f"{self.name}: no delay to draw; choose events that occur.")
        delay_files.curves(ax, self.series, us=float(1_000_000 / self.unit_hz))
        if self.virtual:
            from gpiorig.analysis.figures import style

            style.mark_virtual(ax)

    def _all(self) -> NDArray[np.int64]:
        return np.concatenate([np.empty(0, dtype=np.int64), *self.series.values()])

    def __repr__(self) -> str:
        name, n = self.name if len(self.name) <= 80 else f"{self.name[:79]}…", count_text(len(self), "delay")
        if not len(self):
            return f"<Delays of {name}: {n}>"
        s = self.summary
        times = f"median {time_text(s.median_ns)}, {time_text(s.min_ns)} to {time_text(s.max_ns)}"
        return f"<Delays of {name}: {n}, {times}>"
