"""A recording of a modelled USB analyzer against the truth of the bus, sample for sample (in rig/vbench/usbbus).

The truth has the clock of each start of a device, in integers, and which of its samples were never handed over. From
these and the signal follows every edge, by its sample number. A recording is read in its intervals between gaps: all
samples of one are of one start, in a row, and the levels of each must be those of the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import Edges

UHZ_NS = 10**15  # a sample takes this many uHz times ns (rig/vbench/usbbus/src/clock.rs)
NEAREST = 3  # places of an edge that are tried, the one next to where the recording has it first
SEARCHED = 12_000_000  # samples around that place: a restart may be known no better
NEVER = 2**62  # samples of a start that was not ended

Signal = Callable[[int, int], Iterator[tuple[int, int]]]  # (from, to) in ns: (ns, level) at `from`, and of each change
Changes = tuple[NDArray[np.int64], NDArray[np.uint64]]  # samples, levels from there on


@dataclass(frozen=True)
class Start:
    """One start of a device: its clock on the signal's axis, how many samples it took, and which of them were lost.

    `noise`: levels are random in the first `noise[0]` of each `noise[1]` samples.
    """

    run: int
    rate_uhz: int
    start_ns: int
    noise: tuple[int, int]
    samples: int
    lost: tuple[tuple[int, int], ...]  # (first, count)
    end: str

    def first_sample(self, ns: int) -> int:
        """The sample that sees an edge."""
        return max(0, -(-(ns - self.start_ns) * self.rate_uhz // UHZ_NS))

    def ns_of(self, sample: float) -> float:
        """When a sample was taken, on the signal's axis."""
        return self.start_ns + sample * UHZ_NS / self.rate_uhz

    def sample_at(self, ns: float) -> float:
        """The sample at an instant."""
        return (ns - self.start_ns) * self.rate_uhz / UHZ_NS


def counter(half_period_ns: int) -> Signal:
    """A binary counter."""

    def changes(begin_ns: int, end_ns: int) -> Iterator[tuple[int, int]]:
        for count in range(begin_ns // half_period_ns, end_ns // half_period_ns + 1):
            yield count * half_period_ns, count & 0xFFFF

    return changes


@dataclass
class Interval:
    """Samples between two gaps, as the truth knows them.

    Attributes
    ----------
    begin, end
        In samples of the recording.
    run, first
        The start of the device, and the sample of it that is the first here.
    edges, wrong
        Edges in the truth; those of the recording and of the truth that the other one does not have.
    never_sent
        Samples that the recording claims to have, and that were lost or never taken.
    shift
        By how many samples the recording has them late, by the clock of its first start.
    """

    begin: int
    end: int
    run: int
    first: int
    edges: int
    wrong: int
    never_sent: int
    shift: float


@dataclass
class Gap:
    """A gap of the recording: what of it was lost, and what was there and is hidden, in samples."""

    begin: int
    end: int
    lost: int
    hidden_before: int
    hidden_after: int

    @property
    def too_wide(self) -> int:
        """By how many samples it is wider than what was lost and what it hides: the shift that it makes."""
        return self.end - self.begin - self.lost - self.hidden_before - self.hidden_after


@dataclass
class Comparison:
    """What a recording is against the truth."""

    intervals: list[Interval] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)  # within one start

    @property
    def edges(self) -> int:
        """Edges in the truth of all intervals."""
        return sum(interval.edges for interval in self.intervals)

    @property
    def wrong(self) -> int:
        """Edges that are in one only."""
        return sum(interval.wrong for interval in self.intervals)

    @property
    def never_sent(self) -> int:
        """Samples that the recording claims to have, and that no transfer had."""
        return sum(interval.never_sent for interval in self.intervals)


def read(folder: Path, device: int = 0) -> list[Start]:
    """The starts of a device in the truth of a bus, in their order."""
    rows = [
        (kind, dict(key.split("=", 1) for key in keys))
        for kind, *keys in map(str.split, (folder / "truth").read_text().splitlines())
    ]
    own = [(kind, row) for kind, row in rows if int(row["device"]) == device]
    return [_start([row for row in own if row[1]["run"] == start["run"]]) for kind, start in own if kind == "start"]


def _start(rows: list[tuple[str, dict[str, str]]]) -> Start:
    (start,) = (row for kind, row in rows if kind == "start")
    ends = [row for kind, row in rows if kind == "end"]
    assert float(start["drift"]) == 0.0, "the sample of an edge is computed for a clock without drift"
    return Start(
        run=int(start["run"]),
        rate_uhz=int(start["rate_hz"].replace(".", "")),
        start_ns=int(start["start_ns"]),
        noise=(int(start["noise_samples"]), int(start["noise_every"])),
        samples=int(ends[0]["sample"]) if ends else NEVER,
        lost=tuple((int(row["sample"]), int(row["samples"])) for kind, row in rows if kind == "lost"),
        end=ends[0]["kind"] if ends else "",
    )


def compare(edges: Edges, starts: list[Start], signal: Signal) -> Comparison:
    """Hold a recording of one analyzer against the truth."""
    result = Comparison()
    used = np.uint64(sum(1 << bit for bit, name in enumerate(edges.channels) if name))
    begins = [edges.start, *edges.gaps[:, 1].tolist()]
    ends = [*edges.gaps[:, 0].tolist(), edges.end]
    at = 0
    for begin, end in zip(begins, ends, strict=True):
        if begin == end:
            continue
        rows = slice(*np.searchsorted(edges.samples, [begin, end]).tolist())
        part = _changing(edges.samples[rows], edges.levels[rows] & used)
        tried = [
            _interval((begin, end), part, starts[0], start, _Levels(start, signal, used))
            for start in starts[at : at + 2]
        ]
        best = min(tried, key=lambda interval: interval.wrong)
        at += tried.index(best)
        if result.intervals and result.intervals[-1].run == best.run:
            result.gaps.append(_gap(result.intervals[-1], best, starts[at]))
        result.intervals.append(best)
    return result


def _gap(before: Interval, after: Interval, start: Start) -> Gap:
    """The gap between two intervals of one start."""
    last = before.first + before.end - before.begin
    losses = [(first, count) for first, count in start.lost if first + count > last and first < after.first]
    lost = sum(count for _, count in losses)
    first = losses[0][0] if losses else last
    hidden_after = after.first - (losses[-1][0] + losses[-1][1] if losses else last)
    return Gap(before.end, after.begin, lost, first - last, hidden_after)


def _interval(place: tuple[int, int], part: Changes, origin: Start, start: Start, truth: _Levels) -> Interval:
    """The interval, if it is of this start: at the place where it has the fewest wrong edges."""
    (begin, end), (samples, levels) = place, part
    ideal = start.sample_at(origin.ns_of(begin)) - begin  # of the start, less that of the recording
    offsets = [round(ideal)]
    if samples.size > 1:
        near, there = truth.between(round(ideal) + begin - SEARCHED, round(ideal) + int(samples[1]) + SEARCHED)
        pairs = np.flatnonzero((there[:-1] == levels[0]) & (there[1:] == levels[1])) + 1
        shifts = near[pairs] - samples[1]
        offsets = shifts[np.argsort(np.abs(shifts - ideal))][:NEAREST].tolist()
    fits = [(*_fit(part, truth, offset, end - begin), offset) for offset in offsets]
    wrong, count, offset = min(fits, key=lambda fit: fit[0], default=(samples.size, 0, round(ideal)))
    first, last = begin + offset, end + offset
    lost = sum(max(0, min(last, at + size) - max(first, at)) for at, size in start.lost)
    never_sent = lost + max(0, last - max(first, start.samples))
    return Interval(begin, end, start.run, first, count, wrong, never_sent, ideal - offset)


def _fit(part: Changes, truth: _Levels, offset: int, width: int) -> tuple[int, int]:
    """Edges that only one of the two has, and edges in the truth."""
    samples, levels = part[0] + offset, part[1]
    if not 0 <= samples[0] < truth.samples:
        return samples.size, 0
    there, true_levels = truth.between(int(samples[0]), int(samples[0]) + width)
    if np.array_equal(there, samples) and np.array_equal(true_levels, levels):
        return 0, there.size - 1
    wrong = set(zip(there.tolist(), true_levels.tolist(), strict=True)) ^ set(
        zip(samples.tolist(), levels.tolist(), strict=True)
    )
    return len(wrong), there.size - 1


class _Levels:
    """The levels of the samples of a start."""

    def __init__(self, start: Start, signal: Signal, used: np.uint64) -> None:
        self._start, self._signal, self._used = start, signal, used
        self.samples = start.samples

    def between(self, low: int, high: int) -> Changes:
        """The level at sample `low`, and the changes after it up to `high`."""
        low = max(0, min(low, self.samples - 1))
        high = max(low + 1, min(high, self.samples))
        begin_ns, end_ns = (self._start.start_ns + sample * UHZ_NS // self._start.rate_uhz for sample in (low, high))
        pairs = [(self._start.first_sample(ns), level) for ns, level in self._signal(begin_ns, end_ns)]
        samples = np.maximum(np.array([sample for sample, _ in pairs], dtype=np.int64), low)
        levels = np.array([level for _, level in pairs], dtype=np.uint64)
        last = np.append(samples[1:] != samples[:-1], True)  # of the changes that one sample sees
        samples, levels = samples[last & (samples < high)], levels[last & (samples < high)]
        return _changing(*self._noisy(samples, levels, low, high))

    def _noisy(self, samples: NDArray[np.int64], levels: NDArray[np.uint64], low: int, high: int) -> Changes:
        count, every = self._start.noise
        if not count:
            return samples, levels & self._used
        blocks = np.arange(low // every * every, high, every)
        places = np.unique(np.concatenate([samples, (blocks[:, None] + np.arange(count + 1)).ravel()]))
        places = places[(places >= low) & (places < high)]
        clean = levels[np.searchsorted(samples, places, side="right") - 1]
        return places, np.where(places % every < count, clean ^ _random(places), clean) & self._used


def _changing(samples: NDArray[np.int64], levels: NDArray[np.uint64]) -> Changes:
    """The rows where the level is another than before, and the first."""
    changes = np.append(True, levels[1:] != levels[:-1])
    return samples[changes], levels[changes]


def _random(samples: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The noise of samples: the upper bits of SplitMix64 (rig/vbench/usbbus/src/signal.rs)."""
    z = samples.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))) >> np.uint64(48)
