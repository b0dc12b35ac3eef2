"""Outputs as rows, and as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TextIO

import msgspec

from gpiorig.analysis.decoderhost.library import Kind
from gpiorig.analysis.decoderhost.outputs import Output, OutputKind, meta_text

BATCH_ROWS = 1 << 16
COLUMNS = ("start", "end", "stack", "decoder", "kind", "class", "row", "text", "texts", "data")  # `table.SCHEMA`


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
            fields = {name: value for name, value in zip(COLUMNS, row, strict=True) if value is not None}
            if row[-1] is not None:
                fields["data"] = row[-1].hex()
            if row[4] == OutputKind.PYTHON.value:
                fields["text"] = json.loads(row[7] or "null")
            self._file.write(json.dumps(fields, ensure_ascii=False) + "\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()
