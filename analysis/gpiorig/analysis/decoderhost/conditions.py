"""Conditions of a wait(), and where in a chunk they hold."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.decoderhost.source import Chunk

NEVER = 1 << 62  # later than any sample

Term = tuple[int | str, str | int]  # (channel, type), or ('skip', samples)

# Types of a term, on the level before and at a sample: an int, or an array of bool.
HOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "h": lambda before, level: level == 1,
    "l": lambda before, level: level == 0,
    "r": lambda before, level: before < level,
    "f": lambda before, level: before > level,
    "e": lambda before, level: before != level,
    "n": lambda before, level: before == level,
}


class Runs:
    """The constant intervals of one chunk, for the channels of one decoder.

    Attributes
    ----------
    at
        First sample of each run.
    levels
        uint64 levels in it, of these channels only.
    before
        Levels in the sample before each run.
    end
        One past the last sample.
    """

    __slots__ = ("at", "at_list", "before", "end", "levels", "levels_list")

    def __init__(self, chunk: Chunk, mask: int, carried: int | None) -> None:
        levels = chunk.levels & np.uint64(mask)
        first = levels[0] if carried is None else np.uint64(carried)
        before = np.concatenate((np.array([first], dtype=np.uint64), levels[:-1]))
        keep = levels != before
        keep[0] = True
        self.at: NDArray[np.int64] = chunk.samples[keep]
        self.levels: NDArray[np.uint64] = levels[keep]
        self.before: NDArray[np.uint64] = before[keep]
        self.end = chunk.end
        self.at_list: list[int] = self.at.tolist()
        self.levels_list: list[int] = self.levels.tolist()

    def bit(self, number: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return (level before, level in) each run of one bit."""
        one = np.uint64(1)
        return (self.before >> np.uint64(number) & one) == one, (self.levels >> np.uint64(number) & one) == one


class Condition:
    """Terms that must hold together, none of them a skip.

    Parameters
    ----------
    terms
        (channel, type) of each.
    bits
        Bit of each channel, or negative.
    """

    __slots__ = ("_mask", "_terms", "_want", "hits", "is_level", "never", "place")

    def __init__(self, terms: Sequence[Term], bits: Sequence[int]) -> None:
        self.never = False
        self.is_level = True  # it can hold in the midst of a run
        self._mask = self._want = 0
        self._terms: list[tuple[int, str]] = []
        for channel, raw in terms:
            kind = str(raw)[:1]
            if channel not in range(len(bits)) or kind not in HOLDS:
                self.never = True
                continue
            bit = bits[int(channel)]
            if bit < 0:
                self.never |= kind != "l"
                continue
            self._terms.append((bit, kind))
            if kind in "rfe":
                self.is_level = False
            elif kind in "hl":
                want = (kind == "h") << bit
                self.never |= bool(self._mask >> bit & 1 and (self._want ^ want) >> bit & 1)  # two channels, one bit
                self._mask |= 1 << bit
                self._want |= want
        self.is_level &= not self.never
        self.hits: list[int] = [NEVER]
        self.place = -1  # in `hits`; negative until they are searched for

    def holds_within(self, levels: int) -> bool:
        """Whether it holds where the pins are these, and were before."""
        return self.is_level and levels & self._mask == self._want

    def holds_at(self, before: int, levels: int) -> bool:
        """Whether it holds at a sample with these pins, after one with those."""
        return not self.never and all(HOLDS[kind](before >> bit & 1, levels >> bit & 1) for bit, kind in self._terms)

    def search(self, runs: Runs) -> None:
        """Find the samples of a chunk at which it begins to hold."""
        self.place = 0
        self.hits = [NEVER]
        if self.never:
            return
        first = np.ones(runs.at.size, dtype=bool)
        rest = np.full(runs.at.size, self.is_level)
        for bit, kind in self._terms:
            before, level = runs.bit(bit)
            first &= HOLDS[kind](before, level)
            rest &= HOLDS[kind](level, level)
        hits = runs.at[first]
        if self.is_level:
            longer = np.diff(runs.at, append=runs.end) > 1
            second = runs.at[rest & ~first & longer] + 1
            hits = np.sort(np.concatenate((hits, second)))
        self.hits = [*hits.tolist(), NEVER]

    def next(self, floor: int) -> int:
        """Return the first sample found that is not before `floor`; which never decreases within a chunk."""
        self.place = bisect_left(self.hits, floor, self.place)
        return self.hits[self.place]


class SkipWithOthers:
    """Terms that must hold together, with a skip among them; of one wait() only.

    A skip counts the samples at which the terms before it hold.

    Parameters
    ----------
    terms
        Its terms in order.
    bits
        Bit of each channel, or negative.
    """

    def __init__(self, terms: Sequence[Term], bits: Sequence[int]) -> None:
        self._parts: list[tuple[Condition | None, int]] = []  # (None, samples to skip) or (condition, 0)
        for channel, value in terms:
            if isinstance(channel, str):
                self._parts.append((None, int(value) if int(value) >= 0 else NEVER))
            else:
                self._parts.append((Condition([(channel, value)], bits), 0))
        self._left = [skip for _, skip in self._parts]

    def search(self, runs: Runs, index: int, at: int, visited: bool) -> int:
        """Count on through a chunk.

        Parameters
        ----------
        runs
            The chunk.
        index, at
            Run and sample to begin with.
        visited
            The last match was at this sample.

        Returns
        -------
        int
            The first sample at which it holds, or NEVER.
        """
        before = runs.levels_list[index - 1] if index else int(runs.before[0])
        bounds = [*runs.at_list[index + 1 :], runs.end]
        for end, levels in zip(bounds, runs.levels_list[index:], strict=True):
            if not visited:
                counted = self._count([c is None or c.holds_at(before, levels) for c, _ in self._parts], at, at + 1)
                if counted != NEVER:
                    return counted
                at += 1
            counted = self._count([c is None or c.holds_within(levels) for c, _ in self._parts], at, end)
            if counted != NEVER:
                return counted
            at, before, visited = end, levels, False
        return NEVER

    def _count(self, holds: list[bool], at: int, end: int) -> int:
        for i, (condition, _) in enumerate(self._parts):
            if not holds[i] or at >= end:
                return NEVER
            if condition is None:
                passed = min(self._left[i], end - at)
                self._left[i] -= passed
                at += passed
        return at if at < end else NEVER
