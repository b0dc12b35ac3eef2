"""Summary statistics of delays: exact on integer samples, rounded once, when they become nanoseconds."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gpiorig.analysis.number_text import NS_PER_S

if TYPE_CHECKING:  # a limit is checked by the names, before numpy is imported
    import numpy as np
    from numpy.typing import NDArray

    from gpiorig.analysis.statistics.tally import Ordered

Samples: TypeAlias = "NDArray[np.int64]"
NAN = float("nan")
# Both ends of a delay are known to one sample, so that equal delays may come out up to one sample too long or too
# short: what varies within two samples is not resolved.
RESOLUTION_SAMPLES = 2
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of one delay; all times float64 in ns, NaN where they are not defined.

    Parameters
    ----------
    n, lost
        Delays there are, and delays that are undefined because the packet was lost (RFC 2681, RFC 7679: the delay of
        a lost packet is undefined; it is counted, not replaced by a number).
    min_ns, p5_ns, p25_ns, median_ns, p75_ns, p95_ns, p99_ns, max_ns
        Order statistics; quantiles as in `quantile`.
    mean_ns
        Arithmetic mean.
    peak_to_peak_ns
        Maximum minus minimum: the peak-to-peak jitter.
    iqr_ns
        Interquartile range, p75 - p25.
    std_ns
        Sample standard deviation, see `variance`; NaN for fewer than two delays.
    """

    n: int
    lost: int
    min_ns: float
    p5_ns: float
    p25_ns: float
    median_ns: float
    p75_ns: float
    p95_ns: float
    p99_ns: float
    max_ns: float
    mean_ns: float
    peak_to_peak_ns: float
    iqr_ns: float
    std_ns: float


class Statistic(NamedTuple):
    """A statistic of a delay: its name in limits and `--json`, its field of `Summary`, its heading in a report."""

    name: str
    field: str
    heading: str


LISTED = (
    *(Statistic(name, f"{name}_ns", name) for name in ("min", "p5", "median", "p95", "p99", "max", "mean")),
    Statistic("p2p", "peak_to_peak_ns", "peak-to-peak"),
    Statistic("iqr", "iqr_ns", "IQR"),
    Statistic("std", "std_ns", "std"),
)
TIMES = tuple(field.name for field in fields(Summary) if field.name.endswith("_ns"))


def summarize(delays: Samples, *, samplerate_hz: Fraction, lost: int = 0) -> Summary:
    """Summarize delays.

    Parameters
    ----------
    delays
        int64[n], in samples, defined ones only.
    samplerate_hz
        Exact samplerate.
    lost
        Number of packets without a delay.
    """
    from gpiorig.analysis.statistics import tally  # here, as numpy

    return of_ordered(tally.ordered(delays), samplerate_hz=samplerate_hz, lost=lost)


def of_ordered(ordered: Ordered, *, samplerate_hz: Fraction, lost: int = 0) -> Summary:
    """Summarize delays that were counted or sorted (`tally.ordered`); as `summarize`."""
    if not len(ordered):
        return Summary(0, lost, *(NAN,) * len(TIMES))
    from gpiorig.analysis.statistics.tally import Tally

    total, n = total_of(ordered), len(ordered)
    std = NAN
    if n > 1:
        std = _sqrt(ordered.variance() if isinstance(ordered, Tally) else variance(ordered))
    period_ns = Fraction(NS_PER_S) / samplerate_hz
    low, high = int(ordered[0]), int(ordered[-1])
    p5, p25, p50, p75, p95, p99 = (quantile(ordered, Fraction(p, 100)) for p in (5, 25, 50, 75, 95, 99))

    def ns(samples: Fraction | int) -> float:
        return float(samples * period_ns)

    return Summary(
        n=n,
        lost=lost,
        min_ns=ns(low),
        p5_ns=ns(p5),
        p25_ns=ns(p25),
        median_ns=ns(p50),
        p75_ns=ns(p75),
        p95_ns=ns(p95),
        p99_ns=ns(p99),
        max_ns=ns(high),
        mean_ns=ns(Fraction(total, n)),
        peak_to_peak_ns=ns(high - low),
        iqr_ns=ns(p75 - p25),
        std_ns=std * float(period_ns),
    )


def total_of(ordered: Ordered) -> int:
    """The sum, exact."""
    from gpiorig.analysis.statistics.tally import Tally

    return ordered.total() if isinstance(ordered, Tally) else _sum(ordered)


def quantile(ordered: Ordered, p: Fraction) -> Fraction:
    """Quantile of sorted integers, exact.

    Linear interpolation of the order statistics x[0..n-1] at h = (n - 1) p:
    Q(p) = x[floor h] + (h - floor h) (x[floor h + 1] - x[floor h]). This is type 7 of R. J. Hyndman and Y. Fan,
    "Sample Quantiles in Statistical Packages", The American Statistician 50 (4), 1996, pp. 361-365; R's and
    numpy's default.
    """
    h = (len(ordered) - 1) * p
    below = math.floor(h)
    x = int(ordered[below])
    if h == below:
        return Fraction(x)
    return x + (h - below) * (int(ordered[below + 1]) - x)


def variance(values: Samples) -> Fraction:
    """Sample variance of integers, exact: sum((x - mean)^2) / (n - 1) (Bessel's correction, ddof = 1).

    Computed as (n S2 - S1^2) / (n (n - 1)) with integer sums S1 of x - x0 and S2 of (x - x0)^2, which do not round.
    """
    n, first, second = len(values), 0, 0
    for start in range(0, n, _CHUNK):
        shifted = values[start : start + _CHUNK] - int(values[0])
        first, second = first + _sum(shifted), second + _sum_of_squares(shifted)
    return Fraction(n * second - first * first, n * (n - 1))


def ipdv(delays: Samples) -> Samples:
    """Inter-packet delay variation: the delay of a packet minus that of the one before.

    RFC 3393 defines it for one-way delays; here it is used for round trips as well.

    Parameters
    ----------
    delays
        int64[p], in samples, one per packet in the order of sending, -1 where it is undefined.

    Returns
    -------
    numpy.ndarray
        int64, of every pair of packets sent one after the other whose delays are both defined.
    """
    defined = delays >= 0
    both = defined[1:] & defined[:-1]
    return (delays[1:] - delays[:-1])[both]


def _sum(values: Samples) -> int:
    """Exact: partial sums of numbers below 2^46 stay below 2^62."""
    if len(values) and max(-int(values.min()), int(values.max())) >> 46:
        return sum(values.tolist())
    return sum(int(values[i : i + _CHUNK].sum()) for i in range(0, len(values), _CHUNK))


def _sum_of_squares(values: Samples) -> int:
    """Exact, by splitting |x| < 2^46 into 23 bits each: every partial sum stays below 2^16 * 2^46."""
    magnitude = abs(values)
    if len(values) and int(magnitude.max()) >> 46:
        return sum(value * value for value in magnitude.tolist())
    low, high = magnitude & ((1 << 23) - 1), magnitude >> 23
    squares = ((low * low, 0), (low * high, 24), (high * high, 46))
    return sum(_sum(part) << shift for part, shift in squares)


def _sqrt(value: Fraction) -> float:
    """Square root, correct to the last bits also where numerator and denominator are beyond float64."""
    scale = 1 << 128
    return math.isqrt(value.numerator * scale * scale // value.denominator) / scale


def resolved(delays: Samples) -> bool:
    """Whether delays vary by more than the analyzer's resolution."""
    return bool(len(delays) > 1 and int(delays.max() - delays.min()) > RESOLUTION_SAMPLES)
