"""Jitter by every definition that papers use, each with its source and its confidence interval."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis import columns
from gpiorig.analysis.events.events import slices
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.statistics import intervals
from gpiorig.analysis.statistics.intervals import CONFIDENCE, Interval
from gpiorig.analysis.statistics.summary import ipdv
from gpiorig.analysis.statistics.value_series import ValueSeries, series_of
from gpiorig.capture import mapped

_LATEST = 1 << 14  # packets: of what came before, (15/16)^16384 < 1e-450 is left in J, which float64 cannot hold
_SHARED = 1  # differences of successive delays share a delay with their neighbours: they depend on each other
RFC3550_GAIN = 16  # RFC 3550, 6.4.1: gives a good ratio of noise reduction and rate of convergence


@dataclass(frozen=True, slots=True)
class Jitter:
    """One measure of the variation of a delay.

    Parameters
    ----------
    name
        Such as ``peak-to-peak``, ``IPDV, median of magnitudes``.
    source
        Where it is defined, such as ``RFC 3393, 4.3``.
    ns
        Its value in ns.
    """

    name: str
    source: str
    ns: Interval


def for_route(route: Route, total: ValueSeries | None = None) -> tuple[Jitter, ...]:
    """All measures of the total delay of a route, `route.totals` if it is there already.

    The places of round trips count lost ones too, so that these break pairs.
    """
    delays = ValueSeries(route.totals) if total is None else total
    return measures(delays, samplerate_hz=route.steps.samplerate_hz, starts=route.starts, places=route.places)


def measures(
    delays: NDArray[np.int64] | ValueSeries,
    *,
    samplerate_hz: Fraction,
    starts: NDArray[np.int64] | None = None,
    places: NDArray[np.int64] | None = None,
) -> tuple[Jitter, ...]:
    """All measures of one delay.

    RFC 3393 lets the user select the pairs of packets whose delays are compared. Here, and for RFC 3550, they are
    packets one after the other in the order of sending whose delays are both known: a lost packet that is in `delays`
    as -1, or missing in `places`, breaks two pairs; one that nothing is known of makes neighbours of those before and
    after it.

    Parameters
    ----------
    delays
        int64[n], in samples, -1 where undefined.
    samplerate_hz
        Exact samplerate.
    starts
        int64[n], samples at which the packets were sent; without it `delays` are in that order.
    places
        int64[n], which packet of all that were sent each is; without it they are all.
    """
    series = series_of(delays)
    if starts is not None and (np.diff(starts) < 0).any():
        order = np.argsort(starts, kind="stable")
        series, places = ValueSeries(series.values[order], series.ordered), None if places is None else places[order]
    unit = float(NS_PER_S / samplerate_hz)
    known = series if not len(series) or series.low >= 0 else ValueSeries(series.values[series.values >= 0])
    of_values = [
        Jitter("peak-to-peak", "largest minus smallest", intervals.for_range(known, unit=unit)),
        Jitter("interquartile range", "p75 minus p25", intervals.for_spread(known, 0.25, 0.75, unit=unit)),
        Jitter("standard deviation", "n - 1 in the denominator", intervals.for_std(known, unit=unit)),
        Jitter("p99 - p1", "difference of percentiles", intervals.for_spread(known, 0.01, 0.99, unit=unit)),
        Jitter("p99.9 - p0.1", "difference of percentiles", intervals.for_spread(known, 0.001, 0.999, unit=unit)),
    ]
    differences = _differences(_with_losses(series.values, places))
    return (*of_values, *_between_packets(differences, unit), *_beyond_the_least(known, unit))


def interarrival(differences: NDArray[np.int64]) -> NDArray[np.float64]:
    """float64[n]: the interarrival jitter after each packet but the first.

    J += (|D| - J) / 16 from J = 0, D the delay of a packet minus that of the one before: RFC 3550, 6.4.1, and the
    floating-point code of its appendix A.8. The RFC takes packets in the order of arrival.

    Parameters
    ----------
    differences
        int64[n], D.
    """
    gain = 1 / RFC3550_GAIN
    sizes = (gain * np.abs(differences)).tolist()
    running = itertools.accumulate(sizes, lambda jitter, size: size + (1 - gain) * jitter)
    return np.array(list(running), dtype=np.float64)


def as_table(measures: Sequence[Jitter]) -> pa.Table:
    """One row per measure."""
    return columns.of_rows(measures, _SCHEMA)


_SCHEMA: columns.Schema = {
    "measure": (columns.TEXT, "name"),
    "source": (columns.TEXT, "source"),
    "value_ns": (columns.NUMBER, "ns.value"),
    "low_ns": (columns.NUMBER, "ns.low"),
    "high_ns": (columns.NUMBER, "ns.high"),
    "confidence": (columns.NUMBER, lambda _: CONFIDENCE),
    "method": (columns.TEXT, "ns.method"),
    "note": (columns.TEXT, "ns.note"),
}


def _differences(delays: NDArray[np.int64]) -> NDArray[np.int64]:
    """`ipdv`, by slices of packets."""
    differences = mapped.Growing(np.int64)
    for part in slices(len(delays) - 1):
        differences.append(ipdv(delays[part.start : part.stop + 1]))
    return differences.take()


def _with_losses(delays: NDArray[np.int64], places: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The delays with one -1 wherever packets are missing: more of them would make no more pairs."""
    if places is None or not len(places):
        return delays
    missing = np.flatnonzero(np.diff(places) > 1) + 1
    return np.insert(delays, missing, -1) if len(missing) else delays


def _between_packets(differences: NDArray[np.int64], unit: float) -> list[Jitter]:
    """Measures on the delay of a packet minus that of the one before."""
    running = interarrival(differences[-_LATEST:])
    last = Interval(
        value=float(running[-1]) if len(running) else intervals.NAN,
        low=intervals.NAN,
        high=intervals.NAN,
        method="running estimate",
        note="a running estimate at its last packet, over some 16 packets: no interval",
    )
    magnitudes = np.abs(differences, out=mapped.zeros(len(differences), np.int64))
    signed, size = ValueSeries(differences), ValueSeries(magnitudes)
    mean = intervals.for_mean(size, unit=unit, lags=_SHARED)

    def quantile(values: ValueSeries, p: float) -> Interval:
        return intervals.for_quantile(values, p, unit=unit, lags=_SHARED)

    return [
        Jitter("interarrival jitter J, last", "RFC 3550, 6.4.1 and A.8; RFC 3393, 4.5", last.scaled(unit)),
        Jitter("interarrival jitter J, mean", "RFC 3550, 6.4.1: J tends to the mean of |D|", mean),
        Jitter("IPDV, p5", "RFC 3393, 4.3", quantile(signed, 0.05)),
        Jitter("IPDV, p95", "RFC 3393, 4.3", quantile(signed, 0.95)),
        Jitter("IPDV, peak-to-peak", "RFC 3393, 4.6", intervals.for_range(signed, unit=unit)),
        Jitter("IPDV, median of magnitudes", "RFC 3393, 2.4, absolute", quantile(size, 0.5)),
        Jitter("IPDV, p99 of magnitudes", "RFC 3393, 2.4, absolute", quantile(size, 0.99)),
    ]


def _beyond_the_least(known: ValueSeries, unit: float) -> list[Jitter]:
    """Delays minus the smallest of the run; the interval takes the smallest as it was seen."""
    least = int(known.low) if len(known) else 0
    return [
        Jitter(f"PDV, {name}", "RFC 5481, 4.2", intervals.for_quantile(known, p, unit=unit, origin=least))
        for name, p in (("median", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999))
    ]
