"""The step on which the instants of a capture lie, estimated from its edges: what took them sampled no finer than that.

A file of times has the resolution of its text, and metadata may claim a rate that the analyzer never had. Of a recorder
that samples with a period T all instants are multiples of T, rounded to the file's resolution R: `step_likelihood` has
the step that chance does not make.

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
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.step_likelihood import FEWEST, LOCKED, RUN_LENGTH, Times, coarsest
from gpiorig.capture.edges.waveform import Block, TimeStep, Waveform

CLOCK_PPM = 100.0  # half width, of the recorder and of the sender each
TOO_LARGE = 10
ADJACENT = 0.1  # share of distances of one step, from which on it is the sender's
ALMOST_ALL = 0.98  # of the times: what they are rounded to is the resolution
NS_PER_S = 10**9
MAX_TIMESTAMPS = 1 << 16  # by which the step of a file's timestamps is estimated
MAX_RUNS = 512


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
        step, off = coarsest(times, runs, resolution=resolution, is_text=self._is_text)
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


class TimestampStep(NamedTuple):
    """Step of timestamps that software took, and who states it.

    Attributes
    ----------
    step_ns
        0: not known.
    origin
        "timestamps" that show it, or the "format" of the file.
    """

    step_ns: float
    origin: str


def timestamp_step(timestamps_ns: Times, *, format_ns: float) -> TimestampStep:
    """The step that timestamps show, or the unit of their format where they show none that is coarser."""
    shown_ns = float(of_timestamps(timestamps_ns))
    return TimestampStep(shown_ns, "timestamps") if shown_ns > format_ns else TimestampStep(format_ns, "format")


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
