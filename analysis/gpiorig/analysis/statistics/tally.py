"""How often each integer was seen: order statistics and moments of any number of them, exact, without the numbers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import mapped

TOGETHER = 1 << 20  # numbers that are sorted at once
ROWS = 1 << 14  # of a matrix that are counted at once: what the caches of a processor hold
PLACES = 1 << 18  # integers from the least to the greatest: more have a count each only where there are more numbers
_EXACT = 1 << 31  # of counts and of differences below it all products of one sum fit into 64 bits


class Tally:
    """Integers by value, as a sorted sequence of them; memory grows with the number of different ones."""

    def __init__(self) -> None:
        self._values = self._counts = np.empty(0, dtype=np.int64)
        self._ends = self._counts
        self._latest: list[NDArray[np.int64]] = []
        self._waiting = 0

    @classmethod
    def of(cls, low: int, counts: NDArray[np.int64]) -> Tally:
        """How often `low` was seen, and each of the integers after it: int64[k]."""
        tally = cls()
        places = np.flatnonzero(counts)
        tally._values, tally._counts = low + places, counts[places]
        tally._ends = np.cumsum(tally._counts)
        return tally

    def add(self, numbers: NDArray[np.int64]) -> None:
        """Count int64[n]."""
        self._latest.append(numbers)
        self._waiting += len(numbers)
        if self._waiting >= TOGETHER:
            self._count()

    def __len__(self) -> int:
        self._count()
        return int(self._ends[-1]) if len(self._ends) else 0

    def __getitem__(self, place: int) -> int:
        """The number at a place, from the least on; places below 0 count from the greatest."""
        place = range(len(self))[place]
        return int(self._values[np.searchsorted(self._ends, place, side="right")])

    @property
    def values(self) -> NDArray[np.int64]:
        """The different numbers, increasing."""
        self._count()
        return self._values

    def total(self) -> int:
        """Sum of all."""
        return self._sums(0)[0]

    def variance(self) -> Fraction:
        """As `summary.variance`."""
        n = len(self)
        total, squares = self._sums(self[0])
        return Fraction(n * squares - total * total, n * (n - 1))

    def _sums(self, origin: int) -> tuple[int, int]:
        """Sums of the differences to a number, and of their squares."""
        self._count()
        ends = [int(self._values[place]) - origin for place in (0, -1)] if len(self) else [0]
        if max(map(abs, ends)) >= _EXACT or len(self) >= _EXACT:
            counts = self._counts.tolist()
            pairs = [(value - origin, count) for value, count in zip(self._values.tolist(), counts, strict=True)]
            return sum(count * value for value, count in pairs), sum(count * value**2 for value, count in pairs)
        differences = self._values - origin
        low, high = differences**2 & (_EXACT - 1), differences**2 >> 31
        total, of_low, of_high = (int(part @ self._counts) for part in (differences, low, high))
        return total, of_low + (of_high << 31)

    def _count(self) -> None:
        if not self._latest:
            return
        values, counts = np.unique(np.concatenate(self._latest), return_counts=True)
        self._latest, self._waiting = [], 0
        self._values, places = np.unique(np.concatenate((self._values, values)), return_inverse=True)
        sums = np.zeros(len(self._values), dtype=np.int64)
        np.add.at(sums, places, np.concatenate((self._counts, counts)))
        self._counts, self._ends = sums, np.cumsum(sums)


Ordered: TypeAlias = Tally | NDArray[Any]  # numbers by size: the place of each is its index


def ordered(numbers: NDArray[Any]) -> Ordered:
    """Numbers[n] by size: integers that are close together are counted, all others sorted."""
    if np.issubdtype(numbers.dtype, np.integer) and len(numbers):
        low, places = _range(numbers.min(), numbers.max())
        if places <= max(PLACES, len(numbers) // 2):
            return Tally.of(low, _counts(numbers, low, places))
    return np.sort(numbers)


def of_columns(rows: NDArray[Any]) -> Iterator[Ordered]:
    """`ordered` of each column of integers[n, c], as int64; many columns are counted together, in slices of rows."""
    wide = rows.shape[1]
    least, most = np.full(wide, np.iinfo(np.int64).max), np.full(wide, np.iinfo(np.int64).min)
    parts = [slice(start, start + ROWS) for start in range(0, len(rows), ROWS)]
    for part in parts:
        mapped.relieve()
        np.minimum(least, rows[part].min(axis=0), out=least)
        np.maximum(most, rows[part].max(axis=0), out=most)
    ranges = [_range(*ends) for ends in zip(least, most, strict=True)]
    counts = [np.zeros(places if 0 < places <= PLACES else 0, dtype=np.int64) for _, places in ranges]
    for part in parts:
        mapped.relieve()
        for column, ((low, _), counted) in enumerate(zip(ranges, counts, strict=True)):
            if len(counted):
                some = np.bincount(rows[part, column] - low)
                counted[: len(some)] += some
    for column, ((low, _), counted) in enumerate(zip(ranges, counts, strict=True)):
        yield Tally.of(low, counted) if len(counted) else ordered(rows[:, column].astype(np.int64))


def _range(low: np.integer[Any], high: np.integer[Any]) -> tuple[int, int]:
    """The least of some integers, and how many there may be from it to the greatest."""
    return int(low), int(high) - int(low) + 1


def _counts(numbers: NDArray[Any], low: int, places: int) -> NDArray[np.int64]:
    counts = np.zeros(places, dtype=np.int64)
    together = max(TOGETHER, places)
    for start in range(0, len(numbers), together):
        counts += np.bincount(numbers[start : start + together] - low, minlength=places)
    return counts


def distinct(numbers: NDArray[Any]) -> NDArray[Any]:
    """The different ones of some numbers, increasing."""
    by_size = ordered(numbers)
    if isinstance(by_size, Tally):
        return by_size.values
    is_new: NDArray[np.bool_] = np.append(True, by_size[1:] != by_size[:-1])[: len(by_size)]
    return by_size[is_new]
