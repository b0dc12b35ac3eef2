"""Integer ids in a log: those that are missing, those that come again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IdCounts:
    """The ids of one node.

    Attributes
    ----------
    least, largest
        The ends of what was seen.
    before, between, after
        Ids that were not seen: below the least and above the largest one, within the known range; between the two.
    repeated
        Lines whose id another line before them has.
    """

    least: int
    largest: int
    before: int
    between: int
    after: int
    repeated: int

    @property
    def missing(self) -> int:
        """All that were not seen."""
        return self.before + self.between + self.after


def counts(ids: Iterable[int], *, known: tuple[int, int] | None = None) -> IdCounts | None:
    """Count the ids of a node's lines; None without one.

    Parameters
    ----------
    ids
        Of the lines; an id may come again.
    known
        The first and the last id that were sent. Without it nothing is known of those outside of what was seen.
    """
    seen = Counter(ids)
    if not seen:
        return None
    least, largest = min(seen), max(seen)
    within = len(seen)
    before = after = 0
    low, high = least, largest
    if known is not None:
        low, high = max(least, known[0]), min(largest, known[1])
        within = sum(known[0] <= number <= known[1] for number in seen)
        before, after = max(0, min(least, known[1] + 1) - known[0]), max(0, known[1] - max(largest, known[0] - 1))
    between = max(0, high - low + 1) - within
    return IdCounts(least, largest, before, between, after, seen.total() - len(seen))
