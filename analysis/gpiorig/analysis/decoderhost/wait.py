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

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from gpiorig.analysis.decoderhost.conditions import NEVER, Condition, Runs, SkipWithOthers
from gpiorig.analysis.decoderhost.errors import EndOfSamples, Refused
from gpiorig.analysis.decoderhost.source import Chunk

UNMAPPED_PIN = 0xFF  # what libsigrokdecode gives for an optional channel that is not given
ONE = (True,)


class Pins:
    """The pins of one decoder, from the first sample of an interval to the last.

    Parameters
    ----------
    bits
        Bit of the capture for each channel; negative for one that is not given.
    next_chunk
        Returns the next chunk of the interval, or None.
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
            raise ValueError("an interval without samples")
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
        """Continue to the next sample at which a condition holds.

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
            None holds up to the end of the interval.
        Refused
            These are not conditions.
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
        match = self._found(searches)
        best = min(match)
        if best == NEVER and searches.count(None) == len(searches):
            return self._pins(), self._at, None
        while best >= self._runs.end:
            self._advance()
            match = self._found(searches)
            best = min(match)
        self._at, self._visited = best, True
        if best >= self._run_end:
            self._go_to(bisect_right(self._runs.at_list, best, self._index) - 1)
        return self._pins(), best, ONE if len(match) == 1 else tuple([one == best for one in match])

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
        matches = []
        at, visited = self._at, self._visited
        floor = at + visited
        for search in searches:
            if isinstance(search, Condition):
                if search.place < 0:
                    search.search(self._runs)
                if visited and search.is_level and search.holds_within(self._levels):
                    matches.append(at)
                    continue
                sample = search.hits[search.place]
                matches.append(sample if sample >= floor else search.next(floor))
            elif search is None:
                matches.append(NEVER)
            elif isinstance(search, SkipWithOthers):
                matches.append(search.search(self._runs, self._index, at, visited))
            else:
                matches.append(search)
        return matches

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
