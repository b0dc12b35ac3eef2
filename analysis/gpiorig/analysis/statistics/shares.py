"""Shares of independent trials, such as that of lost packets."""

from __future__ import annotations

from gpiorig.analysis.statistics.intervals import CONFIDENCE, NAN, Interval

METHOD = "Clopper and Pearson 1934"


def for_share(hits: int, n: int, *, confidence: float = CONFIDENCE, note: str = "") -> Interval:
    """The share of `hits` among `n`, with the interval of C. J. Clopper and E. S. Pearson.

    "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial", Biometrika 26 (4), 1934,
    pp. 404-413: exact for trials that are independent of each other.
    """
    from scipy.special import betaincinv

    if not n:
        return Interval(NAN, NAN, NAN, "none", confidence, "no packets")
    outside = (1 - confidence) / 2
    low = float(betaincinv(hits, n - hits + 1, outside)) if hits else 0.0
    high = float(betaincinv(hits + 1, n - hits, 1 - outside)) if hits < n else 1.0
    return Interval(hits / n, low, high, METHOD, confidence, note)
