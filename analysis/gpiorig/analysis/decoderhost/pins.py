"""wait(): from one sample at which a condition holds to the next, by the edges between them.

What libsigrokdecode 0.5.3 does sample by sample (`find_match`, `sample_matches`), in its words: a wait() begins at the
sample of the last match, with the pins before it equal to those at it, so that a level holds there at once and an
edge does not; before the first sample the pins were what they are at it. A term on an optional channel that is not
given reads bit -1: there 'l' holds always, and nothing else ever does.

The pins are constant between two edges of their own channels (a run), so a condition without a skip can begin to hold
only at the first sample of a run or at the second. Those samples are found once for each chunk and condition, with
numpy; a wait() looks up the next one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.decoderhost.errors import EndOfSamples, Refused
from gpiorig.analysis.decoderhost.source import Chunk

NEVER = 1 << 62  # later than any sample
UNMAPPED_PIN = 0xFF  # what libsigrokdecode gives for an optional channel that is not given
ONE = (True,)

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
    """The constant stretches of one chunk, for the channels of one decoder.

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
                found = self._count([c is None or c.holds_at(before, levels) for c, _ in self._parts], at, at + 1)
                if found != NEVER:
                    return found
                at += 1
            found = self._count([c is None or c.holds_within(levels) for c, _ in self._parts], at, end)
            if found != NEVER:
                return found
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


class Pins:
    """The pins of one decoder, from the first sample of a stretch to the last.

    Parameters
    ----------
    bits
        Bit of the capture for each channel; negative for one that is not given.
    next_chunk
        Returns the next chunk of the stretch, or None.
    """

    def __init__(self, bits: Sequence[int], next_chunk: Callable[[], Chunk | None]) -> None:
        self._bits = tuple(bits)
        self._mask = sum(1 << bit for bit in set(bits) if bit >= 0)
        self._next_chunk = next_chunk
        self._conditions: dict[Any, Condition] = {}
        self._tuples: dict[int, tuple[int, ...]] = {}
        self._waited = False
        self.ended = False
        chunk = next_chunk()
        if chunk is None:
            raise ValueError("a stretch without samples")
        self._begin(chunk, None)
        self._start = self._at

    @property
    def sample(self) -> int:
        """Where the last wait() ended; at first the first sample."""
        return self._at

    def _begin(self, chunk: Chunk, carried: int | None) -> None:
        self._runs = Runs(chunk, self._mask, carried)
        self._at = self._runs.at_list[0]
        self._visited = False
        self._go_to(0)
        for condition in self._conditions.values():
            condition.place = -1

    def wait(self, conditions: Any) -> tuple[tuple[int, ...], int, tuple[bool, ...] | None]:
        """Go on to the next sample at which a condition holds.

        Parameters
        ----------
        conditions
            What the decoder gave: None, a dict, or a list of dicts.

        Returns
        -------
        pins
            0, 1 or 0xff for each channel.
        sample
            Its number.
        matched
            Which of the conditions hold; None where there was none to check.

        Raises
        ------
        EndOfSamples
            None holds up to the end of the stretch.
        Refused
            These are no conditions.
        """
        if conditions is not None and not isinstance(conditions, dict | list):
            raise Refused("Condition list is neither a list nor a dict.")
        if not conditions:  # the next sample; for the very first wait() the first one
            conditions = ({"skip": 1 if self._waited or self._at != self._start else 0},)
        elif conditions.__class__ is not list:
            conditions = (conditions,)
        if self.ended:
            raise EndOfSamples("the capture has ended")
        self._waited = True
        searches = self._searches(conditions)
        found = self._found(searches)
        best = min(found)
        if best == NEVER and searches.count(None) == len(searches):
            return self._pins(), self._at, None
        while best >= self._runs.end:
            self._advance()
            found = self._found(searches)
            best = min(found)
        self._at, self._visited = best, True
        if best >= self._run_end:
            self._go_to(bisect_right(self._runs.at_list, best, self._index) - 1)
        return self._pins(), best, ONE if len(found) == 1 else tuple([one == best for one in found])

    def _searches(self, conditions: Sequence[Any]) -> list[Condition | SkipWithOthers | int | None]:
        """For each condition what to look for; an int is a sample to wait for, None stands for an empty one."""
        searches: list[Condition | SkipWithOthers | int | None] = []
        known = self._conditions
        for condition in conditions:
            search: Condition | SkipWithOthers | int | None = None
            if condition.__class__ is dict and len(condition) == 1:
                [term] = condition.items()
                search = known.get(term)
                if search is None and term[1].__class__ is int and term[0].__class__ is str:
                    search = self._at + term[1] if term[1] >= 0 else NEVER
            searches.append(self._compiled(condition) if search is None else search)
        return searches

    def _compiled(self, condition: Any) -> Condition | SkipWithOthers | None:
        if not isinstance(condition, dict):
            raise Refused("Condition is not a dict.")
        terms = tuple(condition.items())
        skips = [isinstance(key, str) and isinstance(value, int) for key, value in terms]
        for is_skip, (key, value) in zip(skips, terms, strict=True):
            if not is_skip and not (isinstance(key, int) and isinstance(value, str)):
                raise Refused("A term is neither a channel and a type nor a number of samples.")
        if any(skips):
            return SkipWithOthers(terms, self._bits)
        if not terms:
            return None
        name = terms[0] if len(terms) == 1 else terms
        return self._conditions.setdefault(name, Condition(terms, self._bits))

    def _found(self, searches: Sequence[Condition | SkipWithOthers | int | None]) -> list[int]:
        """Return where in this chunk each condition holds next; the chunk's end or later: not in it."""
        found = []
        at, visited = self._at, self._visited
        floor = at + visited
        for search in searches:
            if isinstance(search, Condition):
                if search.place < 0:
                    search.search(self._runs)
                if visited and search.is_level and search.holds_within(self._levels):
                    found.append(at)
                    continue
                sample = search.hits[search.place]
                found.append(sample if sample >= floor else search.next(floor))
            elif search is None:
                found.append(NEVER)
            elif isinstance(search, SkipWithOthers):
                found.append(search.search(self._runs, self._index, at, visited))
            else:
                found.append(search)
        return found

    def _advance(self) -> None:
        chunk = self._next_chunk()
        if chunk is None:
            self.ended = True
            raise EndOfSamples("the capture has ended")
        self._begin(chunk, self._runs.levels_list[-1])

    def _go_to(self, index: int) -> None:
        at = self._runs.at_list
        self._index = index
        self._run_end = at[index + 1] if index + 1 < len(at) else self._runs.end
        self._levels = self._runs.levels_list[index]

    def _pins(self) -> tuple[int, ...]:
        pins = self._tuples.get(self._levels)
        if pins is None:
            pins = tuple(self._levels >> bit & 1 if bit >= 0 else UNMAPPED_PIN for bit in self._bits)
            self._tuples[self._levels] = pins
        return pins
