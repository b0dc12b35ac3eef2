"""The values of one quantity at one node of one point, read from its table of quantities."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.quantities import delay_stability
from gpiorig.analysis.quantities.series import weighted
from gpiorig.analysis.quantities.values import DOUBTS
from gpiorig.analysis.statistics import estimators, intervals, statistic_names
from gpiorig.analysis.statistics.intervals import NAN, Interval

SECOND = "s"
TIME, SHARE = "ns", "share"  # units in the table
WEIGHTED_POINTS = 1000  # of a distribution over time
PAIR = " > "  # between the two nodes of a delay


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """Values in the order of time.

    Parameters
    ----------
    name
        The quantity, and its node if it has one.
    values
        float64[n], in the unit of the table.
    weights
        int64[n], time for which each value held, in samples; None where they count alike.
    unit
        Unit in SI.
    scale
        Times this a value is in that unit.
    lacking
        Number of packets without a value.
    starts_s
        float64[n], when each value began, in s from the start of the recording.
    doubt
        Expanded uncertainty of a level such as the mean, in SI, by which all values may be off alike; 0 without.
    """

    name: str
    values: NDArray[np.float64]
    weights: NDArray[np.int64] | None
    unit: str
    scale: float
    lacking: int
    starts_s: NDArray[np.float64]
    doubt: float = 0.0

    @property
    def si(self) -> NDArray[np.float64]:
        """float64[n], the values in SI."""
        return self.values * self.scale

    @property
    def trials(self) -> bool:
        """Whether the values are outcomes of packets, 0 or 1."""
        return self.unit == SHARE and len(self.values) > 1 and bool(np.isin(self.values, (0, 1)).all())

    @property
    def drawn(self) -> NDArray[np.float64]:
        """float64[n], values in SI that are distributed as these: of weighted ones quantiles over time."""
        if self.weights is None:
            return self.si
        order = np.argsort(self.values, kind="stable")
        passed = np.cumsum(self.weights[order]) / self.weights.sum()
        return self.si[order][np.searchsorted(passed, (np.arange(WEIGHTED_POINTS) + 0.5) / WEIGHTED_POINTS)]

    def statistic(self, name: str) -> float:
        """A statistic in SI; without a name the one value, or the share of outcomes; NaN without values."""
        if not len(self.values):
            return NAN
        if not name:
            return self._single() * self.scale
        if delay_stability.is_statistic(name):
            value = delay_stability.statistic(name, self.values, self.starts_s * NS_PER_S)
            return value * self.scale if delay_stability.has_unit(name) else value
        if self.weights is not None:
            return weighted(np.rint(self.values).astype(np.int64), self.weights, name) * self.scale
        if name in statistic_names.EXTREMES:
            return estimators.extreme(self.values, name) * self.scale
        if len(self.values) < 2 and name in ("std", "iqr"):
            return NAN
        return estimators.named(self.values, name).value * self.scale

    def unit_of(self, name: str) -> str:
        """The unit in SI of a statistic."""
        return self.unit if delay_stability.has_unit(name) else "1"

    def interval(self, name: str) -> Interval:
        """The statistic with the interval of this one run, in SI; of weighted and single values without."""
        if self.trials and not name:
            return intervals.for_share(int(self.values.sum()), len(self.values), what="packets")
        if self.doubt and not name:
            value = self.statistic(name)
            return Interval(value, value - self.doubt, value + self.doubt, "expanded uncertainty, k = 2")
        if not name or self.weights is not None or delay_stability.is_statistic(name):
            return Interval(self.statistic(name), NAN, NAN, "none")
        return intervals.for_statistic(self.values, name, unit=self.scale).widened(self.doubt_of(name))

    def doubt_of(self, statistic: str) -> float:
        """By how much a statistic may be off as all values are, in SI: a spread is not."""
        is_spread = statistic in statistic_names.SPREADS or delay_stability.is_statistic(statistic)
        return 0.0 if is_spread else self.doubt

    def _single(self) -> float:
        if len(self.values) == 1:
            return float(self.values[0])
        if self.trials:
            return float(self.values.mean())
        raise QuantityError(f"`{self.name}` has {len(self.values)} values; add a statistic.")


def of_quantity(table: pa.Table, quantity: str, *, node: str = "") -> dict[str, Observed]:
    """The values of a quantity by node, in the order of the table.

    Parameters
    ----------
    table
        Table of quantities (`quantities.values.table`).
    quantity
        Name in its column ``quantity``.
    node
        The node asked for; of a delay, the node of its first milestone. Empty: all nodes.

    Raises
    ------
    QuantityError
        The table has no such rows.
    """
    rows = table.filter(pc.equal(table["quantity"], quantity))
    by_node = {
        name: _observed(rows.filter(pc.equal(rows["node"], name)), f"{quantity} at {name}" if name else quantity)
        for name in pc.unique(rows["node"]).to_pylist()
        if node in ("", name, name.partition(PAIR)[0])
    }
    if not by_node:
        known = ", ".join(pc.unique(rows["node"]).to_pylist())
        raise QuantityError(
            f"no `{quantity}` at `{node}`; it is at {known}." if known else f"no values of `{quantity}`."
        )
    return by_node


def _observed(rows: pa.Table, name: str) -> Observed:
    present = rows.filter(pc.is_valid(rows["value"]))
    unit = rows["unit"][0].as_py()
    is_time = unit == TIME
    held = present["held_samples"]
    weights = held.to_numpy() if len(present) and not held.null_count else None
    return Observed(
        name=name,
        values=present["value"].to_numpy(),
        weights=weights,
        unit=SECOND if is_time else unit,
        scale=1 / NS_PER_S if is_time else 1.0,
        lacking=len(rows) - len(present),
        starts_s=_starts_s(present),
        doubt=_doubts(rows).get(f"{rows['quantity'][0].as_py()} at {rows['node'][0].as_py()}", 0.0),
    )


def _doubts(rows: pa.Table) -> dict[str, float]:
    """The expanded uncertainties of energies and powers, which are in SI, by quantity and node."""
    content = (rows.schema.metadata or {}).get(DOUBTS.encode(), b"{}")
    return {str(name): float(doubt) for name, doubt in json.loads(content).items()}


def _starts_s(rows: pa.Table) -> NDArray[np.float64]:
    """When each value began; NaN where the table does not state it."""
    samplerate_hz = Fraction((rows.schema.metadata or {}).get(b"samplerate_hz", b"1").decode())
    starts = pc.cast(rows["start_sample"], pa.float64()).to_numpy()
    return np.asarray(starts / float(samplerate_hz), dtype=np.float64)
