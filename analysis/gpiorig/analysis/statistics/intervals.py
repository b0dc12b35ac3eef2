"""Interval estimates: a number, and the interval that holds the true one with a stated confidence.

Values come in the order of time, since packets that follow each other may resemble each other. Whether they do is
measured (`gpiorig.analysis.statistics.dependence`), and `Interval.method` states how they were treated. Bootstraps are
seeded with a constant: equal values give equal intervals.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from gpiorig.analysis.statistics import dependence, estimators, order_statistics, resampling, statistic_names
from gpiorig.analysis.statistics.dependence import Dependence
from gpiorig.analysis.statistics.estimators import Estimator
from gpiorig.analysis.statistics.order_statistics import CONFIDENCE as CONFIDENCE
from gpiorig.analysis.statistics.resampling import Resampling
from gpiorig.analysis.statistics.value_series import ValueSeries, series_of

NAN = float("nan")
Values: TypeAlias = estimators.Values | ValueSeries  # a series serves several statistics of its values
MAY_BE_SHORT = "the autocorrelation does not die out: the interval may be too short"
FEW_BLOCKS = 10  # of dependent values, below which an interval may be too short
MIN_VALUES = 10  # for a bootstrap: fewer show too little of how they are distributed


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its confidence interval.

    Parameters
    ----------
    value
        The estimate, float64; NaN where it is not defined.
    low, high
        Ends of the interval; NaN where none can be given (`note` gives the reason).
    method
        How the interval was found, such as ``order statistics`` or ``block bootstrap, blocks of 12``.
    note
        A condition that the reader must know, such as ``all values are equal``; empty if nothing.
    """

    value: float
    low: float
    high: float
    method: str
    note: str = ""

    @property
    def half_width(self) -> float:
        """Half the distance of its ends; NaN or infinite where one is missing."""
        return (self.high - self.low) / 2

    @property
    def is_bounded(self) -> bool:
        """Whether it has both ends."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def scaled(self, unit: float) -> Interval:
        """The same in other units, of which the present one is `unit`."""
        return dataclasses.replace(self, value=self.value * unit, low=self.low * unit, high=self.high * unit)

    def widened(self, half_width: float) -> Interval:
        """The same with ends that are farther away, by what the values themselves may be off."""
        return dataclasses.replace(self, low=self.low - half_width, high=self.high + half_width)

    def with_note(self, note: str) -> Interval:
        """The same with a further remark."""
        return dataclasses.replace(self, note=joined(self.note, note))


def for_quantile(values: Values, p: float, *, unit: float = 1.0, lags: int = 0, origin: int = 0) -> Interval:
    """A quantile (`statistics.quantile`) between two order statistics.

    Distribution-free: the r-th and s-th smallest of n independent values hold the quantile with the probability
    P(r <= K < s), K binomial (n, p); for discrete values with at least that (H. A. David and H. N. Nagaraja, Order
    Statistics, 3rd ed., Wiley 2003, section 7.1). r and s leave at most half of 1 - `CONFIDENCE` on either side. Where
    the values depend on each other, the ranks are those for as many independent values as the values below the
    quantile are worth (`dependence.measure` of the indicator; R. S. Woodruff, "Confidence Intervals for Medians and
    Other Position Measures", JASA 47 (260), 1952, pp. 635-646).

    Parameters
    ----------
    values
        int64 or float64[n].
    p
        0 < p < 1.
    unit
        What the results are multiplied by, such as ns per sample.
    lags
        As of `dependence.measure`.
    origin
        What is subtracted from the results first, in units of the values.
    """
    series = series_of(values)
    unclear = _degenerate(series, origin=origin)
    if unclear is not None and unclear.method == "none":  # equal values are values: too few show little of the rest
        return unclear.scaled(unit)
    ordered, n = series.ordered, len(series)
    value = estimators.quantile_of(ordered, p, origin=origin)
    below = series.dependence_until(estimators.quantile_of(ordered, p), lags=lags)
    effective = max(1, int(below.effective))
    low, high = order_statistics.ranks(effective, p)
    scale = Fraction(n, effective)
    bottom = float(ordered[max(0, math.floor(low * scale) - 1)] - origin) if low else NAN
    top = float(ordered[min(n, math.ceil(high * scale)) - 1] - origin) if high <= effective else NAN
    method = "order statistics"
    if effective < n:
        method += f", {n} dependent values counted as {effective}"
    note = _note(series)
    if not low or high > effective:
        ends = "either end" if not low and high > effective else "an upper end" if low else "a lower end"
        needed = order_statistics.needed_for(p)
        note = joined(note, f"too few values for {ends}: {needed} independent ones are needed")
    return Interval(value, bottom, top, method, note).scaled(unit)


def for_mean(values: Values, *, unit: float = 1.0, lags: int = 0) -> Interval:
    """The arithmetic mean, block bootstrap; `lags` as of `dependence.measure`."""
    series = series_of(values)
    unclear = _degenerate(series)
    if unclear is None:
        unclear = bootstrapped(estimators.mean(series.values), note=_note(series), lags=lags)
    return unclear.scaled(unit)


def for_std(values: Values, *, unit: float = 1.0) -> Interval:
    """The sample standard deviation (n - 1), block bootstrap with blocks for the squared distances."""
    return _resampled(values, estimators.std, unit)


def _resampled(values: Values, estimator: Callable[[estimators.Values], Estimator], unit: float) -> Interval:
    """A statistic that is 0 where nothing varies, block bootstrap."""
    series = series_of(values)
    unclear = _degenerate(series, spread=True)
    if unclear is None:
        unclear = bootstrapped(estimator(series.values), note=_note(series))
    return unclear.scaled(unit)


def for_spread(values: Values, low: float, high: float, *, unit: float = 1.0) -> Interval:
    """Distance of two quantiles, such as the interquartile range; block bootstrap."""
    series = series_of(values)
    unclear = _degenerate(series, spread=True)
    needed = order_statistics.needed_for(max(high, 1 - low))
    if unclear is not None and (unclear.method == "none" or len(series) >= needed):
        return unclear.scaled(unit)
    spread = estimators.spread(series, low, high)
    note = _note(series)
    measured = [series.dependence_until(estimators.quantile_of(series.ordered, p)) for p in (low, high)]
    if min(below.effective for below in measured) < needed:
        note = joined(note, f"too few values for an interval: {needed} independent ones are needed")
        return Interval(spread.value, NAN, NAN, "none", note).scaled(unit)
    return bootstrapped(spread, note=note, measured=measured).scaled(unit)


def for_minimum(values: Values, *, unit: float = 1.0) -> Interval:
    """The smallest value, and which share of all is not smaller; see `for_range`."""
    return _extreme(values, lambda series: float(series.low), 1, "not smaller", unit)


def for_maximum(values: Values, *, unit: float = 1.0) -> Interval:
    """The largest value, and which share of all is not larger; see `for_range`."""
    return _extreme(values, lambda series: float(series.high), 1, "not larger", unit)


def for_range(values: Values, *, unit: float = 1.0) -> Interval:
    """Largest minus smallest value, and which share of all lies between them.

    An end of a distribution has no confidence interval from a sample without a model of its tail, and a bootstrap
    never exceeds what was seen; so there is one end only, the value itself. The statement that holds for any
    distribution is the tolerance interval of S. S. Wilks, "Determination of Sample Sizes for Setting Tolerance Limits",
    Annals of Mathematical Statistics 12 (1), 1941, pp. 91-96: the share between smallest and largest of n independent
    values is Beta (n - 1, 2) distributed, that below the largest Beta (n, 1). The note reports it.
    """
    return _extreme(values, lambda series: float(series.high - series.low), 2, "between the two", unit)


def for_statistic(values: Values, name: str, *, unit: float = 1.0) -> Interval:
    """A statistic by name: min, p5, median, mean, p95, p99, p99.9 (any percentile), max, std, p2p, iqr.

    Raises
    ------
    QuantityError
        There is no such statistic.
    """
    plain = {"min": for_minimum, "max": for_maximum, "p2p": for_range, "mean": for_mean}
    if name in plain:
        return plain[name](values, unit=unit)
    if name == "iqr":
        return for_spread(values, 0.25, 0.75, unit=unit)
    if name in estimators.NAMED:
        return _resampled(values, estimators.NAMED[name], unit)
    return for_quantile(values, statistic_names.probability(name), unit=unit)


def for_share(count: int, total: int, *, what: str) -> Interval:
    """The share of `count` among `total`, with the interval of C. J. Clopper and E. S. Pearson.

    "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial", Biometrika 26 (4), 1934,
    pp. 404-413: exact for cases, which are called `what`, that are independent of each other.
    """
    from scipy.special import betaincinv

    outside = (1 - CONFIDENCE) / 2
    if not total:
        return Interval(NAN, NAN, NAN, "none", "no packets")
    low = float(betaincinv(count, total - count + 1, outside)) if count else 0.0
    high = float(betaincinv(count + 1, total - count, 1 - outside)) if count < total else 1.0
    return Interval(count / total, low, high, "Clopper and Pearson 1934", f"if {what} are independent")


def bootstrapped(
    estimator: Estimator, *, note: str = "", lags: int = 0, measured: Sequence[Dependence] = ()
) -> Interval:
    """An interval by the circular block bootstrap; see `resampling.resample` and `resampling.limits`.

    `measured` is the dependence of the estimator's influence, if that is there already.
    """
    n = len(estimator.influence[0])
    if n < MIN_VALUES:
        note = joined(note, f"too few values for an interval: {n} of {MIN_VALUES}")
        return Interval(estimator.value, NAN, NAN, "none", note)
    measured = measured or [dependence.measure(influence, lags=lags) for influence in estimator.influence]
    block, dies_out = dependence.block_of(measured, lags=lags)
    plan = resampling.resample(n, block)
    note = joined(note, block_note(plan, dies_out=dies_out))
    if plan.blocks < resampling.MIN_BLOCKS:
        note = joined(note, f"too few values for an interval: {n} in blocks of {plan.block}")
        return Interval(estimator.value, NAN, NAN, "none", note)
    of = estimator.replicates(plan)
    low, high = resampling.limits(estimator.value, of(plan.weights), of(plan.without), blocks=plan.blocks)
    return Interval(estimator.value, low, high, block_method(block, plan), note)


def block_note(plan: Resampling, *, dies_out: bool) -> str:
    """The condition that makes an interval of this plan too short, if there is one."""
    if not dies_out:
        return MAY_BE_SHORT
    if plan.block > 1 and resampling.MIN_BLOCKS <= plan.blocks < FEW_BLOCKS:
        return f"only {plan.blocks} blocks of packets that depend on each other: the interval may be too short"
    return ""


def block_method(block: int, plan: Resampling) -> str:
    """Text for the method of a bootstrap; `block` is the length that the autocorrelation requires."""
    return "bootstrap" if block == 1 else f"block bootstrap, blocks of {plan.block}"


def _extreme(values: Values, of: Callable[[ValueSeries], float], ends: int, where: str, unit: float) -> Interval:
    series = series_of(values)
    unclear = _degenerate(series, spread=ends == 2)
    if unclear is not None and math.isnan(unclear.low):
        return unclear.scaled(unit)
    share = order_statistics.covered(series.dependence.effective, ends)
    note = joined(
        _note(series),
        f"what was seen, no interval; with {100 * CONFIDENCE:g} % confidence at least {100 * share:.4g} % of all "
        f"packets are {where}",
    )
    return Interval(of(series), NAN, NAN, "extremes seen, tolerance by Wilks 1941", note).scaled(unit)


def _degenerate(series: ValueSeries, *, spread: bool = False, origin: int = 0) -> Interval | None:
    """The interval of values that need no statistics, or allow none; None of all others."""
    n = len(series)
    if n < (2 if spread else 1):
        return Interval(NAN, NAN, NAN, "none", f"{n} values")
    value = 0.0 if spread else float(series.values[0] - origin)
    if n == 1:
        return Interval(value, NAN, NAN, "none", "a single value")
    if series.low == series.high:
        share = order_statistics.covered(n, 1)
        note = f"{_all_equal(n)}; with {100 * CONFIDENCE:g} % confidence at least {100 * share:.4g} % of all are"
        return Interval(value, value, value, "none needed", note)
    return None


def _all_equal(n: int) -> str:
    return f"all {n} values are equal"


def _note(series: ValueSeries) -> str:
    if series.low == series.high:
        return _all_equal(len(series))
    return "" if series.is_resolved else "varies by no more than the analyzer resolves"


def joined(*notes: str) -> str:
    """Remarks in one line, without the empty ones."""
    return "; ".join(note for note in notes if note)
