"""Columns of tables: arrays of a stage as Arrow columns, with nulls, names and units.

They are made of their bytes, not by `pyarrow.array`: that imports pandas where it is installed, which takes longer than
the tables of a short recording.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Item = TypeVar("Item", bound=np.generic)

NONE = -1
TEXT, COUNT, NUMBER, FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()
# The type of each column, and where its value comes from: a function of the row's object, or the path to an attribute.
Schema = dict[str, tuple[pa.DataType, str | Callable[[Any], Any]]]


def table(columns: Mapping[str, Any], samplerate_hz: Fraction | None = None) -> pa.Table:
    """A table that carries the exact samplerate of its columns of samples, if there are any."""
    arrays = {name: _column(content) for name, content in columns.items()}
    return pa.table(arrays, metadata={"samplerate_hz": str(samplerate_hz)} if samplerate_hz else None)


def _column(content: Any) -> pa.Array:
    if isinstance(content, np.ndarray):
        return array(content)
    return content if isinstance(content, pa.Array | pa.ChunkedArray) else texts(content)


def array(values: NDArray[Any], absent: NDArray[np.bool_] | None = None) -> pa.Array:
    """Numbers or flags, null where absent."""
    kind = pa.from_numpy_dtype(values.dtype)
    content = _bits(values) if kind == FLAG else pa.py_buffer(np.ascontiguousarray(values))
    validity = None if absent is None or not absent.any() else _bits(~absent)
    return pa.Array.from_buffers(kind, len(values), [validity, content])


def _bits(flags: NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))


def texts(content: Sequence[str | None]) -> pa.Array:
    """Texts, null for None."""
    distinct = [*dict.fromkeys(content)]
    encoded = [(text or "").encode() for text in distinct]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    validity = _bits(np.array([text is not None for text in distinct])) if None in distinct else None
    buffers = [validity, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    each = pa.Array.from_buffers(TEXT, len(distinct), buffers)
    if len(distinct) == len(content):
        return each
    place_of = {text: place for place, text in enumerate(distinct)}
    return each.take(array(np.fromiter(map(place_of.__getitem__, content), np.int32, len(content))))


def values(content: Sequence[Any], kind: pa.DataType, *, nan_is_null: bool = False) -> pa.Array:
    """Values of one of the types of a `Schema`, null for None."""
    if kind == TEXT:
        return texts(content)
    dtype = np.dtype(kind.to_pandas_dtype())
    absent = np.array([value is None or (nan_is_null and value != value) for value in content], np.bool_)
    known = [dtype.type() if lacks else value for value, lacks in zip(content, absent, strict=True)]
    return array(np.array(known or absent).astype(dtype, casting="same_kind"), absent)


def of_rows(rows: Sequence[Any], schema: Schema, *, nan_is_null: bool = False) -> pa.Table:
    """A table with a row per object; its columns and their types are those of the schema, also without a row."""
    return table(
        {
            name: values([_value(row, source) for row in rows], kind, nan_is_null=nan_is_null)
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
    greatest = min(len(index_of) - 1, np.iinfo(keys.dtype).max)
    places = index_of.take(np.minimum(keys, greatest))
    return pa.DictionaryArray.from_arrays(nullable(places), texts([*place_of]), safe=False)


def flattened(rows: NDArray[Item], width: int, part: slice) -> tuple[NDArray[Item], NDArray[np.int16]]:
    """Of a part of the cells of a matrix, row by row: the value of each one's row in `rows`, and its column."""
    start, stop, _ = part.indices(len(rows) * width)
    begin, cut = start // max(1, width), start % max(1, width)
    values = rows[begin : -(-stop // max(1, width))]
    cells = slice(cut, cut + stop - start)
    return values.repeat(width)[cells], np.tile(np.arange(width, dtype=np.int16), len(values))[cells]


def plain(content: pa.Table) -> pa.Table:
    """The table with every name in its row, as those who read it expect."""
    for place, field in enumerate(content.schema):
        if pa.types.is_dictionary(field.type):
            content = content.set_column(place, field.name, content.column(place).cast(field.type.value_type))
    return content


def nullable(values: NDArray[Any]) -> pa.Array:
    """Integers, null for -1."""
    return array(values, values == NONE)


def ns(samples: NDArray[np.int64], samplerate_hz: Fraction) -> pa.Array:
    """Samples as float64 ns, null for -1."""
    return array(samples * float(1_000_000_000 / samplerate_hz), samples == NONE)
