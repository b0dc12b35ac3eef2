"""Where one analyzer's samples are in the time of another, from the sync line of both (docs/reference/sync-line.md)."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.sync.sync_line import LENGTH, PERIOD_NS, SyncPulses

KNOTS_S = (math.inf, 60.0, 10.0, 1.0)  # distance of the fit's knots, tried in turn; infinite: one straight line
FIT_LIMIT = 1.5  # a fit is good when its residuals are at most this many times what sampling alone gives
LARGEST_SAMPLES = 3.0  # a residual beyond this many samples of the slower analyzer is not sampling any more
MIN_PULSES = 16
WEAK = 1e-9  # of a point's weight: what holds a knot without points
BURST_SAMPLES = 2  # rows no further apart are of one burst; data lines are read this near to their strobe
LARGEST_NOISE = 6.0  # the same, in standard deviations of what the receivers of a radio add
EPOCH_TOLERANCE_S = 60.0  # of the two hosts' wall clocks; the sequence repeats after 655 s


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Alignment:
    """A continuous, piecewise straight line from the samples of one analyzer to those of another, the reference.

    Attributes
    ----------
    aligned, reference
        float64, shape (k,): the knots; beyond the first and the last the line continues straight.
    pulses
        Sync pulses that both analyzers saw.
    rate_ppb
        How much faster the other analyzer's clock runs than the reference's, over all, in parts per billion.
    residual_std_ns, residual_max_ns
        Distance of the pulses from the line: standard deviation, and largest.
    sampling_std_ns
        What sampling alone gives: the standard deviation of the difference of two instants that are each rounded to a
        sample, sqrt((Ta² + Tb²) / 12).
    knot_s
        Distance of the knots, in seconds; infinite for one straight line.
    ratio
        Samples of the reference in one of the other's, by their samplerates.
    delay_ns, delay_limit_ns
        How much later the sync line's edges reach the other analyzer than the reference, which the line corrects, and
        the half width of the interval in which that certainly is.
    """

    aligned: NDArray[np.float64]
    reference: NDArray[np.float64]
    pulses: int
    rate_ppb: float
    residual_std_ns: float
    residual_max_ns: float
    sampling_std_ns: float
    knot_s: float
    ratio: float
    delay_ns: float
    delay_limit_ns: float

    @property
    def uncertainty_ns(self) -> float:
        """Standard uncertainty (1 sigma) of an interval between an edge of the one and an edge of the other, in ns.

        That of the fit, and of the delay anywhere within its limits (GUM 4.3.7).
        """
        return math.hypot(max(self.residual_std_ns, self.sampling_std_ns), self.delay_limit_ns / math.sqrt(3))

    def renumber(self, samples: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the reference's sample nearest to each sample of the other analyzer.

        Samples of one burst keep the distances that the samplerates give, so that bus lines which the other analyzer
        saw change one after the other still do, in as many samples: the clocks' difference is put in between bursts,
        and inside one that is long enough for half a sample.

        Parameters
        ----------
        samples
            int64, shape (n,).

        Returns
        -------
        numpy.ndarray
            int64, shape (n,); not decreasing where `samples` is not.
        """
        interval = np.clip(np.searchsorted(self.aligned, samples, side="right") - 1, 0, self.aligned.size - 2)
        slope = np.diff(self.reference) / np.diff(self.aligned)
        exact = self.reference[interval] + (samples - self.aligned[interval]) * slope[interval]
        rows = np.arange(len(samples))
        burst_starts = np.maximum.accumulate(np.where(np.diff(samples, prepend=samples[:1]) > BURST_SAMPLES, rows, 0))
        steady = exact[burst_starts] + (samples - samples[burst_starts]) * self.ratio
        return np.rint(np.where(np.abs(steady - exact) < 0.5, steady, exact)).astype(np.int64)


def align(
    reference: SyncPulses,
    aligned: SyncPulses,
    *,
    reference_hz: Fraction,
    aligned_hz: Fraction,
    epochs: tuple[str, str] = ("", ""),
    delay_ns: float = 0.0,
    delay_limit_ns: float = 0.0,
) -> Alignment:
    """Fit the line from the pulses of the sync line that two analyzers saw.

    Parameters
    ----------
    reference, aligned
        The pulses, as `sync_line.read` gives them.
    reference_hz, aligned_hz
        Samplerates.
    epochs
        Wall-clock time of sample 0 of each (ISO 8601), or "": resolves complete rounds of the sequence.
    delay_ns, delay_limit_ns
        As in `Alignment`: the line's way to the other analyzer is longer by this.

    Raises
    ------
    CaptureError
        They have too few pulses in common, or it is not certain which, or the pulses do not fall on a line.
    """
    positions = aligned.positions + LENGTH * _rounds_apart(reference, aligned, (reference_hz, aligned_hz), epochs)
    _, at_reference, at_other = np.intersect1d(reference.positions, positions, return_indices=True)
    return fit(
        aligned.samples[at_other],
        reference.samples[at_reference],
        reference_hz=reference_hz,
        aligned_hz=aligned_hz,
        delay_ns=delay_ns,
        delay_limit_ns=delay_limit_ns,
    )


def fit(
    x: NDArray[np.int64],
    y: NDArray[np.int64],
    *,
    reference_hz: Fraction,
    aligned_hz: Fraction,
    noise_ns: float = 0.0,
    delay_ns: float = 0.0,
    delay_limit_ns: float = 0.0,
) -> Alignment:
    """Fit the line through instants that two analyzers saw.

    Parameters
    ----------
    x, y
        int64, shape (n,): samples of the other analyzer, and those of the reference.
    noise_ns
        Standard deviation in ns that the receivers of a radio add to the instants; 0 for a cable.
    reference_hz, aligned_hz, delay_ns, delay_limit_ns
        As for `align`.

    Raises
    ------
    CaptureError
        There are too few instants, or they do not fall on a line.
    """
    if x.size < MIN_PULSES:
        raise CaptureError(
            f"the two recordings have {x.size} sync pulses in common",
            remedy=f"they need {MIN_PULSES}: did they run at the same time?",
        )
    reference_ns, aligned_ns = (float(1e9 / rate) for rate in (reference_hz, aligned_hz))
    sampling_ns = math.hypot(reference_ns, aligned_ns) / math.sqrt(12)
    for knot_s in KNOTS_S:
        knots = _knots(x, knot_s * float(aligned_hz))
        values = _fit(x, y, knots)
        residual_ns = (y - np.interp(x, knots, values)) * reference_ns
        std_ns = float(np.sqrt(np.mean(residual_ns**2)))
        if std_ns <= FIT_LIMIT * max(sampling_ns, noise_ns):
            break
    worst = int(np.argmax(np.abs(residual_ns)))
    if abs(residual_ns[worst]) > max(LARGEST_SAMPLES * max(reference_ns, aligned_ns), LARGEST_NOISE * noise_ns):
        raise CaptureError(
            f"the sync pulses of the two do not fall on a line: {abs(residual_ns[worst]):.0f} ns off at {x[worst]}",
            remedy="were samples lost there, or do the two see different sync lines?",
        )
    slope = float(values[-1] - values[0]) / float(knots[-1] - knots[0])
    return Alignment(
        aligned=knots,
        reference=values + delay_ns / reference_ns,
        pulses=x.size,
        rate_ppb=(float(reference_hz / aligned_hz) / slope - 1) * 1e9,
        residual_std_ns=std_ns,
        residual_max_ns=float(abs(residual_ns[worst])),
        sampling_std_ns=sampling_ns,
        knot_s=knot_s,
        ratio=float(reference_hz / aligned_hz),
        delay_ns=delay_ns,
        delay_limit_ns=delay_limit_ns,
    )


def _rounds_apart(
    reference: SyncPulses, aligned: SyncPulses, rates_hz: tuple[Fraction, Fraction], epochs: tuple[str, str]
) -> int:
    """How many rounds of the sequence to add to the positions of the other recording."""
    lowest_shift = int(reference.positions[0]) - int(aligned.positions[-1])
    highest_shift = int(reference.positions[-1]) - int(aligned.positions[0])
    overlapping = range(-(-lowest_shift // LENGTH), highest_shift // LENGTH + 1)
    if all(epochs):
        begins_s = [_unix_s(epoch) for epoch in epochs]
        zeros_s = [
            int(pulses.positions[0]) * PERIOD_NS / 1e9 - float(int(pulses.samples[0]) / rate)
            for pulses, rate in zip((reference, aligned), rates_hz, strict=True)
        ]
        # The pulses' own time at each sample 0, and the wall clocks: the two differences must agree.
        apart_s = (begins_s[1] - begins_s[0]) - (zeros_s[1] - zeros_s[0])
        rounds = round(apart_s / (LENGTH * PERIOD_NS / 1e9))
        rest_s = apart_s - rounds * LENGTH * PERIOD_NS / 1e9
        if abs(rest_s) > EPOCH_TOLERANCE_S:
            raise CaptureError(
                f"the sync line puts the two recordings {abs(rest_s):.0f} s from where their wall clocks do",
                remedy="are they of the same run? If so, correct the epoch in recording.toml",
            )
        return int(rounds)
    if len(overlapping) > 1:
        raise CaptureError(
            f"the two recordings can be aligned in {len(overlapping)} ways",
            remedy="the sync line repeats after 655 s: give each recording its wall-clock epoch",
        )
    return overlapping[0] if overlapping else 0


def _unix_s(epoch: str) -> float:
    try:
        return datetime.datetime.fromisoformat(epoch).timestamp()
    except ValueError as error:
        raise CaptureError(f"{epoch!r} is not a date and time", remedy="use ISO 8601 with an offset") from error


def _knots(x: NDArray[np.int64], distance: float) -> NDArray[np.float64]:
    """Ends of equal intervals, each at least this many samples long where there is room."""
    intervals = max(1, int((x[-1] - x[0]) / distance)) if math.isfinite(distance) else 1
    return np.linspace(float(x[0]), float(x[-1]), intervals + 1)


def _fit(x: NDArray[np.int64], y: NDArray[np.int64], knots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values at the knots of the continuous line through the points with the least sum of squares.

    Each point touches the two knots next to it, so the normal equations are tridiagonal (Thomas algorithm). A knot that
    no point touches is on the straight line from the first point to the last.
    """
    step = knots[1] - knots[0]
    trend = (y[-1] - y[0]) / (x[-1] - x[0])
    rest = y - y[0] - (x - knots[0]) * trend  # small numbers, so that no digits are lost
    interval = np.clip(((x - knots[0]) // step).astype(np.int64), 0, knots.size - 2)
    right = (x - knots[interval]) / step
    left = 1 - right
    count = knots.size
    main = np.bincount(interval, left**2, count) + np.bincount(interval + 1, right**2, count) + WEAK
    side = np.bincount(interval, left * right, count)[:-1]
    target = np.bincount(interval, left * rest, count) + np.bincount(interval + 1, right * rest, count)
    for at in range(1, count):
        factor = side[at - 1] / main[at - 1]
        main[at] -= factor * side[at - 1]
        target[at] -= factor * target[at - 1]
    values = np.empty(count)
    values[-1] = target[-1] / main[-1]
    for at in range(count - 2, -1, -1):
        values[at] = (target[at] - side[at] * values[at + 1]) / main[at]
    fitted: NDArray[np.float64] = values + y[0] + (knots - knots[0]) * trend
    return fitted
