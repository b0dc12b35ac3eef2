"""Outputs as a table: in memory, or row by row into a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TextIO

import msgspec
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from gpiorig.analysis.decoderhost.errors import DecoderError
from gpiorig.analysis.decoderhost.host import Outcome, decode
from gpiorig.analysis.decoderhost.library import Kind
from gpiorig.analysis.decoderhost.outputs import Output, OutputKind, Selection, meta_text
from gpiorig.analysis.decoderhost.stack import Stack
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.text.cells import guarded_columns

SUFFIXES = (".parquet", ".csv", ".jsonl")
BATCH_ROWS = 1 << 16

# What a column holds for annotations / objects / bytes / values; null without a value.
SCHEMA = pa.schema(
    [
        ("start", pa.int64()),  # sample number
        ("end", pa.int64()),
        ("stack", pa.int32()),  # number of the -P
        ("decoder", pa.string()),  # name of the instance, or what the decoder calls its output
        ("kind", pa.dictionary(pa.int8(), pa.string())),  # annotation, python, binary, meta
        ("class", pa.string()),  # annotation class / - / binary class / name of the value
        ("row", pa.string()),  # annotation row
        ("text", pa.string()),  # longest text / the object as JSON / - / the value
        ("texts", pa.list_(pa.string())),  # all texts
        ("data", pa.binary()),  # - / - / the bytes
    ]
)


class OutputRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row as a line of JSON (`JsonLines`): what `SCHEMA` has, bytes as hexadecimal, without what is null."""

    start: int
    end: int
    stack: int
    decoder: str
    kind: str
    of_class: str | msgspec.UnsetType = msgspec.field(name="class", default=msgspec.UNSET)
    row: str | msgspec.UnsetType = msgspec.UNSET
    text: Any = msgspec.UNSET
    texts: list[str] | msgspec.UnsetType = msgspec.UNSET
    data: str | msgspec.UnsetType = msgspec.UNSET


Row = tuple[int, int, int, str, str, str | None, str | None, str | None, list[str] | None, bytes | None]


def row_of(kind: Kind, number: int) -> str | None:
    """Return the id of the first annotation row that has a class."""
    return next((row for row, numbers in kind.rows.items() if number in numbers), None)


def as_json(data: Any) -> str:
    """Return what a decoder hands on as JSON: a tuple is a list; bytes, and all that JSON does not know, their repr."""
    try:
        return json.dumps(data, default=repr, ensure_ascii=False)
    except (TypeError, ValueError):  # keys that JSON does not know, an object within itself
        return json.dumps(repr(data), ensure_ascii=False)


class RowSink:
    """Makes a row of every output.

    Parameters
    ----------
    write
        Takes the rows, a batch at a time.
    batch_rows
        Rows in a batch.
    """

    def __init__(self, write: Callable[[list[Row]], None], *, batch_rows: int = BATCH_ROWS) -> None:
        self._write, self._batch_rows = write, batch_rows
        self._rows: list[Row] = []
        self._annotation_rows: dict[tuple[str, int], str | None] = {}

    def annotation(self, output: Output, start: int, end: int, number: int, texts: list[str]) -> None:
        """Take an annotation."""
        kind = output.layer.kind
        key = kind.id, number
        if key not in self._annotation_rows:
            self._annotation_rows[key] = row_of(kind, number)
        longest = texts[0] if texts else None
        self._add(output, start, end, kind.annotations[number], self._annotation_rows[key], longest, texts)

    def python(self, output: Output, start: int, end: int, data: Any) -> None:
        """Take an object."""
        self._add(output, start, end, None, None, as_json(data))

    def binary(self, output: Output, start: int, end: int, number: int, data: bytes) -> None:
        """Take bytes."""
        self._add(output, start, end, output.layer.kind.binaries[number], None, None, None, data)

    def meta(self, output: Output, start: int, end: int, value: int | float) -> None:
        """Take a value."""
        self._add(output, start, end, output.meta_name, None, meta_text(value))

    def _add(
        self,
        output: Output,
        start: int,
        end: int,
        of_class: str | None,
        row: str | None,
        text: str | None,
        texts: list[str] | None = None,
        data: bytes | None = None,
    ) -> None:
        self._rows.append(
            (start, end, output.stack, output.source, output.kind.value, of_class, row, text, texts, data)
        )
        if len(self._rows) >= self._batch_rows:
            self.flush()

    def flush(self) -> None:
        """Write what has come together."""
        rows, self._rows = self._rows, []
        if rows:
            self._write(rows)


def as_batch(rows: Sequence[Row]) -> pa.RecordBatch:
    """Return rows as an Arrow batch of SCHEMA."""
    columns = zip(*rows, strict=True)
    arrays = [pa.array(list(column), field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def decode_table(waveform: Waveform, stacks: Sequence[Stack], *, selection: Selection) -> tuple[pa.Table, Outcome]:
    """Run stacks over a capture and return their outputs, with `SCHEMA`, and how it went."""
    batches: list[pa.RecordBatch] = []
    sink = RowSink(lambda rows: batches.append(as_batch(rows)))
    outcome = decode(waveform, stacks, selection=selection, sink=sink)
    sink.flush()
    return pa.Table.from_batches(batches, schema=SCHEMA).unify_dictionaries(), outcome


class JsonLines:
    """Writes a row as a line of JSON, without what is null.

    Parameters
    ----------
    file
        Where to.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, rows: Sequence[Row]) -> None:
        """Write rows; bytes are hex."""
        for row in rows:
            fields = {name: value for name, value in zip(SCHEMA.names, row, strict=True) if value is not None}
            if row[-1] is not None:
                fields["data"] = row[-1].hex()
            if row[4] == OutputKind.PYTHON.value:
                fields["text"] = json.loads(row[7] or "null")
            self._file.write(json.dumps(fields, ensure_ascii=False) + "\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class ArrowFile:
    """Writes rows as Parquet, or as CSV with texts joined by " | " and bytes in hex.

    Parameters
    ----------
    path
        Where to.
    as_csv
        Whether as CSV.
    """

    def __init__(self, path: Path, *, as_csv: bool) -> None:
        self._as_csv = as_csv
        schema = pa.schema(
            [(name, pa.string() if name in CSV_TEXT else SCHEMA.field(name).type) for name in SCHEMA.names]
        )
        self._schema = schema if self._as_csv else SCHEMA
        make = pa.csv.CSVWriter if self._as_csv else pa.parquet.ParquetWriter
        self._writer = make(str(path), self._schema)

    def write(self, rows: Sequence[Row]) -> None:
        """Write rows."""
        if not self._as_csv:
            self._writer.write_batch(as_batch(rows))
            return
        flat = [
            (*row[:8], None if row[8] is None else " | ".join(row[8]), None if row[9] is None else row[9].hex())
            for row in rows
        ]
        columns = [list(column) for column in zip(*flat, strict=True)]
        arrays = [pa.array(column, kind.type) for column, kind in zip(columns, self._schema, strict=True)]
        self._writer.write_batch(guarded_columns(pa.RecordBatch.from_arrays(arrays, schema=self._schema)))

    def close(self) -> None:
        """Close the file."""
        self._writer.close()


CSV_TEXT = ("kind", "texts", "data")  # columns of types that CSV does not have


@contextmanager
def file_of(path: Path, *, batch_rows: int = BATCH_ROWS) -> Iterator[RowSink]:
    """Give what writes a file of rows, of the kind of its suffix; the file is replaced in one step at the end.

    Raises
    ------
    DecoderError
        There is no such kind.
    """
    if path.suffix not in SUFFIXES:
        raise DecoderError(
            f"{path}: cannot be written as {path.suffix or 'a file without suffix'}; use {', '.join(SUFFIXES)}"
        )
    with replacing(path) as new:
        as_lines = path.suffix == ".jsonl"
        file = JsonLines(new.open("w", encoding="utf-8")) if as_lines else ArrowFile(new, as_csv=path.suffix == ".csv")
        with closing(file):
            rows = RowSink(file.write, batch_rows=batch_rows)
            yield rows
            rows.flush()
