"""The step that instants lie on, compared with its rivals by likelihood.

If instants fell anywhere on the resolution R, n of them would fall on the samples of a given period T with the
probability (R / T)^n; by Markov's inequality a likelihood ratio of m / RISK in favour of one of m periods and phases
then comes with a probability of at most RISK. On a recorder twice as fast all of n instants are even samples with 2^-n,
which FEWEST bounds by RISK, too (the greatest common divisor of n random integers is 1 with the probability
1 / zeta(n)).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.sample_grid import USUAL_HZ

Times = NDArray[np.int64]

RISK = 1e-6
FEWEST = 20  # instants: 2^-20 < RISK
OFF = 1e-3  # share of instants or distances that may be off a step, such as at a fault of the recorder
LOCKED = 0.01  # that a signal keeps step with the recorder
# Timers on crystals of 32768 Hz, of sound, and of serial ports; by powers of two slower and faster.
CRYSTALS_HZ = tuple(Fraction(rate * 2**power, 4) for rate in (4096, 44_100, 115_200, 345_600) for power in range(10))
CANDIDATES_HZ = tuple(sorted({*USUAL_HZ, *CRYSTALS_HZ}))
BINS = 2048  # phases of a period
MAX_HYPOTHESES = 10**6 * BINS  # periods and phases
LEAST = 4  # of an unlisted period, in units of the resolution
MIN_OF_TEXT = Fraction(7, 10)  # of a listed one: below, ± of the resolution alone covers 95 % of the delays
MAX_DIGITS = 10  # of an unlisted rate
RUN_LENGTH = 256  # consecutive instants


def coarsest(times: Times, runs: list[Times], *, resolution: Fraction, is_text: bool) -> tuple[Fraction, int]:
    """The step with the greatest likelihood, in units of the resolution, and the distances that are off it."""
    divisor, off = _divisor(runs)
    best = len(times) * math.log(divisor) + off * math.log(OFF)
    step = Fraction(divisor)
    few = times[:: max(1, times.size // BINS)]
    periods = [1 / (rate_hz * resolution) for rate_hz in CANDIDATES_HZ]
    for period in (*periods, *_unlisted(times, runs, resolution=resolution)):
        if period.denominator == 1 or period < (MIN_OF_TEXT if is_text else 2) or _evidence(few, period) <= 0:
            continue
        evidence = _evidence(times, period)
        if evidence > max(best, math.log(MAX_HYPOTHESES / RISK)):
            best, step, off = evidence, period, 0
    return step, off


def _unlisted(times: Times, runs: list[Times], *, resolution: Fraction) -> Iterator[Fraction]:
    """Steps by the least differences between distances, and from these by ever longer ones, as multiples of the step.

    The rounding makes a distance wrong by less than 1, and a difference of two by less than 2.
    """
    precision = 1 / int(np.ptp(times))
    distances = np.unique(np.concatenate([np.diff(run) for run in runs[: BINS // RUN_LENGTH]]))
    gaps = np.diff(distances)
    gaps = gaps[gaps > 2]
    if not gaps.size:
        return
    least = float(gaps[gaps < 1.4 * gaps.min()].mean())
    spans = np.unique(
        np.concatenate([distances - distances[0], distances, *(run - run[0] for run in runs), times - times[0]])
    )
    for share in range(1, 4):
        step = least / share
        limit = min(max(step * step / 8, 3 * step), float(spans[-1]))
        while step >= LEAST and limit < 4 * spans[-1]:
            near = spans[(spans <= limit) & (2 * spans > step)]
            multiples = np.rint(near / step)
            if near.size:
                step = float(near @ multiples / (multiples @ multiples))
            limit *= 2
        if step >= LEAST and (rate_hz := _round_rate(1 / (step * float(resolution)), precision)):
            yield 1 / (rate_hz * resolution)


def _round_rate(rate_hz: float, precision: float) -> Fraction | None:
    """The rate with the fewest digits within a relative precision, if so few cannot be chance.

    The clock of a signal has any rate: one with n digits is as near with a probability of 2 * 10^n times the precision.
    """
    power = math.floor(math.log10(rate_hz))
    for digits in range(1, MAX_DIGITS):
        unit = Fraction(10) ** (power + 1 - digits)
        nearest = round(rate_hz / float(unit)) * unit
        if abs(float(nearest) - rate_hz) <= precision * rate_hz:
            return nearest if 2 * precision * 10**digits <= LOCKED else None
    return None


def _divisor(runs: list[Times]) -> tuple[int, int]:
    """The greatest common divisor of all distances but a few, and how many of them are not its multiples."""
    distances = np.concatenate([np.diff(run) for run in runs])
    divisor = int(np.gcd.reduce(distances))
    if divisor > 1 or len(runs) < FEWEST:
        return max(divisor, 1), 0
    usual = Counter(int(np.gcd.reduce(np.diff(run))) for run in runs).most_common(1)[0][0]
    off = int(np.count_nonzero(distances % usual))
    return (usual, off) if off <= OFF * distances.size else (1, 0)


def _evidence(times: Times, period: Fraction) -> float:
    """Logarithm of the likelihood of a period, at its best phase, over that of times anywhere on their resolution.

    Times that are multiples of p/q, rounded to integers, have residues t q mod p in a window of q; of one of q + 1 with
    half the weight at its ends where some are half way and programs round them up or down.
    """
    p, q = period.numerator, period.denominator
    residues = times % p * q % p
    if p > BINS:
        residues, q, p = residues * BINS // p, -(-q * BINS // p) + 1, BINS
    spectrum = np.fft.rfft(np.bincount(residues, minlength=p))
    halves = np.concatenate([[0.5], np.ones(q - 1), [0.5]])
    return max(_best_phase(spectrum, weights, p) for weights in (np.ones(q), halves))


def _best_phase(spectrum: NDArray[np.complex128], weights: NDArray[np.float64], p: int) -> float:
    """The largest sum over residues of count times logarithm of the likelihood ratio, of all phases."""
    share = np.bincount(np.arange(weights.size) % p, weights, minlength=p) * p / weights.sum()
    logarithms = np.log((1 - OFF) * share + OFF)
    return float(np.fft.irfft(spectrum * np.conj(np.fft.rfft(logarithms)), n=p).max())
