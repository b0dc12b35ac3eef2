"""Rows of outputs as a table: in memory, or into a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from gpiorig.analysis.decoderhost.errors import DecoderError
from gpiorig.analysis.decoderhost.host import Outcome, decode
from gpiorig.analysis.decoderhost.outputs import Selection
from gpiorig.analysis.decoderhost.rows import BATCH_ROWS, JsonLines, Row, RowSink
from gpiorig.analysis.decoderhost.stack import Stack
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.text.cells import guarded_columns

SUFFIXES = (".parquet", ".csv", ".jsonl")

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
