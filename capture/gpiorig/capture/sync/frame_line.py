"""Frames that radio receivers on two analyzers received, by which recordings are aligned where no sync line reaches.

A receiver's line is high while a frame comes in. Frames at random intervals are known by their intervals, in any two
recordings and without a code.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.sync import pulses

RATE = 300e-6  # by which the clocks of two analyzers may differ: 100 ppm each, and an allowance
JITTER_NS = 5_000.0  # by which two receivers may differ; a byte of IEEE 802.15.4 at 2.4 GHz takes 32 µs
WINDOW_NS = 10e9  # in which the two clocks stay within RATE * WINDOW_NS
MIN_VOTES = 4  # of a window
PAIRS = 4_000_000  # compared at once
ALIKE = 4.0  # frames of the other recording that look like one of these, on average, beyond which they are too regular
TRIED = 64  # frames by which that is known
OUTLIER = 6.0  # standard deviations, of a frame that a receiver took late
NEIGHBOURS = 4  # frames on each side that an outlier is compared with
MAD_TO_STD = 1.4826  # of a normal distribution

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """What a receiver received.

    Attributes
    ----------
    samples
        int64, shape (n,): sample of each frame's rising edge.
    lengths_ns
        float64, shape (n,): how long the line stays high.
    samplerate_hz
        Samples per second.
    """

    samples: Indices
    lengths_ns: Floats
    samplerate_hz: Fraction

    @property
    def times_ns(self) -> Floats:
        """float64, shape (n,): instants by the analyzer's own clock."""
        return np.asarray(self.samples * (1e9 / float(self.samplerate_hz)), dtype=np.float64)


def read(edges: Edges, channel: str) -> Frames:
    """The frames on a receiver's line; raises `CaptureError` without such a channel."""
    return Frames(*pulses.read(edges, channel), edges.samplerate_hz)


def in_common(reference: Frames, aligned: Frames, *, jitter_ns: float = JITTER_NS) -> tuple[Indices, Indices, float]:
    """Find the frames that both receivers received.

    Three frames in a row that have the same two intervals and three lengths in both recordings are taken for the same,
    where most of a window of 10 s agree on the distance of the two clocks; the others then follow by that distance.

    Parameters
    ----------
    reference, aligned
        The frames of the two recordings.
    jitter_ns
        By how much an interval, or a length, may differ in the two.

    Returns
    -------
    tuple
        int64, shape (n,): samples of the other recording; int64, shape (n,): those of the reference; the standard
        deviation, in ns, of what no smooth difference of the two clocks explains.

    Raises
    ------
    CaptureError
        Nothing fits, or more than one thing does.
    """
    reference_frames, aligned_frames = _candidates(reference, aligned, jitter_ns)
    at_ns = aligned.times_ns[aligned_frames]
    apart_ns = reference.times_ns[reference_frames] - at_ns
    chosen = _agreed(at_ns, apart_ns)
    if not chosen.any():
        raise CaptureError(
            "the two receivers have no frames in common",
            remedy="did they receive from the same sender at the same time, on the lines that were named?",
        )
    x, y = _matched(reference, aligned, at_ns[chosen], apart_ns[chosen], jitter_ns)
    at_ns = aligned.times_ns[x]
    rest_ns = _rest(at_ns, reference.times_ns[y] - at_ns)
    noise_ns = float(MAD_TO_STD * np.median(np.abs(rest_ns)))
    sampling_ns = 1e9 / float(min(reference.samplerate_hz, aligned.samplerate_hz))
    steady = np.abs(rest_ns) <= max(OUTLIER * noise_ns, sampling_ns)
    return aligned.samples[x[steady]], reference.samples[y[steady]], noise_ns


def _candidates(reference: Frames, aligned: Frames, jitter_ns: float) -> tuple[Indices, Indices]:
    """Indices of frames in both that begin the same two intervals with the same three lengths."""
    if min(len(reference.samples), len(aligned.samples)) < 3:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    tried = np.linspace(0, len(reference.samples) - 3, TRIED).astype(np.int64)
    if (
        sum(len(pair[0]) for pair in _alike(reference, aligned, np.unique(tried), jitter_ns))
        > ALIKE * np.unique(tried).size
    ):
        raise CaptureError(
            "the frames come at intervals that repeat, so it is not certain which are the same",
            remedy="let a node send at random intervals (docs/reference/sync-line.md#frames-in-place-of-a-line)",
        )
    parts = list(_alike(reference, aligned, np.arange(len(reference.samples) - 2), jitter_ns))
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _alike(reference: Frames, aligned: Frames, starts: Indices, jitter_ns: float) -> Iterator[tuple[Indices, Indices]]:
    """The candidates for some frames of the reference, a part at a time."""
    reference_gaps_ns, aligned_gaps_ns = np.diff(reference.times_ns), np.diff(aligned.times_ns)
    order = np.argsort(aligned_gaps_ns[:-1], kind="stable")
    tolerance = reference_gaps_ns[starts] * RATE + jitter_ns
    low = np.searchsorted(aligned_gaps_ns[order], reference_gaps_ns[starts] - tolerance)
    count = np.searchsorted(aligned_gaps_ns[order], reference_gaps_ns[starts] + tolerance, side="right") - low
    parts = np.searchsorted(np.cumsum(count), np.arange(0, count.sum(), PAIRS))
    for begin, end in itertools.pairwise(np.unique([0, *parts, len(starts)])):
        counts = count[begin:end]
        reference_frames = np.repeat(starts[begin:end], counts)
        gap_places = np.repeat(low[begin:end] - np.cumsum(counts) + counts, counts)
        aligned_frames = order[gap_places + np.arange(len(reference_frames))]
        same = (
            np.abs(reference_gaps_ns[reference_frames + 1] - aligned_gaps_ns[aligned_frames + 1])
            <= reference_gaps_ns[reference_frames + 1] * RATE + jitter_ns
        )
        reference_frames, aligned_frames = reference_frames[same], aligned_frames[same]
        for step in range(3):
            same = (
                np.abs(reference.lengths_ns[reference_frames + step] - aligned.lengths_ns[aligned_frames + step])
                <= jitter_ns
            )
            reference_frames, aligned_frames = reference_frames[same], aligned_frames[same]
        yield reference_frames, aligned_frames


def _agreed(at_ns: Floats, apart_ns: Floats) -> NDArray[np.bool_]:
    """Which candidates agree with most others of their window, and with the windows before and after it."""
    chosen = np.zeros(len(at_ns), dtype=bool)
    window = (at_ns // WINDOW_NS).astype(np.int64)
    agreeing: list[tuple[float, float, int, Indices]] = []  # (instant, distance of the clocks, votes, candidates)
    for number in np.unique(window):
        in_window = np.flatnonzero(window == number)
        votes = in_window[np.abs(apart_ns[in_window] - _mode(apart_ns[in_window])) <= RATE * WINDOW_NS]
        if votes.size >= MIN_VOTES and 2 * votes.size > in_window.size:
            agreeing.append((float(np.mean(at_ns[votes])), float(np.median(apart_ns[votes])), votes.size, votes))
    if not agreeing:
        return chosen
    best = max(range(len(agreeing)), key=lambda index: agreeing[index][2])
    for way in (agreeing[best:], agreeing[best::-1]):
        at, apart = way[0][:2]
        for instant, distance, _, votes in way:
            if abs(distance - apart) <= RATE * (abs(instant - at) + WINDOW_NS):
                chosen[votes] = True
                at, apart = instant, distance
    return chosen


def _mode(values: Floats) -> float:
    """The value with the most others within RATE * WINDOW_NS."""
    ordered = np.sort(values)
    reach = np.searchsorted(ordered, ordered + RATE * WINDOW_NS, side="right") - np.arange(len(ordered))
    at = int(np.argmax(reach))
    return float(np.median(ordered[at : at + reach[at]]))


def _matched(
    reference: Frames, aligned: Frames, at_ns: Floats, apart_ns: Floats, jitter_ns: float
) -> tuple[Indices, Indices]:
    """Indices of the frames that fall on each other, in the other recording and in the reference."""
    order = np.argsort(at_ns)
    line = Polynomial.fit(at_ns, apart_ns, 1)
    rest = np.interp(aligned.times_ns, at_ns[order], (apart_ns - line(at_ns))[order])
    expected = aligned.times_ns + line(aligned.times_ns) + rest
    after = np.clip(np.searchsorted(reference.times_ns, expected), 1, len(reference.samples) - 1)
    is_before = expected - reference.times_ns[after - 1] < reference.times_ns[after] - expected
    nearest = np.where(is_before, after - 1, after)
    same = np.abs(reference.times_ns[nearest] - expected) <= 2 * jitter_ns
    same &= np.abs(reference.lengths_ns[nearest] - aligned.lengths_ns) <= jitter_ns
    x = np.flatnonzero(same)
    _, once = np.unique(nearest[x], return_index=True)
    return x[once], nearest[x[once]]


def _rest(at_ns: Floats, apart_ns: Floats) -> Floats:
    """What no smooth difference of the clocks explains: distance from the neighbours' median, without the trend."""
    rest = apart_ns - Polynomial.fit(at_ns, apart_ns, 1)(at_ns)
    padded = np.pad(rest, NEIGHBOURS, mode="symmetric")
    return np.asarray(rest - np.median(np.lib.stride_tricks.sliding_window_view(padded, 2 * NEIGHBOURS + 1), axis=1))
