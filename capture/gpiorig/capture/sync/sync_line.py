"""The sync line: a coded pulse train on one channel of every analyzer, by which recordings are aligned.

`docs/reference/sync-line.md` defines the code. Pulse n rises n periods after the source's start; its width is bit n of
a maximal-length sequence, so any `STAGES` consecutive pulses give their place in it.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.sync import pulses

PERIOD_NS = 10_000_000
WIDTH_NS = (100_000, 200_000)  # of a 0 and of a 1
STAGES = 16
TAPS = (16, 15, 13, 4)  # x^16 + x^15 + x^13 + x^4 + 1 (AMD/Xilinx XAPP052, table 3)
LENGTH = 2**STAGES - 1  # pulses until the sequence repeats: 655.35 s

TOLERANCE = 0.2  # of the width of a 0: for sources with an RC oscillator, and for firmware that makes the pulses
JITTER_NS = 20_000  # of the interval between two pulses; beyond it, samples were lost

Placed = tuple[NDArray[np.int64], NDArray[np.int64]]  # samples and positions


@dataclass(frozen=True, slots=True, eq=False)
class SyncPulses:
    """The pulses of a sync line that a recording holds.

    Attributes
    ----------
    samples
        int64, shape (n,): sample number of each rising edge.
    positions
        int64, shape (n,): number of each pulse. That of the first is in 0..LENGTH-1; counting continues beyond, so
        two recordings' positions may differ by a multiple of LENGTH, which the wall clock resolves.
    damaged
        Pulses between these that could not be used: of a wrong width, or in an interval too short to be placed.
    """

    samples: NDArray[np.int64]
    positions: NDArray[np.int64]
    damaged: int


@functools.cache
def code() -> NDArray[np.uint8]:
    """The bits of one round of the sequence.

    Returns
    -------
    numpy.ndarray
        uint8, shape (LENGTH,): width of pulse n, as an index of `WIDTH_NS`.
    """
    bits = np.empty(LENGTH, dtype=np.uint8)
    register = 1
    for n in range(LENGTH):
        bits[n] = register >> (STAGES - 1)
        feedback = sum(register >> (tap - 1) for tap in TAPS) & 1
        register = (register << 1 | feedback) & LENGTH
    bits.flags.writeable = False
    return bits


@functools.cache
def _places() -> NDArray[np.int64]:
    """Position of the first pulse of each window of `STAGES` bits, the first bit being the highest; -1: no window."""
    places = np.full(2**STAGES, -1, dtype=np.int64)
    places[_windows(np.append(code(), code()[: STAGES - 1]))] = np.arange(LENGTH)
    return places


def _windows(bits: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Every `STAGES` consecutive bits as a number."""
    weights = 1 << np.arange(STAGES - 1, -1, -1, dtype=np.int64)
    return np.lib.stride_tricks.sliding_window_view(bits, STAGES).astype(np.int64) @ weights


def read(edges: Edges, channel: str) -> SyncPulses:
    """Find the pulses of a sync line and their positions.

    Pulses of another width (glitches) are omitted. Where the interval between pulses is not an integer number of
    periods (by more than `JITTER_NS`), or the code jumps, as where an analyzer has lost samples, it is looked up again.

    Parameters
    ----------
    edges
        A recording.
    channel
        The channel that the sync line is on.

    Raises
    ------
    CaptureError
        There is no such channel, or nowhere `STAGES` sound pulses in a row, or what is there contradicts itself.
    """
    per_ns = float(edges.samplerate_hz) / 1e9
    rises, widths_ns = pulses.read(edges, channel)
    short, long = (np.abs(widths_ns - width) < TOLERANCE * WIDTH_NS[0] for width in WIDTH_NS)
    sound = short | long
    rises, bits = rises[sound], long[sound].astype(np.uint8)
    bounds, steps = _bounds(rises, PERIOD_NS * per_ns, JITTER_NS * per_ns)
    placed = [
        part
        for start, end in itertools.pairwise(bounds)
        if end - start >= STAGES
        for part in _place(rises[start:end], bits[start:end], np.append(0, np.cumsum(steps[start : end - 1])))
    ]
    if not placed:
        raise CaptureError(
            f"channel {channel}: no {STAGES} sync pulses in a row ({len(rises)} single ones)",
            remedy=f"record longer than {(STAGES + 1) * PERIOD_NS / 1e6:g} ms, and check the wire",
        )
    samples = np.concatenate([samples for samples, _ in placed])
    return SyncPulses(samples, _counted_on(placed, PERIOD_NS * per_ns), damaged=len(sound) - len(samples))


def _bounds(rises: NDArray[np.int64], nominal: float, jitter: float) -> tuple[list[int], NDArray[np.int64]]:
    """Bounds of intervals whose pulses are complete periods apart, and the periods between pulses."""
    intervals = np.diff(rises)
    steps = np.rint(intervals / nominal).astype(np.int64)
    single = intervals[(steps == 1) & (np.abs(intervals - nominal) < TOLERANCE / 2 * nominal)]
    if single.size == 0:
        return [0, len(rises)], np.zeros(len(intervals), dtype=np.int64)
    period = float(np.median(single))
    steps = np.rint(intervals / period).astype(np.int64)
    breaks = np.flatnonzero((np.abs(intervals - steps * period) > jitter) | (steps == 0)) + 1
    return [0, *breaks.tolist(), len(rises)], steps


def _place(rises: NDArray[np.int64], bits: NDArray[np.uint8], numbers: NDArray[np.int64]) -> list[Placed]:
    """Pulses and their positions, in parts: a loss of complete periods shows only as a jump of the positions.

    A wrong bit spoils the windows it is in. A window agrees with the one before it by chance in 1 of 2 cases, so
    `STAGES` of them in a row are sure; a part reaches over the pulses of such windows. Where there are none, the place
    that most windows give is taken.
    """
    unbroken = np.flatnonzero(numbers[STAGES - 1 :] - numbers[: 1 - STAGES] == STAGES - 1)
    places = _places()[_windows(bits)[unbroken]]
    unbroken, places = unbroken[places >= 0], places[places >= 0]
    if unbroken.size == 0:
        return []
    starts = (places - numbers[unbroken]) % LENGTH
    sure: list[list[int]] = []  # (start, first pulse, one past the last)
    for run in np.split(np.arange(starts.size), np.flatnonzero(np.diff(starts)) + 1):
        start, first, last = int(starts[run[0]]), int(unbroken[run[0]]), int(unbroken[run[-1]]) + STAGES
        if run.size < STAGES:
            continue
        if sure and sure[-1][0] == start:
            sure[-1][2] = last
        else:
            sure.append([start, max(first, sure[-1][2]) if sure else first, last])
    if not sure:
        candidates, votes = np.unique(starts, return_counts=True)
        best = int(np.argmax(votes))
        if votes[best] * 2 <= unbroken.size:
            raise CaptureError(
                f"the sync line's code contradicts itself around sample {rises[0]}",
                remedy="is something else on this channel, or does the source follow docs/reference/sync-line.md?",
            )
        sure = [[int(candidates[best]), 0, len(rises)]]
    sure[0][1], sure[-1][2] = 0, len(rises)  # what is before the first sure window, and after the last, goes with it
    return [(rises[first:last], start + numbers[first:last]) for start, first, last in sure]


def _counted_on(parts: list[Placed], period: float) -> NDArray[np.int64]:
    """Positions of all parts, counting on where the sequence repeats."""
    result: list[NDArray[np.int64]] = []
    last_sample, last_position = parts[0][0][0], parts[0][1][0]
    for samples, positions in parts:
        expected = last_position + (samples[0] - last_sample) / period
        result.append(positions + LENGTH * round((expected - positions[0]) / LENGTH))
        last_sample, last_position = samples[-1], result[-1][-1]
    return np.concatenate(result)
