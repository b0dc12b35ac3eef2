"""How often each integer was seen: order statistics and moments of any number of them, exact, without the numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

TOGETHER = 1 << 20  # numbers that are sorted at once


class Tally:
    """Integers by value, as a sorted sequence of them; memory grows with the number of different ones."""

    def __init__(self) -> None:
        self._values = self._counts = np.empty(0, dtype=np.int64)
        self._ends = self._counts
        self._latest: list[NDArray[np.int64]] = []
        self._waiting = 0

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
        total = squares = 0
        for value, count in zip(self._values.tolist(), self._counts.tolist(), strict=True):
            total += count * (value - origin)
            squares += count * (value - origin) ** 2
        return total, squares

    def _count(self) -> None:
        if not self._latest:
            return
        values, counts = np.unique(np.concatenate(self._latest), return_counts=True)
        self._latest, self._waiting = [], 0
        self._values, places = np.unique(np.concatenate((self._values, values)), return_inverse=True)
        sums = np.zeros(len(self._values), dtype=np.int64)
        np.add.at(sums, places, np.concatenate((self._counts, counts)))
        self._counts, self._ends = sums, np.cumsum(sums)
