"""A measurement between edges, with its statistics, and its object of `--json`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from msgspec import UNSET, UnsetType

from gpiorig.analysis.delays.uncertainty import DelayUncertainty
from gpiorig.analysis.measure.edges import PairCounts, Pairs
from gpiorig.analysis.measure.nominal import Deviation
from gpiorig.analysis.statistics.summary import TIMES, Summary
from gpiorig.rig.measure.comparisons import DeviationNumbers
from gpiorig.rig.plain_json import Number, Result
from gpiorig.rig.recordings.time_base import TimeBaseNumbers


class MeasurementNumbers(Result, frozen=True, kw_only=True):
    """What was measured, with its statistics and the expanded uncertainty of the longest delay and of the median.

    The fields up to `time_base` are of the only measurement; those of nodes have them in common.
    """

    samplerate_hz: float | UnsetType = UNSET
    virtual: bool | UnsetType | None = UNSET
    state: str | UnsetType | None = UNSET
    remarks: tuple[str, ...] | UnsetType = UNSET
    time_base: TimeBaseNumbers | UnsetType = UNSET
    measured: str
    unpaired_start: int
    unpaired_end: int
    too_long: int
    across_gaps: int
    n: int
    __annotations__.update(dict.fromkeys(TIMES, Number))
    uncertainty_ns: Number
    median_uncertainty_ns: Number
    hint: str
    deviation: DeviationNumbers | UnsetType = UNSET


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """What was measured, with its statistics.

    Attributes
    ----------
    pairs
        Counts of the delays, and where they are `single` themselves.
    edges
        How many begins and ends there were.
    summary
        Statistics of the delays.
    uncertainty
        Of the median, and of any other delay.
    hint
        What to try where the result is hardly what was meant.
    deviation
        Of the mean from the nominal delay; None where there is none to compare.
    """

    pairs: PairCounts
    edges: tuple[int, int]
    summary: Summary
    uncertainty: DelayUncertainty
    hint: str = ""
    deviation: Deviation | None = None

    @property
    def single(self) -> Pairs:
        """The delays; there are none of a measurement that counted them."""
        assert isinstance(self.pairs, Pairs)
        return self.pairs

    @property
    def longest_expanded_ns(self) -> float:
        """Expanded uncertainty of the longest delay, the largest of all; NaN without any."""
        longest_ns = np.fmax(abs(self.summary.min_ns), abs(self.summary.max_ns))
        return float(self.uncertainty.expanded_of(np.asarray(longest_ns)))

    @property
    def median_expanded_ns(self) -> float:
        """Expanded uncertainty of a delay as long as the median; NaN without any."""
        return float(self.uncertainty.expanded_of(np.asarray(self.summary.median_ns)))

    def numbers(self) -> MeasurementNumbers:
        """For `--json`."""
        return MeasurementNumbers.of(
            self.pairs,
            self.summary,
            measured=self.pairs.name,
            uncertainty_ns=self.longest_expanded_ns,
            median_uncertainty_ns=self.median_expanded_ns,
            hint=self.hint,
            deviation=UNSET if self.deviation is None else DeviationNumbers.of(self.deviation),
        )
