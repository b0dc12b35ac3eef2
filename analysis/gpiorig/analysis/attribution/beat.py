"""Beat: the duration of a step depends on the phase, in the period of an activity, at which it begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from gpiorig.analysis.attribution.activities import Activity
from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.attribution.series import autoregression, explained_by, grouped_share, groups, whitened
from gpiorig.analysis.number_text import count_text, share_text, time_text
from gpiorig.analysis.statistics import tally
from gpiorig.analysis.statistics.estimators import quantile_of
from gpiorig.analysis.statistics.intervals import Interval

CELLS = 1 << 19  # of time: the shortest period is four of them, 1 ms in a run of two minutes
MIN_PERIOD_SHARE = 0.002  # of the packets' interval: shorter periods are not searched
EVEN = 0.02  # scatter of the packets' intervals below which they are evenly spaced, of an interval
_FINE = 41  # places between two steps of the periodogram
_ROWS = 1 << 17  # packets that are worked on at once
_TAIL = 5.0  # median absolute deviations at which delays are cut: one packet must not make a peak
Floats = NDArray[np.float64]

MIN_PACKETS = 40
MAX_BINS = 20
PER_BIN = 15  # packets
FEW = 3  # packets of a bin: bins with fewer do not count
MIN_TURNS = 5  # of the phase over the run: with fewer a beat looks like a trend
ONE_PHASE = 0.95  # length of the mean phase vector from which all packets meet the same phase
MULTIPLES = 10  # of the period of the peak: a short pulse has harmonics as high as itself
BETTER, CLEARLY = 0.05, 1.3  # share of the variance by which, and times which, a multiple must explain more
GRID = 0.7  # length of the mean vector of the packets' places between those of an even grid: above it, they are on it
NEAR = 0.1  # periods: scatter of the advance of the phase below which the packets sample it evenly


def bin_count(packets: int) -> int:
    """Bins of a fold: 15 packets each, 4 to 20 bins."""
    return int(np.clip(packets // PER_BIN, 4, MAX_BINS))


def bins(phase: Floats) -> NDArray[np.int64]:
    """int64[n], bin of each phase."""
    return np.minimum((phase * bin_count(len(phase))).astype(np.int64), bin_count(len(phase)) - 1)


def blind(turns: Floats) -> str:
    """The reason why these packets cannot show a beat; empty if they can."""
    phase = turns % 1.0
    if abs(np.mean(np.exp(2j * np.pi * phase))) > ONE_PHASE:
        return "all packets begin at nearly the same phase"
    advance = (np.diff(turns) + 0.5) % 1.0 - 0.5
    if np.std(advance) < NEAR and abs(float(np.sum(advance))) < MIN_TURNS:
        return "the phase advances too slowly: a beat would look like a trend"
    return ""


def sending_interval(starts: NDArray[np.int64]) -> float:
    """Interval of the even grid that suits instants best, in samples; NaN where no time passes between them."""
    steps = tally.Tally()
    parts = [slice(i, i + _ROWS + 1) for i in range(0, len(starts) - 1, _ROWS)]
    for part in parts:
        steps.add(np.diff(starts[part]))
    median = quantile_of(steps, 0.5) if len(steps) else 0.0
    if not median > 0:
        return float("nan")
    # The line through the instants over their places on the grid: its slope beyond the median, by least squares.
    sums, sent = np.zeros(4), 0.0
    for part in parts:
        turns = sent + np.cumsum(np.rint(np.diff(starts[part]) / median))
        beyond = starts[part][1:] - starts[0] - median * turns
        sums += turns.sum(), beyond.sum(), turns @ turns, turns @ beyond
        sent = float(turns[-1])
    n = len(starts)
    return median + float((sums[3] - sums[0] * sums[1] / n) / (sums[2] - sums[0] ** 2 / n))


def alias(begins: NDArray[np.int64], period: float, interval: float) -> str:
    """Periods that look the same as a beat of these packets; empty where they begin irregularly enough.

    Packets on an even grid see frequencies only up to multiples of that of the grid.

    Parameters
    ----------
    begins
        int64[n], samples.
    period, interval
        Of the beat and of the sending (`sending_interval`), in samples.
    """
    if not interval > 0 or abs(np.mean(np.exp(2j * np.pi * ((begins - begins[0]) / interval)))) < GRID:
        return ""
    passed = round(interval / period, 3) % 1.0
    return f"whatever passes {passed:.3f} of its period between two packets would look the same"


def known(
    delays: NDArray[np.int64],
    begins: NDArray[np.int64],
    activity: Activity,
    *,
    period_ns: float,
    interval: float | None = None,
) -> Finding | str | None:
    """Test delays for a beat with a known activity; a text states why it cannot be tested, None means few packets.

    One-way analysis of variance over phase bins, without autocorrelation, p-value by permutation
    (`series.explained_by`); the share is that of the bins' means, adjusted for their number.

    Parameters
    ----------
    delays, begins
        int64[n], samples: the step, and the instant at which it begins.
    activity
        From `gpiorig.analysis.attribution.activities.activities`.
    period_ns
        Of a sample.
    interval
        From one packet to the next, in samples, where these are not all of them.
    """
    turns = activity.phase(begins)
    within = np.isfinite(turns)
    if int(within.sum()) < MIN_PACKETS:
        return None
    x, turns = delays[within], turns[within]
    reason = blind(turns)
    if reason:
        return reason
    labels = bins(turns % 1.0)
    # One packet alone at its phase would explain its own delay.
    many = np.bincount(labels)[labels] >= FEW
    x, labels, within[within] = x[many], labels[many], many
    if len(np.unique(labels)) < 2:
        return "all packets but a few begin at the same phase"
    p, _ = explained_by(x.astype(np.float64), groups(labels))
    period = activity.period_samples * period_ns
    begun = begins[within]
    text = alias(begun, activity.period_samples, interval or sending_interval(begun))
    return _finding(x, labels, p, Interval(period, period, period, method="mean of its instants"), text, activity)


def unknown(
    delays: NDArray[np.int64], begins: NDArray[np.int64], *, period_ns: float, interval: float | None = None
) -> Finding | None:
    """Test delays for a beat with anything periodic, by a search over periods (`search.find`); see `known`."""
    if len(delays) < MIN_PACKETS:
        return None
    peak = find(delays.astype(np.float64), begins)
    if peak is None:
        return None
    # A longer period has every harmonic of a shorter one, and bins that may suit it better by chance: it must explain
    # clearly more, and so must its multiples.
    shares = {
        k: _share(delays, begins, peak.period_samples * k)
        for k in range(1, MULTIPLES + 1)
        if k == 1 or peak.period_samples * k < peak.longest_samples
    }
    most = max(shares.values())
    clearly = most > max(shares[1] + BETTER, CLEARLY * shares[1])
    period = peak.period_samples * (next(k for k in shares if shares[k] >= most - BETTER) if clearly else 1)
    half = peak.half_width * (period / peak.period_samples) * period_ns
    estimate = Interval(
        period * period_ns,
        period * period_ns - half,
        period * period_ns + half,
        method="width of the periodogram's peak",
    )
    text = alias(begins, period, interval or sending_interval(begins))
    return _finding(delays, _folded(begins, period), peak.p_value, estimate, text, None)


def _folded(begins: NDArray[np.int64], period: float) -> NDArray[np.int64]:
    return bins((begins - begins[0]) / period % 1.0)


def _share(delays: NDArray[np.int64], begins: NDArray[np.int64], period: float) -> float:
    return grouped_share(delays.astype(np.float64), _folded(begins, period))


def _finding(
    delays: NDArray[np.int64],
    labels: NDArray[np.int64],
    p: float,
    period: Interval,
    alias_text: str,
    by: Activity | None,
) -> Finding:
    share = grouped_share(delays.astype(np.float64), labels)
    what = by.name if by else "something unseen"
    unsure = f" ({alias_text})" if alias_text else ""
    return Finding(
        kind="beat",
        sentence=(
            f"The step beats with {what}, period {time_text(period.value, digits=4)}: its phase when the step begins"
            f" ({count_text(len(delays), 'packet')}) makes {share_text(share)} of the variance{unsure}."
        ),
        p_value=p,
        share=share,
        numbers={
            "period_ns": period,
            "activity": by.name if by else "",
            "bins": int(labels.max()) + 1,
            "packets": len(delays),
            "alias": alias_text,
        },
    )


@dataclass(frozen=True, slots=True)
class Peak:
    """The highest peak.

    Parameters
    ----------
    period_samples, half_width
        Its period, and half the range of periods that the length of the run cannot distinguish from it.
    p_value
        Of such a peak anywhere in the range.
    shortest_samples, longest_samples
        The range.
    """

    period_samples: float
    half_width: float
    p_value: float
    shortest_samples: float
    longest_samples: float


def find(delays: Floats, begins: NDArray[np.int64]) -> Peak | None:
    """The highest peak between a fifth of the run and the shortest period that the instants allow.

    Lomb's and Scargle's periodogram (Scargle, ApJ 263, 1982) by an FFT of the delays in cells of time, a quarter of the
    shortest period each (Press and Rybicki, ApJ 338, 1989, without their interpolation). Autocorrelation is removed
    of the delays and outliers are cut first. A power z is exceeded by chance at one frequency with exp(-z), anywhere in
    the range with 1 - (1 - exp(-z)) exp(-W exp(-z) sqrt z), W = f T sqrt(pi / 3), f the highest frequency and T the run
    (Baluev, MNRAS 385, 2008, pp. 1279-1285, for instants spread evenly over the run). Counting f T independent
    frequencies instead, as is often done, gives two to three times as many as stated.
    """
    intervals = np.diff(begins)
    interval = float(np.median(intervals))
    if interval <= 0:
        return None
    y = delays - np.median(delays)
    scale = float(np.median(np.abs(y))) or 1.0
    y = np.clip(y, -_TAIL * scale, _TAIL * scale)
    y = y - y.mean()
    model = autoregression(y)
    e = whitened(y, model)
    e = e - e.mean()
    t = (begins[len(begins) - len(e) :] - begins[len(begins) - len(e)]).astype(np.float64)
    even = float(np.std(intervals)) < EVEN * interval
    span = float(t[-1])
    if span <= 0 or not e.any():
        return None
    shortest = 2 * interval if even else max(MIN_PERIOD_SHARE * interval, 4 * span / CELLS)
    cell = shortest / 4
    size = 1 << int(np.ceil(np.log2(2 * (span / cell + 1))))
    low, high = int(np.ceil(MIN_TURNS * size * cell / span)), int(size * cell / shortest)
    if low >= high:
        return None
    scaled = e / np.sqrt(float(e @ e))
    grid = np.bincount((t / cell).astype(np.int64), weights=scaled, minlength=size)
    # Single precision, at half the time, is exact enough to find the peak.
    spectrum = fft.rfft(grid.astype(np.float32))[low : high + 1]
    power = spectrum.real**2 + spectrum.imag**2
    at = int(np.argmax(power)) + low
    highest = float(power[at - low])
    chance, width = np.exp(-highest), span / shortest * np.sqrt(np.pi / 3)
    # log of the probability that none is so high
    none = np.log1p(-min(float(chance), 0.5)) - width * chance * np.sqrt(highest)
    period = _refined(e, t, size * cell / at, size * cell)
    return Peak(
        period_samples=period,
        half_width=period * period / span / 2,
        p_value=max(1e-300, float(-np.expm1(none))),
        shortest_samples=shortest,
        longest_samples=span / MIN_TURNS,
    )


def _refined(e: Floats, t: Floats, period: float, length: float) -> float:
    """The period of the highest power within a step of the periodogram, by the instants themselves."""
    frequencies = 1 / period + np.linspace(-1, 1, _FINE) / length
    power = np.abs(np.exp(-2j * np.pi * frequencies[:, None] * t[None, :]) @ e)
    return float(1 / frequencies[np.argmax(power)])
