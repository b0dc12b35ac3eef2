"""Columns of tables: arrays of a stage as Arrow columns, with nulls, names and units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

NONE = -1
_TYPES = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), np.float64: pa.float64(), str: pa.string()}


def table(columns: Mapping[str, Any], samplerate_hz: Fraction | None = None) -> pa.Table:
    """A table that carries the exact samplerate of its columns of samples, if there are any."""
    return pa.table(dict(columns), metadata={"samplerate_hz": str(samplerate_hz)} if samplerate_hz else None)


def of_rows(rows: Sequence[Mapping[str, Any]], **types: pa.DataType) -> pa.Table:
    """A table of rows with the same keys; a column without a known value is float64, unless its type is given."""

    def column(name: str) -> pa.Array:
        values = [row[name] for row in rows]
        kind = type(next((value for value in values if value is not None), math.nan))
        return pa.array(values, types.get(name) or _TYPES[kind])

    return table({name: column(name) for name in (rows[0] if rows else ())})


def names(keys: NDArray[Any], known: Mapping[int, str]) -> pa.Array:
    """The name of every key, null for a key without one."""
    order = sorted(known)
    index_of = np.full(max(order, default=NONE) + 2, NONE, dtype=np.int32)  # the last for a key that is not known
    index_of[order] = np.arange(len(order))
    places = index_of[np.clip(keys.astype(np.int64), NONE, len(index_of) - 1)]
    indices = pa.array(np.maximum(places, 0), mask=places == NONE)
    dictionary = pa.array([known[key] for key in order], pa.string())
    return pa.DictionaryArray.from_arrays(indices, dictionary).cast(pa.string())


def nullable(values: NDArray[Any]) -> pa.Array:
    """Integers, null for -1."""
    return pa.array(values, mask=values == NONE)


def ns(samples: NDArray[np.int64], samplerate_hz: Fraction) -> pa.Array:
    """Samples as float64 ns, null for -1."""
    return pa.array(samples * float(1_000_000_000 / samplerate_hz), mask=samples == NONE)
