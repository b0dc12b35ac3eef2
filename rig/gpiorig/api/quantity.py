"""A quantity of a run: its values, their statistics with intervals, and what they may be off by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis.compare import assertions
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.quantities import values
from gpiorig.analysis.quantities.series import Series
from gpiorig.analysis.statistics import statistic_names
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.api.tabular import Tabular, timed
from gpiorig.rig.errors import RigError


@dataclass(frozen=True, eq=False, repr=False)
class Quantity(Tabular):
    """The values of a quantity at one node, or from one node to another (docs/guide/quantities.md).

    Attributes
    ----------
    name
        Its name, such as `rtt`.
    node
        The node, or `initiator > responder`.
    unit
        Of the values: `ns`, `1`, `J`, ….
    values
        float64[n], in the order of time.
    lacking
        Packets that have no value.
    uncertainty
        By which the values may be off (k = 2); 0 where they have none, as the delays of pins: those are in `table`
        of `steps`.
    table
        A row for each value and for each packet without one.
    """

    name: str
    node: str
    unit: str
    values: NDArray[np.float64]
    lacking: int
    uncertainty: float
    table: pa.Table
    _series: Series

    @property
    def value(self) -> float:
        """The only value, of a quantity that has one.

        Raises
        ------
        Error
            It has several: ask for a `statistic`.
        """
        if not self._series.quantity.kind.single:
            raise RigError(f"{self.name} has {len(self.values)} values; ask for statistic('median') or so.")
        return self._series.interval("").value

    def statistic(self, name: str) -> Interval:
        """A statistic with its 95 % interval, in the unit: `median`, `p99`, `mean`, `max`, `p2p`, `std`, …."""
        if not self._series.quantity.kind.single:
            statistic_names.checked(name)
        return self._series.interval(name)

    def __repr__(self) -> str:
        series = self._series
        named = "" if series.quantity.kind.single else "median "
        text = assertions.interval_text(series.interval("median"), series.quantity.kind.unit)
        return f"<Quantity {self.name[:60]} at {self.node[:40]}: {len(self.values)} values, {named}{text[:80]}>"


def of_series(series: Series, analysis: Analysis, epoch: str) -> Quantity:
    """A quantity from the values that the analysis has."""
    return Quantity(
        name=series.quantity.name,
        node=series.node,
        unit=series.quantity.kind.unit.value,
        values=np.asarray(series.values * float(series.scale), dtype=np.float64),
        lacking=series.lacking,
        uncertainty=series.doubt,
        table=timed(values.table([series], analysis), analysis.events.samplerate_hz, epoch),
        _series=series,
    )
