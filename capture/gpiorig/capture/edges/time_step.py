"""The step on which the instants of a capture lie, estimated from its edges: what took them sampled no finer than that.

A file of times has the resolution of its text, and metadata may claim a rate that the analyzer never had. Of a recorder
that samples with a period T all instants are multiples of T, rounded to the file's resolution R.

A step is compared with its rivals by likelihood. If instants fell anywhere on the resolution, n of them would fall on
the samples of a given period with the probability (R / T)^n; by Markov's inequality a likelihood ratio of m / RISK in
favour of one of m periods and phases then comes with a probability of at most RISK. On a recorder twice as fast all of
n instants are even samples with 2^-n, which FEWEST bounds by RISK, too (the greatest common divisor of n random
integers is 1 with the probability 1 / zeta(n)).

What chance cannot make, a signal that is itself periodic can: its edges may lie on the clock of whoever sends them. Two
clocks differ, so that its edges drift over the recorder's samples and show them. Of two clocks each anywhere within
CLOCK_PPM the difference times a span stays within a sample t with the probability t / (2 CLOCK_PPM span). A step is
certain where for t = T / TOO_LARGE that is at most LOCKED: a step that is so much too large is named with less than
this probability; and a rate that is not a usual one must be rounder than that of a drifting clock would be. Clocks that
are one and the same, as in a simulation, cannot be distinguished so; there edges one step apart are usual, of a
recorder they are not.

A rate that metadata state is given up for a step that is certain only. The last digit of a text states no rate: of a
text a step that is not chance counts at once, since a sampling recorder is the likelier cause.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.sample_grid import USUAL_HZ
from gpiorig.capture.edges.waveform import Block, Waveform

Times = NDArray[np.int64]

RISK = 1e-6
FEWEST = 20  # instants: 2^-20 < RISK
CLOCK_PPM = 100.0  # half width, of the recorder and of the sender each
TOO_LARGE, LOCKED = 10, 0.01
ADJACENT = 0.1  # share of distances of one step, from which on it is the sender's
OFF = 1e-3  # share of instants or distances that may be off a step, such as at a fault of the recorder
ALMOST_ALL = 0.98  # of the times: what they are rounded to is the resolution
# Timers on crystals of 32768 Hz, of sound, and of serial ports; by powers of two slower and faster.
CRYSTALS_HZ = tuple(Fraction(rate * 2**power, 4) for rate in (4096, 44_100, 115_200, 345_600) for power in range(10))
CANDIDATES_HZ = tuple(sorted({*USUAL_HZ, *CRYSTALS_HZ}))
NS_PER_S = 10**9
MAX_TIMESTAMPS = 1 << 16  # by which the step of a file's timestamps is estimated
BINS = 2048  # phases of a period
MAX_HYPOTHESES = 10**6 * BINS  # periods and phases
LEAST = 4  # of an unlisted period, in units of the resolution
MIN_OF_TEXT = Fraction(7, 10)  # of a listed one: below, ± of the resolution alone covers 95 % of the delays
MAX_DIGITS = 10  # of an unlisted rate
RUN_LENGTH, MAX_RUNS = 256, 512


@dataclass(frozen=True, slots=True)
class TimeStep:
    """The estimate.

    Attributes
    ----------
    resolution_s
        What the file can tell: its sample period, or the last digit of most of its times.
    step_s
        The coarsest step on which the instants lie; the resolution where none shows.
    possible_s
        A coarser step on which they lie, too, which the edges do not bear out; 0 without one.
    is_certain
        The capture is long enough for clocks to drift apart: the step is that of the recorder, not of a signal.
    is_rounded
        The instants are those of the step rounded to the resolution, of which it is not a multiple.
    edges
        Instants that it was estimated from.
    """

    resolution_s: Fraction
    step_s: Fraction
    possible_s: Fraction
    is_certain: bool
    is_rounded: bool
    edges: int

    @property
    def is_coarser(self) -> bool:
        """Whether the edges show a step other than the resolution."""
        return self.step_s != self.resolution_s


class StepEstimator:
    """Takes the instants of a capture, block by block, in bounded memory, and estimates their step.

    Parameters
    ----------
    samplerate_hz
        Of the sample numbers.
    is_text
        They are rounded times: instants need not be exact multiples of a sample period.
    """

    def __init__(self, samplerate_hz: Fraction, *, is_text: bool) -> None:
        self._rate, self._is_text = samplerate_hz, is_text
        self._runs: list[Times] = []
        self._pulses: list[NDArray[np.bool_]] = []  # whether a channel of the row before changes again
        self._held, self._changed = np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.uint64)
        self._stride, self._count = 1, 0
        self._began = False
        self._resumed = np.empty(0, dtype=np.int64)
        self._span: list[int] = []

    def feed(self, block: Block) -> None:
        """Take the instants of a block; the first row of a capture and those after gaps are not edges."""
        self._resumed = np.concatenate([self._resumed, block.gaps[:, 1]])
        samples = block.samples
        if samples.size:
            is_edge = ~np.isin(samples, self._resumed)
            is_edge[0] &= self._began
            self._began = True
            changed = block.levels ^ np.concatenate([self._held, block.levels[:-1]])
            pulses = (changed & np.concatenate([self._changed, changed[:-1]])) != 0
            self._held, self._changed = block.levels[-1:], changed[-1:]
            breaks = np.flatnonzero(~is_edge)
            for run, pulse in zip(np.split(samples, breaks), np.split(pulses, breaks), strict=True):
                skip = int(run.size > 0 and not is_edge[np.searchsorted(samples, run[0])])
                self._keep(run[skip:], pulse[skip:])
        self._resumed = self._resumed[self._resumed >= block.end]

    def _keep(self, run: Times, pulses: NDArray[np.bool_]) -> None:
        """Keep runs of consecutive instants, one of `_stride`; half of them are dropped when there are too many."""
        if not run.size:
            return
        self._span = [self._span[0] if self._span else int(run[0]), int(run[-1])]
        for start in range(0, run.size, RUN_LENGTH):
            if self._count % self._stride == 0:
                self._runs.append(run[start : start + RUN_LENGTH].copy())
                self._pulses.append(pulses[start : start + RUN_LENGTH].copy())
            self._count += 1
            if len(self._runs) > MAX_RUNS:
                del self._runs[1::2], self._pulses[1::2]
                self._stride *= 2

    def step(self) -> TimeStep:
        """The estimate from what was taken so far."""
        unit = 1 / self._rate
        runs = [run for run in self._runs if run.size > 1]
        times = np.concatenate(runs) if runs else np.empty(0, dtype=np.int64)
        digit, top = _last_digit(times) if self._is_text else (1, 0)
        if digit > 1:
            latest = [run[np.abs(run) >= top] for run in runs]
            runs = [(run + digit // 2) // digit for run in latest if run.size > 1]
            times = np.concatenate(runs)
        resolution = unit * digit
        plain = TimeStep(resolution, resolution, Fraction(0), is_certain=False, is_rounded=False, edges=times.size)
        if not runs:
            return plain
        step, off = _coarsest(times, runs, resolution=resolution, is_text=self._is_text)
        if step == 1:
            return plain
        is_usual = times.size >= FEWEST and self._adjacent(math.ceil(step * digit)) <= ADJACENT
        drift = Fraction(self._span[1] - self._span[0], digit) * Fraction(2 * CLOCK_PPM * 1e-6)
        is_certain = is_usual and step / TOO_LARGE * (1 + 2 * off * self._stride) <= Fraction(LOCKED) * drift
        if is_certain or (is_usual and self._is_text):
            is_rounded = step.denominator > 1
            step_s = step * resolution
            return dataclasses.replace(plain, step_s=step_s, is_certain=bool(is_certain), is_rounded=is_rounded)
        return dataclasses.replace(plain, possible_s=Fraction(0) if off or step < 1 else step * resolution)

    def _adjacent(self, step: int) -> float:
        """Share of the instants at which a channel changes again after one step; several channels may do so in turn."""
        pairs = [(np.diff(run), pulse[1:]) for run, pulse in zip(self._runs, self._pulses, strict=True)]
        distances, pulses = (np.concatenate(column) for column in zip(*pairs, strict=True))
        return float(np.mean(pulses & (distances <= step)))


def observed(waveform: Waveform, estimator: StepEstimator) -> Waveform:
    """The same capture; the estimator gets what is read of it, for the first time."""
    fresh = [True]

    def read() -> Iterator[Block]:
        takes, fresh[0] = fresh[0], False
        for block in waveform.read():
            if takes:
                estimator.feed(block)
            yield block

    return dataclasses.replace(waveform, read=read)


def of_timestamps(timestamps_ns: Times) -> Fraction:
    """The step, in ns, of timestamps that software took, in any order; 0 where they do not show one.

    Of FEWEST distances that differ, all are multiples of a step by chance with 2^-20. A sender's own period makes few
    that differ. Steps such as that of a watch crystal, printed to the µs, are not multiples of a digit.
    """
    instants = np.unique(timestamps_ns)
    distances = np.unique(np.diff(instants))
    if distances.size < FEWEST:
        return Fraction(0)
    divisor = int(np.gcd.reduce(distances))
    digit = 1
    while divisor % (10 * digit) == 0:
        digit *= 10
    estimator = StepEstimator(Fraction(NS_PER_S, digit), is_text=True)
    rows = (instants - instants[0]) // digit
    estimator.feed(Block(rows, np.zeros(rows.size, dtype=np.uint64), int(rows[-1]) + 1))
    return max(Fraction(divisor), estimator.step().step_s * NS_PER_S)


def _last_digit(times: Times) -> tuple[int, int]:
    """Place of the last digit of the larger times, in units of the finest, and the power of ten where these begin.

    Programs print floats to n digits; beyond what a float64 holds, the digits of one are noise.
    """
    sizes = np.abs(times)
    if times.size < FEWEST or not np.any(sizes):
        return 1, 0
    top = 10 ** (len(str(int(np.quantile(sizes, ALMOST_ALL)))) - 1)
    larger = times[(sizes >= top) & (sizes < 10 * top)]
    digit = 1
    while larger.size >= FEWEST and not np.any(larger % (10 * digit)):
        digit *= 10
    if not np.any(times % digit):  # of all times it is a step like any other
        digit, top = 1, 0
    noise = 64 * np.finfo(np.float64).eps * float(sizes.max())
    return max(digit, 10 ** math.ceil(math.log10(max(noise, 1)))), top


def _coarsest(times: Times, runs: list[Times], *, resolution: Fraction, is_text: bool) -> tuple[Fraction, int]:
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
