"""The head of a text table: its header, its first rows, and what separates their fields."""

from __future__ import annotations

import csv
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from gpiorig.capture.errors import FormatError
from gpiorig.capture.text.cells import unguarded

HEAD_BYTES = 1 << 16
HEAD_STEP_BYTES = 1 << 12  # a head whose size is a multiple of it may be cut within its last line
SEPARATORS = ",;\t|"
COMMENTS = ";#%"
TIME_PATTERN = re.compile(r"time|^t$|^t[\s_\[(]|seconds|sample|^when$", re.I)
LEVEL_WORDS = re.compile(r"^(|[01xzlh]|low|high|true|false)$", re.I)
NUMBER = re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$|^\d{4}-\d\d-\d\d[T ]", re.I)
_JSON_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
# An object, or an array that begins with text, an object or an array, or is a line of numbers alone: logs put their
# times in brackets.
JSON = re.compile(
    rf'\s*(?:\{{\s*["}}]|\[\s*["{{\[]|\[\s*(?:{_JSON_NUMBER}\s*(?:,\s*{_JSON_NUMBER}\s*)*,?\s*)?\]?,?\s*\Z)'
)
NOTE = re.compile(r"# gpiorig: samplerate (\d+/\d+) Hz, epoch ([^;]*)(?:; (.*))?")  # as formats/csv.py writes it
MAX_NAME_CHARACTERS = 40  # of a column in a header that is a comment; prose is longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The first lines of a table.

    Attributes
    ----------
    header
        Names of the columns; empty if there are none.
    rows
        Fields of the first rows, and the number of each line.
    separator, comment
        As of Layout.
    first_byte, first_line
        Where the rows begin.
    is_json
        The first line is JSON's.
    note
        The comment of our own writer.
    """

    header: list[str]
    rows: list[tuple[int, list[str]]]
    separator: str
    comment: str
    first_byte: int
    first_line: int
    is_json: bool
    note: re.Match[str] | None

    def name(self, place: int) -> str:
        """A column, as text."""
        return repr(self.header[place]) if place < len(self.header) and self.header[place] else f"{place + 1}"


def table_head(path: Path) -> bytes:
    """Return the first bytes of a file, enough for its header and some rows."""
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=path, remedy="check the name") from error


def lines_of(head: bytes, path: Path) -> list[tuple[int, str]]:
    """Return the lines of a head, each with the offset after it; the last one may be cut."""
    lines, at = [], 0
    for line in head.splitlines(keepends=True):
        at += len(line)
        try:
            text = line.decode("utf-8", "strict" if line.endswith(b"\n") else "replace")
        except UnicodeDecodeError as error:
            raise FormatError(
                "is not text in UTF-8", where=path, remedy="save it as such, or name the --format"
            ) from error
        lines.append((at, text.rstrip("\r\n")))
    return lines


def fields_of(line: str, separator: str) -> list[str]:
    """Return the fields of a line."""
    try:
        return [field.strip() for field in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]
    except csv.Error as error:
        raise FormatError(f"has a line that is not a row of a table ({error})", remedy="name the --format") from error


def head_of(path: Path, head: bytes, separator: str = "") -> Head:
    """Take the first bytes of a table apart; the separator is found where it is not given."""
    lines = lines_of(head, path)
    skipped = 0
    while skipped < len(lines) and (not lines[skipped][1].strip() or lines[skipped][1][0] in COMMENTS):
        skipped += 1
    if skipped == len(lines):
        raise FormatError("has no header and no rows", where=path, remedy="save it again")
    end, first = lines[skipped]
    comment = lines[skipped - 1][1][:1] if skipped else "#"
    separator = separator.replace("\\t", "\t")
    likely = max(SEPARATORS.replace(comment, ""), key=first.count)
    separator = separator or likely
    if len(separator) != 1 or ord(separator) > 127:
        remedy = f"use one character, for instance --columns {shlex.quote(f'separator={likely}')}"
        raise FormatError(f"{separator!r} is not a separator", where=path, remedy=remedy)
    fields = fields_of(first.lstrip("\ufeff"), separator)
    if NUMBER.match(fields[0]):
        header = _commented(lines[skipped - 1][1], len(fields), separator) if skipped else []
        begin, at = skipped, lines[skipped - 1][0] if skipped else 0
    else:
        header, begin, at = fields, skipped + 1, end
    is_cut = not head.endswith(b"\n") and len(head) % HEAD_STEP_BYTES == 0
    body = lines[begin:-1] if is_cut and (begin > skipped or len(lines) > begin + 1) else lines[begin:]
    rows = [
        (number, fields_of(line, separator))
        for number, (_, line) in enumerate(body, begin + 1)
        if line.strip() and line[0] != comment
    ]
    note = next((match for _, line in lines[:skipped] if (match := NOTE.match(line))), None)
    return Head(
        header=[unguarded(name) for name in header] if note else header,  # as our writer guards them
        rows=rows,
        separator=separator,
        comment="" if comment == separator else comment,
        first_byte=at,
        first_line=begin,
        is_json=JSON.match(first) is not None,
        note=note,
    )


def _commented(line: str, width: int, separator: str) -> list[str]:
    """The header that a comment right above the rows is, if it is one."""
    names = fields_of(line.lstrip("".join(COMMENTS) + " "), separator)
    is_header = (
        len(names) == width
        and any(TIME_PATTERN.search(name) for name in names)
        and all(0 < len(name) <= MAX_NAME_CHARACTERS and not NUMBER.match(name) for name in names)
    )
    return names if is_header else []
