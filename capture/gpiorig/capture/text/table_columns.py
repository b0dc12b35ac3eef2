"""Columns of a text table: times, channels, levels; what is not clear is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from gpiorig.capture.edges.edges import MAX_CHANNELS
from gpiorig.capture.edges.read_options import ReadOptions, chosen
from gpiorig.capture.edges.waveform import stated
from gpiorig.capture.errors import FormatError
from gpiorig.capture.numbers import integer, ratio, samplerate
from gpiorig.capture.text import table_advice
from gpiorig.capture.text.table_head import LEVEL_WORDS, NUMBER, TIME_PATTERN, Head, head_of
from gpiorig.capture.text.table_parser import GROUP, IGNORED, KEY, LEVEL, PORT, TIME, Layout
from gpiorig.capture.units import TIME_DIGITS

UNIT_NAMES = {"seconds": "s", "milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns", "picoseconds": "ps"}
UNIT_PATTERN = re.compile(
    r"(?:^|[\W_])(s|ms|[uµμ]s|ns|ps|fs|sec|samples?|(?:milli|micro|nano|pico)?seconds)(?:$|[\W_])", re.I
)
CHANNEL_PATTERN = re.compile(r"^(channel|pin|pin_name|signal|line|gpio|name)$", re.I)
LEVEL_PATTERN = re.compile(r"^(level|value|state|val)$", re.I)
NODE_PATTERN = re.compile(r"^(node|node_id|board|device)$", re.I)
ROLES = {"channel": KEY, "level": LEVEL, "node": KEY, "levels": PORT, "group": GROUP}
PORT_PATTERN = re.compile(r"[01][01 ]*[01]")
FRAMES = {"source", "destination", "protocol"}  # columns of Wireshark's CSV export (recalled, unverified)
MAX_ALIKE_ROWS = 20  # rows with as many fields as the header: a file looks like a table


def layout_of(path: Path, head: bytes, options: ReadOptions) -> Layout:
    """Find out where things are in a table.

    Raises
    ------
    FormatError
        It is not a table of levels, or it is not clear which columns hold them.
    """
    start = head_of(path, head, options.columns.get("separator", ""))
    layout = _columns(path, start, options)
    if start.note and (rate := ratio(start.note[1])):
        rate_hz = samplerate(rate, where=path)
        mark = stated(start.note[3])
        return replace(layout, epoch=start.note[2], virtual=mark, written_hz=rate_hz, open_ended=False)
    return layout


def refusal(path: Path, head: bytes) -> FormatError | None:
    """Return why a file that looks like a table cannot be read as one; None for one that does not look so."""
    try:
        start = head_of(path, head)
    except FormatError:
        return None
    rows = [fields for _, fields in start.rows[:MAX_ALIKE_ROWS]]
    width = len(start.header or rows[0])
    if width == 1 and not start.is_json and rows and all(NUMBER.match(field) for row in rows for field in row):
        return FormatError("is a list of numbers", where=path, remedy=table_advice.next_step(path, start, time=None))
    if not start.is_json and (width < 2 or not rows or any(len(row) != width for row in rows)):
        return None
    try:
        _columns(path, start, ReadOptions(samplerate_hz=Fraction(1)))
    except FormatError as error:
        return error
    return None


def _columns(path: Path, head: Head, options: ReadOptions) -> Layout:
    header, columns_by_role = head.header, options.columns
    _check_kind(path, head)
    width = len(header or head.rows[0][1])
    places = {role: _place(role, columns_by_role, header, width, path) for role in ("time", *ROLES)}
    time = _time(path, head, places["time"])
    if places["channel"] is None and places["level"] is None and places["levels"] is None:
        channel, level = _match(CHANNEL_PATTERN, header), _match(LEVEL_PATTERN, header)
        if channel is not None and level is not None:
            node = _match(NODE_PATTERN, header) if places["node"] is None else places["node"]
            places.update(channel=channel, level=level, node=node)
    elif (places["channel"] is None) != (places["level"] is None):
        raise FormatError(
            "a channel column needs a level column", where=path, remedy=table_advice.keyed(head, columns_by_role)
        )
    if head.rows and len(head.rows[0][1]) < width:
        raise FormatError(
            "columns are missing", where=f"{path}, line {head.rows[0][0]}", remedy="is this line a row of a table?"
        )
    roles = [IGNORED] * width
    channels: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    if places["levels"] is not None:
        channels = _port(path, head, places["levels"], options)
    elif places["channel"] is not None and places["level"] is not None:
        _check_levels(path, head, [places["level"]], table_advice.keyed(head, columns_by_role))
    else:
        used = [place for place in (time, places["node"], places["group"]) if place is not None]
        chosen_places, remarks = _channels(path, head, width, used, options)
        channels = tuple(chosen_places.values())
        for bit, place in enumerate(chosen_places):
            roles[place] = bit
    roles[time] = TIME
    for role, at in places.items():
        if at is not None and role in ROLES and (role != "node" or places["channel"] is not None):
            roles[at] = ROLES[role]
    unit, counts = _unit(header[time] if header else "", columns_by_role, path)
    if counts and options.samplerate_hz is None:
        raise FormatError("its times count samples", where=path, remedy="give it, for instance --samplerate 24MHz")
    last_read = max(place for place, role in enumerate(roles) if role != IGNORED)
    return Layout(
        roles=tuple(roles[: last_read + 1]),
        channels=channels,
        first_byte=head.first_byte,
        first_line=head.first_line,
        unit=unit,
        separator=head.separator,
        comment=head.comment,
        samplerate_hz=options.samplerate_hz if counts and options.samplerate_hz else Fraction(0),
        open_ended=places["levels"] is None and places["group"] is None,
        columns=len(roles),
        remarks=remarks,
    )


def _check_kind(path: Path, head: Head) -> None:
    """Refuse what may look like a table of levels and never is one."""
    if head.is_json:
        raise FormatError(
            "is JSON, and not a capture",
            where=path,
            remedy="`gpiorig clocks` and `gpiorig latency` find times in any text by a pattern",
        )
    if {name.lower() for name in head.header} >= FRAMES:
        raise FormatError(
            "is a table of frames, which lacks their bytes",
            where=path,
            remedy="give the capture itself, pcap or pcapng",
        )


def _time(path: Path, head: Head, place: int | None) -> int:
    if place is not None:
        return place
    matches = [place for place, name in enumerate(head.header) if TIME_PATTERN.search(name)]
    if head.header and (not matches or (not head.rows and matches[0])):
        raise FormatError(
            f"has no column that is a time: {', '.join(head.header)[:200]}",
            where=path,
            remedy=table_advice.next_step(path, head, time=None),
        )
    return matches[0] if matches else 0


def _channels(
    path: Path, head: Head, width: int, used: list[int], options: ReadOptions
) -> tuple[dict[int, str], tuple[str, ...]]:
    """The columns that are channels, with their names, and what was assumed about them."""
    header = head.header
    places = [place for place in range(width) if place not in used]
    if options.channels and header:
        names = chosen([header[place] for place in places], options.channels, path)
        places = [place for place in places if header[place] in names]
    levels = [place for place in places if not _fields_not_levels(head, place)]
    times = {place for place, name in enumerate(header) if TIME_PATTERN.search(name)}
    not_levels = [place for place in places if place not in levels and place not in times]
    if not_levels or not levels:
        _check_levels(path, head, not_levels or places, table_advice.next_step(path, head, time=used[0]))
    invented = [place for place in levels if not (header and header[place])]
    if header:
        named = {place: header[place] or f"column {place + 1}" for place in levels}
    elif len(options.channels) == len(levels):
        named, invented = dict(zip(levels, options.channels, strict=True)), []
    else:
        named = {place: f"D{number}" for number, place in enumerate(levels)}
    if len(set(named.values())) != len(named):
        raise FormatError(
            "a channel's name occurs twice", where=path, remedy="give each column a name of its own in the header"
        )
    if len(named) > MAX_CHANNELS:
        selected = chosen(list(named.values()), options.channels, path)
        named = {place: name for place, name in named.items() if name in selected}
    invented_names = ", ".join([named[place] for place in invented if place in named][:8])
    remarks = (
        (f"names that the file does not have are made up: {invented_names}; --channels names them",)
        if invented_names
        else ()
    )
    return named, remarks


def _fields_not_levels(head: Head, place: int) -> list[str]:
    """Fields of a column that are not levels: none if at most a later row is damaged, which its reader names."""
    fields = [row[place] for _, row in head.rows if place < len(row)]
    texts = [field for field in fields if not LEVEL_WORDS.match(field)]
    return texts if len(texts) > 1 or (fields and texts[:1] == fields[:1]) else []


def _check_levels(path: Path, head: Head, places: list[int], remedy: str) -> None:
    """Refuse a table by the first of these columns whose fields are not levels, those of several levels before."""
    not_levels = {place: texts for place in places if (texts := _fields_not_levels(head, place))}
    for place, texts in not_levels.items():
        if all(PORT_PATTERN.fullmatch(field) for field in texts):
            problem = f"column {head.name(place)} holds several levels in one field, such as {texts[0]!r}"
            raise FormatError(problem, where=path, remedy=table_advice.port(head, place))
    for place, texts in not_levels.items():
        is_numbers = all(NUMBER.match(field) for fields in not_levels.values() for field in fields)
        problem = "is a table of numbers that are not levels: " if is_numbers else ""
        raise FormatError(
            f"{problem}column {head.name(place)} holds {texts[0][:40]!r}"
            + ("" if is_numbers else ", which is not a level"),
            where=path,
            remedy=remedy,
        )
    if not places:
        raise FormatError("has no column with levels", where=path, remedy=remedy)


def _port(path: Path, head: Head, place: int, options: ReadOptions) -> tuple[str, ...]:
    """The channels of a column that has all levels in one field; the last digit is the first channel."""
    if not head.rows:
        raise FormatError("has no rows, so that its port has no width", where=path, remedy="save it again")
    field = head.rows[0][1][place]
    width = len(field.replace(" ", ""))
    if not re.fullmatch("[01 ]+", field) or width > MAX_CHANNELS:
        raise FormatError(
            f"column {head.name(place)} holds {field[:80]!r}, which is not the bits of a port",
            where=path,
            remedy=f"use 1 to {MAX_CHANNELS} digits 0 and 1, with blanks between them or none",
        )
    if len(options.channels) == width and not any(re.search(r"[*?\[]", name) for name in options.channels):
        return options.channels
    name = head.header[place] if head.header else "D"
    return tuple(f"{name}[{bit}]" for bit in range(width))


def _place(role: str, columns_by_role: dict[str, str], header: list[str], width: int, path: Path) -> int | None:
    name = columns_by_role.get(role)
    if name is None:
        return None
    if name in header:
        return header.index(name)
    number = integer(name)
    if number is not None and 1 <= number <= width:
        return number - 1
    there = ", ".join(header) or f"numbered 1 to {width}"
    raise FormatError(f"has no column {name!r}", where=path, remedy=f"its columns are {there}")


def _match(pattern: re.Pattern[str], header: list[str]) -> int | None:
    return next((place for place, name in enumerate(header) if pattern.match(name)), None)


def _unit(name: str, columns_by_role: dict[str, str], path: Path) -> tuple[int, bool]:
    """Power of ten of a time column's unit per second, and whether it counts samples."""
    given = columns_by_role.get("unit")
    match = UNIT_PATTERN.search(name)
    unit = (given or (match[1] if match else "s")).lower().replace("µ", "u").replace("μ", "u")
    unit = UNIT_NAMES.get(unit, "s" if unit == "sec" else unit)
    if unit in ("sample", "samples"):
        return 0, True
    if unit not in TIME_DIGITS:
        raise FormatError(
            f"{given!r} is not a unit of time", where=path, remedy=f"use {', '.join(TIME_DIGITS)} or samples"
        )
    return TIME_DIGITS[unit], False
