"""The edges of a capture: when any channel changed, and the levels from then on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.errors import CaptureError

MAX_CHANNELS = 64  # levels are one uint64


def no_gaps() -> NDArray[np.int64]:
    """Return an empty gap table.

    Returns
    -------
    numpy.ndarray
        int64, shape (0, 2).
    """
    return np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Edges:
    """All channels of a capture, as changes.

    Attributes
    ----------
    samples
        int64, shape (n,): sample numbers, strictly increasing; the first is `start`.
    levels
        uint64, shape (n,): bit i is the level of channel i from that sample on.
    samplerate_hz
        Samples per second, exact.
    channels
        Name of each channel, bit 0 first; "" for a bit that is not in use.
    start, end
        First sample, and one past the last.
    gaps
        int64, shape (k, 2): sample ranges (from, to) that were lost. A row at `to` gives the levels after the gap.
    """

    samples: NDArray[np.int64]
    levels: NDArray[np.uint64]
    samplerate_hz: Fraction
    channels: tuple[str, ...]
    start: int
    end: int
    gaps: NDArray[np.int64]

    def __post_init__(self) -> None:
        """Refuse arrays that no capture can give."""
        problem = self._problem()
        if problem:
            raise CaptureError(f"these are not the edges of a capture: {problem}")
        for array in (self.samples, self.levels, self.gaps):
            array.flags.writeable = False

    def _problem(self) -> str:
        samples, gaps = self.samples, self.gaps
        if samples.dtype != np.int64 or self.levels.dtype != np.uint64 or gaps.dtype != np.int64:
            return "samples and gaps must be int64, levels uint64"
        if samples.ndim != 1 or samples.shape != self.levels.shape or gaps.ndim != 2 or gaps.shape[1] != 2:
            return f"shapes {samples.shape}, {self.levels.shape}, {gaps.shape}, expected (n,), (n,), (k, 2)"
        if self.samplerate_hz <= 0:
            return f"samplerate {self.samplerate_hz} Hz"
        if len(self.channels) > MAX_CHANNELS:
            return f"{len(self.channels)} channels, at most {MAX_CHANNELS} fit"
        names = [name for name in self.channels if name]
        if len(set(names)) != len(names):
            return f"a channel name occurs twice in {', '.join(names)}"
        if samples.size == 0:
            return "" if self.start == self.end else "no levels are known"
        if samples[0] != self.start or samples[-1] >= self.end:
            return f"rows from {samples[0]} to {samples[-1]} do not cover [{self.start}, {self.end})"
        if np.any(samples[1:] <= samples[:-1]):
            return "sample numbers do not increase"
        return self._gap_problem()

    def _gap_problem(self) -> str:
        bounds = self.gaps.reshape(-1)
        if bounds.size == 0:
            return ""
        if np.any(bounds[1::2] <= bounds[::2]) or np.any(bounds[2::2] < bounds[1:-1:2]):
            return "gaps are not ranges in increasing order"
        if bounds[0] < self.start or bounds[-1] > self.end:
            return "a gap is outside the capture"
        places = np.searchsorted(self.samples, bounds)
        if np.any(places[::2] != places[1::2]):
            return "there are edges inside a gap"
        after = bounds[1::2][bounds[1::2] < self.end]
        if not np.all(np.isin(after, self.samples)):
            return "the levels after a gap are missing"
        return ""

    @classmethod
    def from_blocks(
        cls,
        blocks: Iterable[tuple[NDArray[np.int64], NDArray[np.uint64]]],
        *,
        samplerate_hz: Fraction,
        channels: Sequence[str],
        end: int,
        gaps: NDArray[np.int64] | None = None,
    ) -> Edges:
        """Put blocks of (samples, levels), in order, into one capture.

        Parameters
        ----------
        blocks
            int64 sample numbers and uint64 levels, as `EdgeExtractor.feed` returns them.
        samplerate_hz
            Samples per second.
        channels
            Channel names, bit 0 first.
        end
            One past the last sample of the capture.
        gaps
            int64, shape (k, 2): lost ranges of samples; those before the first row are before the capture.
        """
        parts = list(blocks)
        samples = np.concatenate([part[0] for part in parts] or [np.empty(0, dtype=np.int64)])
        levels = np.concatenate([part[1] for part in parts] or [np.empty(0, dtype=np.uint64)])
        start = int(samples[0]) if samples.size else end
        return cls(
            samples=samples,
            levels=levels,
            samplerate_hz=samplerate_hz,
            channels=tuple(channels),
            start=start,
            end=end,
            gaps=no_gaps() if gaps is None else gaps[gaps[:, 0] >= start],
        )

    def index(self, name: str) -> int:
        """Return the bit number of a channel."""
        if name and name in self.channels:
            return self.channels.index(name)
        available = ", ".join(filter(None, self.channels))
        raise CaptureError(f"no channel {name!r} in this capture", remedy=f"available channels: {available}")

    def channel(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return the changes of one channel; `initial_level` gives what it was before the first.

        Returns
        -------
        samples
            int64, shape (m,): samples from which on the channel has another level, a gap's end among them, although
            the change was somewhere in the gap and is not an edge.
        levels
            uint8, shape (m,): level from that sample on, 0 or 1.
        """
        bits = ((self.levels >> np.uint64(self.index(name))) & np.uint64(1)).astype(np.uint8)
        changed = np.flatnonzero(bits[1:] != bits[:-1]) + 1
        return self.samples[changed], bits[changed]

    def initial_level(self, name: str) -> int:
        """Return the level (0 or 1) of a channel at `start`."""
        bit = self.index(name)
        if self.levels.size == 0:
            raise CaptureError(f"the capture is empty, so channel {name!r} has no level")
        return int(self.levels[0]) >> bit & 1

    def window(self, start: int, end: int) -> Edges:
        """Return the part in [start, end) samples, clipped to the capture; sample numbers stay what they are."""
        start, end = max(start, self.start), min(end, self.end)
        if start >= end:
            raise CaptureError(
                f"the window from sample {start} to {end} is empty",
                remedy=f"the capture covers samples {self.start} to {self.end}",
            )
        start_row = int(np.searchsorted(self.samples, start, side="right")) - 1
        end_row = int(np.searchsorted(self.samples, end))
        samples, levels = self.samples[start_row:end_row].copy(), self.levels[start_row:end_row].copy()
        samples[0] = start
        gaps = np.clip(self.gaps, start, end)
        gaps = gaps[gaps[:, 0] < gaps[:, 1]]
        if gaps.size and gaps[0, 0] == start:
            if gaps[0, 1] == end:
                raise CaptureError(f"all samples from {start} to {end} were lost", remedy="choose another window")
            return self.window(int(gaps[0, 1]), end)  # nothing is known before the gap's end
        return Edges(
            samples=samples,
            levels=levels,
            samplerate_hz=self.samplerate_hz,
            channels=self.channels,
            start=start,
            end=end,
            gaps=gaps,
        )

    def intervals(self) -> list[slice]:
        """Return the rows between gaps: one slice of the arrays for each interval without lost samples."""
        cuts = [int(cut) for cut in np.searchsorted(self.samples, self.gaps[:, 1])]
        bounds = [0, *cuts, self.samples.size]
        return [slice(begin, stop) for begin, stop in pairwise(bounds) if begin < stop]
