"""Columns of tables: arrays of a stage as Arrow columns, with nulls, names and units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

NONE = -1
TEXT, COUNT, NUMBER, FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()
# The type of each column, and where its value comes from: a function of the row's object, or the path to an attribute.
Schema = dict[str, tuple[pa.DataType, str | Callable[[Any], Any]]]


def table(columns: Mapping[str, Any], samplerate_hz: Fraction | None = None) -> pa.Table:
    """A table that carries the exact samplerate of its columns of samples, if there are any."""
    return pa.table(dict(columns), metadata={"samplerate_hz": str(samplerate_hz)} if samplerate_hz else None)


def of_rows(rows: Sequence[Any], schema: Schema, *, nan_is_null: bool = False) -> pa.Table:
    """A table with a row per object; its columns and their types are those of the schema, also without a row."""
    return table(
        {
            name: pa.array([_value(row, source) for row in rows], kind, from_pandas=nan_is_null)
            for name, (kind, source) in schema.items()
        }
    )


def _value(row: Any, source: str | Callable[[Any], Any]) -> Any:
    """None where a part of the path is None."""
    if callable(source):
        return source(row)
    for name in source.split("."):
        row = None if row is None else getattr(row, name)
    return row


def of_attributes(kind: pa.DataType, names: Iterable[str], *, of: str = "", prefix: str = "") -> Schema:
    """A column of one type for each attribute of an object, `of` the path to that from the row's, as ``pins.``."""
    return {f"{prefix}{name}": (kind, f"{of}{name}") for name in names}


def of_interval(name: str, path: str, *, unit: str = "") -> Schema:
    """The columns of an interval: its estimate and its ends, as ``skew_ns``, ``skew_low_ns`` and ``skew_high_ns``."""
    parts = (("", "value"), ("_low", "low"), ("_high", "high"))
    return {f"{name}{part}{unit}": (NUMBER, f"{path}.{end}") for part, end in parts}


def names(keys: NDArray[Any], known: Mapping[int, str]) -> pa.DictionaryArray:
    """The name of every key, null for a key without one, each name once: `plain` writes it into every row."""
    place_of = {name: place for place, name in enumerate(dict.fromkeys(known[key] for key in sorted(known)))}
    index_of = np.full(max(known, default=NONE) + 2, NONE, dtype=np.int16)  # the last for a key that is not known
    index_of[list(known)] = [place_of[name] for name in known.values()]
    places = index_of[np.clip(keys.astype(np.int64), NONE, len(index_of) - 1)]
    absent = places == NONE
    indices = pa.array(places, mask=absent if absent.any() else None)
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(place_of), pa.string()))


def plain(content: pa.Table) -> pa.Table:
    """The table with every name in its row, as those who read it expect."""
    for place, field in enumerate(content.schema):
        if pa.types.is_dictionary(field.type):
            content = content.set_column(place, field.name, content.column(place).cast(field.type.value_type))
    return content


def nullable(values: NDArray[Any]) -> pa.Array:
    """Integers, null for -1."""
    absent = values == NONE
    return pa.array(values, mask=absent if absent.any() else None)


def ns(samples: NDArray[np.int64], samplerate_hz: Fraction) -> pa.Array:
    """Samples as float64 ns, null for -1."""
    absent = samples == NONE
    return pa.array(samples * float(1_000_000_000 / samplerate_hz), mask=absent if absent.any() else None)
