"""The first place at which a file differs from another: row and column of a table, line of a text, byte of others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

ROWS = 1 << 16
_TEXTS = {".csv", ".tex", ".json", ".html", ".svg"}
_BLOCK = 1 << 20
_LONGEST = 40  # characters of a value


def locate(path: Path, derived: Path) -> str:
    """Where `path` differs first from `derived`, a file of the same name; both are read part by part."""
    if path.suffix == ".parquet":
        try:
            return _of_tables(path, derived)
        except (pa.ArrowException, OSError) as error:
            return f"cannot be read: {str(error).splitlines()[0]}"
    return _of_lines(path, derived) if path.suffix in _TEXTS else _of_bytes(path, derived)


def _of_tables(path: Path, derived: Path) -> str:
    with (
        path.open("rb") as file,
        derived.open("rb") as derived_file,
        pa.parquet.ParquetFile(file) as table,
        pa.parquet.ParquetFile(derived_file) as derived_table,
    ):
        schema, expected_schema = table.schema_arrow, derived_table.schema_arrow
        for name in [*schema.names, *expected_schema.names]:
            if name not in schema.names or name not in expected_schema.names:
                return f"column {name}: {'not there' if name not in schema.names else 'not derived'}"
        for name in schema.names:
            if schema.field(name).type != expected_schema.field(name).type:
                return f"column {name}: type {schema.field(name).type}, derived {expected_schema.field(name).type}"
        for start, part, expected in _parts(table, derived_table):
            if place := _of_parts(part, expected, schema.names, start):
                return place
        rows, expected_rows = table.metadata.num_rows, derived_table.metadata.num_rows
    if rows != expected_rows:
        return f"row {min(rows, expected_rows) + 1}: {rows} rows, derived {expected_rows}"
    return "the same rows in other bytes: metadata or the program that wrote it"


def _parts(
    table: pa.parquet.ParquetFile, derived_table: pa.parquet.ParquetFile
) -> Iterator[tuple[int, pa.RecordBatch, pa.RecordBatch]]:
    """Rows that both have, in parts of equal length, and the number of the first row of each."""
    batches = [file.iter_batches(batch_size=ROWS) for file in (table, derived_table)]
    row, pending = 0, [next(source, None) for source in batches]
    while pending[0] is not None and pending[1] is not None:
        length = min(part.num_rows for part in pending if part is not None)
        yield row, pending[0].slice(0, length), pending[1].slice(0, length)
        row += length
        for place, part in enumerate(pending):
            assert part is not None
            pending[place] = part.slice(length) if part.num_rows > length else next(batches[place], None)


def _of_parts(part: pa.RecordBatch, expected: pa.RecordBatch, names: list[str], start: int) -> str:
    """The first row, and in it the first column, that differ; empty if none does."""
    changed = [name for name in names if not part.column(name).equals(expected.column(name))]
    columns = [(name, part.column(name).to_pylist(), expected.column(name).to_pylist()) for name in changed]
    for row in range(part.num_rows):
        for name, values, right in columns:
            if repr(values[row]) != repr(right[row]):  # a NaN equals a NaN
                return f"row {start + row + 1}, column {name}: {_short(values[row])}, derived {_short(right[row])}"
    return ""


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _of_lines(path: Path, derived: Path) -> str:
    with path.open("rb") as file, derived.open("rb") as derived_file:
        for number, (line, expected) in enumerate(zip_longest(file, derived_file), 1):
            if line != expected:
                return f"line {number}"
    return "no line"


def _of_bytes(path: Path, derived: Path) -> str:
    at = 0
    with path.open("rb") as file, derived.open("rb") as derived_file:
        while (block := file.read(_BLOCK)) == (expected := derived_file.read(_BLOCK)) and block:
            at += len(block)
    pairs = zip(block, expected, strict=False)
    within = next((n for n, (left, right) in enumerate(pairs) if left != right), min(len(block), len(expected)))
    return f"byte {at + within + 1}"
