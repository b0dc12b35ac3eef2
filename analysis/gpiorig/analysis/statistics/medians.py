"""Medians of many numbers, exact as `numpy.median`, in memory that does not grow with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PART = 1 << 16  # numbers that are looked at at once
_BINS = 1 << 16  # of a pass over all numbers


def median(values: NDArray[Any], *, chosen: Callable[[NDArray[Any]], NDArray[Any]] | None = None) -> float:
    """Median of integers or floats, none of which is NaN; 0 without any.

    Parameters
    ----------
    values
        [n] numbers, mapped ones too.
    chosen
        Of a part of the values those that count, or numbers that are computed from them; None: the part.
    """

    def keys() -> Iterator[NDArray[np.int64]]:
        for start in range(0, len(values), _PART):
            part = values[start : start + _PART]
            yield _keys(part if chosen is None else chosen(part))

    bounds = [(int(part.min()), int(part.max()), len(part)) for part in keys() if len(part)]
    if not bounds:
        return 0.0
    lows, highs, counts = zip(*bounds, strict=True)
    count = sum(counts)
    middle = _middle(keys, min(lows), max(highs), ((count - 1) // 2, count // 2))
    kind = values.dtype if chosen is None else chosen(values[:0]).dtype
    return float(np.mean(_numbers(np.array(middle), kind)))


def of_counted(values: NDArray[Any], counts: NDArray[np.int64]) -> float:
    """Median of numbers, each of which occurs `counts` times; 0 without any."""
    if not len(values):
        return 0.0
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(counts[order])
    ranks = [(int(ends[-1]) - 1) // 2, int(ends[-1]) // 2]
    return float(np.mean(values[order][np.searchsorted(ends, ranks, side="right")]))


def _middle(
    keys: Callable[[], Iterator[NDArray[np.int64]]], low: int, high: int, ranks: tuple[int, int]
) -> tuple[int, int]:
    """The keys of two neighbouring ranks, or of one rank twice, of which all are from `low` to `high`."""
    while low < high:
        shift = max(0, (high - low).bit_length() - _BINS.bit_length() + 1)
        bins = np.zeros(((high - low) >> shift) + 1, dtype=np.int64)
        below = 0
        for part in keys():
            below += int(np.count_nonzero(part < low))
            inside = part[(part >= low) & (part <= high)]
            # Modulo 2^64: between two floats there may be more keys than int64 counts.
            offsets = (inside - low).view(np.uint64) >> np.uint64(shift)
            bins += np.bincount(offsets.astype(np.int64), minlength=len(bins))
        ends = below + np.cumsum(bins)
        lower, upper = np.searchsorted(ends, ranks, side="right").tolist()
        if lower != upper:
            # The greatest of one bin, and the least of another one.
            border = low + (upper << shift)
            return (
                max(int(part[part < border].max()) for part in keys() if (part < border).any()),
                min(int(part[part >= border].min()) for part in keys() if (part >= border).any()),
            )
        low, high = low + (lower << shift), min(high, low + ((lower + 1) << shift) - 1)
    return low, low


def _keys(values: NDArray[Any]) -> NDArray[np.int64]:
    """Integers in the order of the numbers: of a float its bits, those below the sign turned over where it is set."""
    if not np.issubdtype(values.dtype, np.floating):
        return values.astype(np.int64, copy=False)
    bits = np.ascontiguousarray(values + 0.0).view(_integer(values.dtype)).astype(np.int64)  # -0.0 is 0.0
    return np.where(bits < 0, bits ^ np.iinfo(_integer(values.dtype)).max, bits)


def _numbers(keys: NDArray[np.int64], kind: np.dtype[Any]) -> NDArray[Any]:
    if not np.issubdtype(kind, np.floating):
        return keys
    integer = _integer(kind)
    return np.where(keys < 0, keys ^ np.iinfo(integer).max, keys).astype(integer).view(kind)


def _integer(kind: np.dtype[Any]) -> type[np.signedinteger[Any]]:
    return np.int32 if kind.itemsize == 4 else np.int64
