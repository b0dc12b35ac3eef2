"""State changes as a text table: what scripts and other tools write.

A header names the columns; without one, the first column is the time. A table has a column for each channel, or a
column that names the channel and one with its level. `options.columns` says what is not clear by itself.
"""

from __future__ import annotations

import csv
import functools
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from gpiorig.capture import table
from gpiorig.capture.cells import guarded, unguarded
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import ReadOptions, chosen
from gpiorig.capture.printable import printable
from gpiorig.capture.tableparser import IGNORED, KEY, LEVEL, TIME, Layout
from gpiorig.capture.textwriter import GAP, decimal, digits_for, rows, scaler, text_file
from gpiorig.capture.waveform import Waveform

SUMMARY = "state changes as a text table"
SUFFIXES = (".csv", ".tsv", ".txt")
LATE = 9
HEAD_BYTES = 1 << 16
SEPARATORS = ",;\t|"
COMMENTS = ";#%"
UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15}
UNIT_NAMES = {"seconds": "s", "milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns", "picoseconds": "ps"}
UNIT_PATTERN = re.compile(
    r"(?:^|[\W_])(s|ms|[uµμ]s|ns|ps|fs|sec|samples?|(?:milli|micro|nano|pico)?seconds)(?:$|[\W_])", re.I
)
TIME_PATTERN = re.compile(r"time|^t$|^t[\s_\[(]|seconds|sample|^when$", re.I)
CHANNEL_PATTERN = re.compile(r"^(channel|pin|pin_name|signal|line|gpio|name)$", re.I)
LEVEL_PATTERN = re.compile(r"^(level|value|state|val)$", re.I)
NODE_PATTERN = re.compile(r"^(node|node_id|board|device)$", re.I)
LEVEL_WORDS = re.compile(r"^(|[01xzlh]|low|high|true|false)$", re.I)
NUMBER = re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$|^\d{4}-\d\d-\d\d[T ]", re.I)
NOTE = re.compile(r"# gpiorig: samplerate (\d{1,18}/[1-9]\d{0,17}) Hz, epoch (.*)")  # as `write` writes it


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file is a text table with levels in it."""
    try:
        layout_of(path, head, ReadOptions(samplerate_hz=Fraction(1)))
    except FormatError:
        return False
    return bool(head)


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read a table as a waveform; the resolution of its times is the samplerate, unless one is given."""
    head = table_head(path)
    layout = layout_of(path, head, options)
    return read_table(path, layout, options, source=f"table {path.name}")


def read_table(path: Path, layout: Layout, options: ReadOptions, *, source: str) -> Waveform:
    """Read a table whose layout is known."""
    found = table.scan(path, layout)
    known = found.keys or layout.channels
    if KEY not in layout.roles and found.rows:
        known = tuple(
            name for bit, name in enumerate(known) if found.known >> bit & 1
        )  # not those that are x throughout
    named = bool(options.channels) and set(layout.channels) == set(options.channels)
    channels = chosen(known, () if named else options.channels, path)
    return table.waveform(
        path, layout, found, samplerate_hz=options.samplerate_hz or layout.written_hz, channels=channels, source=source
    )


def table_head(path: Path) -> bytes:
    """Return the first bytes of a file, enough for its header and a row."""
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=path, remedy="check the name") from error


def lines_of(head: bytes, path: Path) -> list[tuple[int, str]]:
    """Return the lines of a head, each with the offset behind it; the last one may be cut."""
    found, at = [], 0
    for line in head.splitlines(keepends=True):
        at += len(line)
        try:
            text = line.decode("utf-8", "strict" if line.endswith(b"\n") else "replace")
        except UnicodeDecodeError as error:
            raise FormatError(
                "is no text in UTF-8", where=path, remedy="save it as such, or name the --format"
            ) from error
        found.append((at, text.rstrip("\r\n")))
    return found


def layout_of(path: Path, head: bytes, options: ReadOptions) -> Layout:
    """Find out where things are in a table."""
    lines = lines_of(head, path)
    skipped = 0
    while skipped < len(lines) and (not lines[skipped][1].strip() or lines[skipped][1][0] in COMMENTS):
        skipped += 1
    if skipped == len(lines):
        raise FormatError("has no header and no rows", where=path, remedy="save it again")
    notes = [match for _, line in lines[:skipped] if (match := NOTE.match(line))]
    end, first = lines[skipped]
    comment = lines[skipped - 1][1][:1] if skipped else "#"
    separator = options.columns.get("separator", "").replace("\\t", "\t")
    separator = separator or max(SEPARATORS.replace(comment, ""), key=first.count)
    if len(separator) != 1 or ord(separator) > 127:
        raise FormatError(f"{separator!r} is no separator", remedy='one character is, such as --columns "separator=;"')
    fields = fields_of(first.lstrip("\ufeff"), separator)
    if NUMBER.match(fields[0]):
        header: list[str] = []
        row, start = fields, (lines[skipped - 1][0] if skipped else 0, skipped)
    else:
        header = fields
        row = next((fields_of(line, separator) for _, line in lines[skipped + 1 :] if line and line[0] != comment), [])
        start = (end, skipped + 1)
    layout = _columns(
        path, header, row, options, separator=separator, comment="" if comment == separator else comment, start=start
    )
    if not notes:
        return layout
    channels = tuple(unguarded(name) for name in layout.channels)  # what our writer has guarded
    return replace(layout, channels=channels, epoch=notes[0][2], written_hz=Fraction(notes[0][1]))


def fields_of(line: str, separator: str) -> list[str]:
    """Return the fields of a line."""
    try:
        return [field.strip() for field in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]
    except csv.Error as error:
        raise FormatError(f"has a line that is no row of a table ({error})", remedy="name the --format") from error


def _columns(
    path: Path,
    header: list[str],
    row: list[str],
    options: ReadOptions,
    *,
    separator: str,
    comment: str,
    start: tuple[int, int],
) -> Layout:
    width = len(header or row)
    wanted = options.columns
    time = _place("time", wanted, header, width, path)
    if time is None:
        matches = [place for place, name in enumerate(header) if TIME_PATTERN.search(name)]
        if header and not matches:
            raise FormatError(
                f"has no column that is a time: {', '.join(header)[:200]}",
                where=path,
                remedy="name it, for instance --columns time=NAME,unit=us",
            )
        time = matches[0] if matches else 0
    channel = _place("channel", wanted, header, width, path)
    level = _place("level", wanted, header, width, path)
    node = _place("node", wanted, header, width, path)
    if channel is None and level is None:
        channel, level = _match(CHANNEL_PATTERN, header), _match(LEVEL_PATTERN, header)
        if channel is None or level is None:
            channel = level = None
        elif node is None:
            node = _match(NODE_PATTERN, header)
    elif channel is None or level is None:
        raise FormatError("a channel column needs a level column", where=path, remedy="--columns channel=…,level=…")
    unit, counts = _unit(header[time] if header else "", wanted, path)
    rate = Fraction(0)
    if counts:
        if options.samplerate_hz is None:
            raise FormatError("its times count samples", where=path, remedy="give --samplerate, such as 24MHz")
        rate = options.samplerate_hz
    roles = [IGNORED] * width
    roles[time] = TIME
    channels: list[str] = []
    if channel is not None and level is not None:
        roles[channel], roles[level] = KEY, LEVEL
        if node is not None:
            roles[node] = KEY
    else:
        places = [
            place
            for place in range(width)
            if place != time and place != node and (place >= len(row) or LEVEL_WORDS.match(row[place]))
        ]
        if header:
            channels = [header[place] or f"column {place + 1}" for place in places]
        elif len(options.channels) == len(places):
            channels = list(options.channels)
        else:
            channels = [f"D{number}" for number in range(len(places))]
        if not channels or len(set(channels)) != len(channels):
            what = "a channel's name occurs twice" if channels else "has no column with levels"
            raise FormatError(what, where=path, remedy="name the columns with --columns, or correct the header")
        channels, places = _fitting(channels, places, options, path)
        for bit, place in enumerate(places):
            roles[place] = bit
    last = max(place for place, role in enumerate(roles) if role != IGNORED)
    return Layout(
        roles=tuple(roles[: last + 1]),
        channels=tuple(channels),
        first_byte=start[0],
        first_line=start[1],
        unit=unit,
        separator=separator,
        comment=comment,
        samplerate_hz=rate,
    )


def _fitting(channels: list[str], places: list[int], options: ReadOptions, path: Path) -> tuple[list[str], list[int]]:
    """Only the chosen columns of a table that has more than fit."""
    if len(channels) <= 64:
        return channels, places
    kept = chosen(channels, options.channels, path)
    return list(kept), [places[channels.index(name)] for name in kept]


def _place(role: str, wanted: dict[str, str], header: list[str], width: int, path: Path) -> int | None:
    name = wanted.get(role)
    if name is None:
        return None
    if name in header:
        return header.index(name)
    if name.isdecimal() and 1 <= int(name) <= width:
        return int(name) - 1
    there = ", ".join(header) or f"numbered 1 to {width}"
    raise FormatError(f"has no column {name!r}", where=path, remedy=f"its columns are {there}")


def _match(pattern: re.Pattern[str], header: list[str]) -> int | None:
    return next((place for place, name in enumerate(header) if pattern.match(name)), None)


def _unit(name: str, wanted: dict[str, str], path: Path) -> tuple[int, bool]:
    """Power of ten of a time column's unit per second, and whether it counts samples."""
    given = wanted.get("unit")
    match = UNIT_PATTERN.search(name)
    unit = (given or (match[1] if match else "s")).lower().replace("µ", "u").replace("μ", "u")
    unit = UNIT_NAMES.get(unit, "s" if unit == "sec" else unit)
    if unit in ("sample", "samples"):
        return 0, True
    if unit not in UNITS:
        raise FormatError(f"{given!r} is no unit of time", where=path, remedy=f"{', '.join(UNITS)} and samples are")
    return UNITS[unit], False


def write(path: Path, waveform: Waveform) -> str:
    """Write a row for each instant at which a channel changed, X in gaps and, in the last row, at the end.

    Times are seconds from sample 0, exact or rounded to at least a hundredth of a sample; a first line that begins with
    "#" holds the exact samplerate and the epoch, so that they are read back exactly.
    """
    digits, exact = digits_for(waveform.samplerate_hz)
    used = [bit for bit, name in enumerate(waveform.channels) if name]
    names = [guarded(waveform.channels[bit]) for bit in used]
    if unfit := next((name for name in names if printable(name) != name), None):
        raise FormatError(
            f"a channel is named {unfit!r}, which the header of a table cannot hold",
            where=path,
            remedy="write Parquet or VCD, or choose other --channels",
        )
    quoted = ['"' + name.replace('"', '""') + '"' if re.search('[",]', name) else name for name in names]
    rate = waveform.samplerate_hz
    time = scaler(10**digits / rate)
    with text_file(path) as file:
        file.write(f"# gpiorig: samplerate {rate.numerator}/{rate.denominator} Hz, epoch {waveform.epoch}\n")
        file.write(",".join(["Time [s]", *quoted]) + "\n")

        @functools.lru_cache(maxsize=1 << 16)
        def fields(levels: int) -> str:
            return ",".join(["X"] * len(used) if levels == GAP else [str(levels >> bit & 1) for bit in used])

        for sample, levels, _ in rows(waveform):
            file.write(f"{decimal(time(sample), digits)},{fields(levels)}\n")
    return "" if exact else f"times are rounded to {decimal(1, digits)} s; the samples are read back exactly"
