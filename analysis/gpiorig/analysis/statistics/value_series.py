"""Values in the order of time, with what several statistics of them need, each computed once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.statistics import dependence, resampling, tally
from gpiorig.analysis.statistics.dependence import Dependence, Derived
from gpiorig.analysis.statistics.resampling import Resampling, ValueCells
from gpiorig.analysis.statistics.summary import RESOLUTION_SAMPLES
from gpiorig.analysis.statistics.tally import Ordered


class ValueSeries:
    """Values, int64 or float64[n], in the order of time.

    Parameters
    ----------
    values
        The values.
    ordered
        The same by size (`tally.ordered`), if that is there already.
    """

    def __init__(self, values: NDArray[Any], ordered: Ordered | None = None) -> None:
        self.values = values
        self._ordered = ordered
        self._below: dict[tuple[float, int], Dependence] = {}
        self._cells: dict[int, ValueCells] = {}

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def ordered(self) -> Ordered:
        """The values by size."""
        return tally.ordered(self.values) if self._ordered is None else self._ordered

    @property
    def low(self) -> Any:
        """The least value."""
        return self.ordered[0]

    @property
    def high(self) -> Any:
        """The greatest value."""
        return self.ordered[-1]

    @property
    def is_resolved(self) -> bool:
        """Whether they vary by more than the analyzer resolves, if they are samples."""
        return not np.issubdtype(self.values.dtype, np.integer) or self.high - self.low > RESOLUTION_SAMPLES

    @cached_property
    def dependence(self) -> Dependence:
        """That of the values."""
        return dependence.measure(self.values)

    def until(self, value: float) -> Derived:
        """Whether each value is not above another, bool[n]."""
        return Derived(self.values, lambda part: part <= value)

    def dependence_until(self, value: float, *, lags: int = 0) -> Dependence:
        """That of `until`."""
        key = (value, lags)
        if key not in self._below:
            self._below[key] = dependence.measure(self.until(value), lags=lags)
        return self._below[key]

    def cells(self, plan: Resampling) -> ValueCells:
        """The values in the cells of a plan, for quantiles of its resamples."""
        count = len(plan.edges)
        if count not in self._cells:  # which are those of every plan of as many values
            self._cells[count] = resampling.value_cells(self.values, plan)
        return self._cells[count]


def series_of(values: NDArray[Any] | ValueSeries) -> ValueSeries:
    """The series of some values."""
    return values if isinstance(values, ValueSeries) else ValueSeries(values)
