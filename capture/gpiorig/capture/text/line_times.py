"""Where the time is in the lines of a log that no program's format names: found in the first lines, or refused.

It is in brackets or not, at the beginning of the line, or in a field of its own between tabs. Two readings of
a line are never weighed against each other: the error names the option that decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from gpiorig.capture.errors import FormatError
from gpiorig.capture.numbers import integer
from gpiorig.capture.text.clock_text import DATE, clock_ns, date_ns, unit_ns
from gpiorig.capture.text.table_head import LEVEL_WORDS

COLOURS = re.compile(r"\A(?:\x1b\[[0-9;]*m)+|(?:\x1b\[[0-9;]*m)+\Z")  # around a line
SEPARATORS = (";", "|", "")  # of fields, blanks last; tabs, where most lines have some, go before all of them
LATEST = 1 << 63  # of an int64 of ns
NUMBERS = re.compile(r"[\d\s.,;|+\-eE]*")  # a row of a table, not a line of text


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to write a time.

    Attributes
    ----------
    name
        As text.
    notation
        What it looks like, without its brackets.
    to_ns
        Its groups and the unit of its numbers, in ns, to an instant in ns; None for one that does not fit into 64 bits.
    before
        What opens it.
    unit
        Of its numbers, where the kind determines it.
    """

    name: str
    notation: str
    to_ns: Callable[[tuple[str, ...], Fraction], int | None]
    before: str = r"[\[(<]? *"
    unit: str = ""

    def pattern(self, separator: str, place: int) -> re.Pattern[str]:
        """Of what is before the timestamp, as its first group, and of the timestamp, in the field of this number."""
        mark = re.escape(separator)
        fields = rf"(?:[^{mark}]*{mark}){{{place - 1}}}" if separator else rf"\s*(?:\S+\s+){{{place - 1}}}"
        end = mark if separator else r"[\s\[]"  # Arduino's and ESPHome's next bracket follows without a blank
        return re.compile(rf"({fields}){self.before}{self.notation} *[\])>]?:?(?={end}|\Z)")


@lru_cache(maxsize=4)
def _date(date: str, offset: str) -> int:
    return date_ns(date, "", offset)


def _dated(groups: tuple[str, ...], _: Fraction) -> int | None:
    try:
        second = _date(groups[0], groups[2])
    except ValueError:
        return None
    return second + int(groups[1][:9].ljust(9, "0"))


def _clock(groups: tuple[str, ...], _: Fraction) -> int | None:
    return clock_ns(groups[0], groups[1], groups[2], "".join(groups[3:]))


def _number(groups: tuple[str, ...], unit: Fraction) -> int | None:
    digits, _, fraction = groups[0].partition(".")
    ns = int(digits + fraction) * unit.numerator // (unit.denominator * 10 ** len(fraction))
    return ns if ns < LATEST else None


# The first that fits is the kind of a line. Zephyr: subsys/logging/log_output.c, `timestamp_print`; ESP-IDF:
# components/log, LOG_FORMAT and LOG_SYSTEM_TIME_FORMAT; Arduino's core for the ESP32: esp32-hal-log.h,
# ARDUHAL_LOG_FORMAT, of milliseconds. `dmesg` prints seconds in brackets, padded with blanks.
KINDS = (
    Kind("a date with a time", DATE.pattern, _dated),
    Kind("h:mm:ss.ms,us", r"(\d{1,9}):(\d\d):(\d\d)\.(\d{3}),(\d{3})", _clock),
    Kind("h:mm:ss", r"(\d{1,9}):(\d\d):(\d\d)(?:[.,](\d+))?", _clock, r"(?:[EWIDV] (?=\())?[\[(<]? *"),
    Kind("mm:ss.fff", r"()(\d{1,9}):(\d\d)[.,](\d+)", _clock),
    Kind("ESP-IDF's ms", r"(\d{1,18})", _number, r"[EWIDV] \(", "ms"),
    Kind("Arduino's ms", r"(\d{1,18})(?=\]\[[EWIDVN]\])", _number, r"\[ *", "ms"),
    Kind("decimal numbers", r"(\d{1,18}\.\d{1,18})", _number),
    Kind("integers", r"(\d{1,18})", _number),
)
DATED, (SECONDS, INTEGERS) = KINDS[0], KINDS[-2:]


@dataclass(frozen=True, slots=True)
class LineLayout:
    """Where things are in a line.

    Attributes
    ----------
    kind
        Of the timestamps.
    pattern
        Of what is before the timestamp, and of the timestamp, whose groups follow.
    unit
        Of the timestamps' numbers, in ns.
    separator
        Of fields; "": blanks.
    place, node
        Numbers of the fields of the time and of the node, from 1; node 0: none.
    resolution_ns
        Step in which the timestamps are printed.
    """

    kind: Kind
    pattern: re.Pattern[str]
    unit: Fraction
    separator: str
    place: int
    node: int
    resolution_ns: int

    def split(self, line: str) -> tuple[int | None, str, str] | None:
        """Return instant in ns, node and text of a line; None if no timestamp is there."""
        if "\x1b" in line:
            line = COLOURS.sub("", line)
        match = self.pattern.match(line)
        if match is None:
            return None
        before, *groups = match.groups(default="")
        after = line[match.end() :]
        after = after.removeprefix(self.separator) if self.separator else after.lstrip()
        fields = [*_fields(before, self.separator), *_fields(after, self.separator, most=self.node)]
        node = ""
        at = self.node - 1 - (self.node > self.place)
        if self.node and at < len(fields):
            node = fields.pop(at).strip()
        text = (self.separator or " ").join(fields) if self.node or before else after
        return self.kind.to_ns(tuple(groups), self.unit), node, text


def _fields(text: str, separator: str, *, most: int = -1) -> list[str]:
    """Fields of what is before a timestamp, whose separator at its end begins none, or of what is after it."""
    if not text:
        return []
    if most < 0:
        text = text.removesuffix(separator) if separator else text.rstrip()
    return text.split(separator or None, most)


def lines_of(head: bytes) -> list[str]:
    """Return the complete lines of the first bytes of a file that hold something."""
    text = head.decode(errors="replace")
    complete = text.rpartition("\n")[0] or text
    return [COLOURS.sub("", line.rstrip("\r")) for line in complete.split("\n") if line.strip()]


def layout_of(path: Path, lines: Sequence[str], columns: dict[str, str]) -> LineLayout | None:
    """Find out where the time is; None for lines that are not those of a log.

    Parameters
    ----------
    path
        The file.
    lines
        Its first lines.
    columns
        ``time``, ``node``: numbers of their fields, from 1; ``unit`` of the times, ``separator`` of the fields.

    Raises
    ------
    FormatError
        It is not clear.
    """
    places = _places(path, lines, columns)
    if not places or not _is_text(lines, *places[0]):
        return None
    if len(places) > 1:
        fields = " and ".join(str(place) for _, place, _ in places)
        raise FormatError(
            f"has times in fields {fields} of its lines",
            where=path,
            remedy=f"name the one, such as --columns time={places[0][1]}",
        )
    separator, place, kind = places[0]
    pattern = kind.pattern(separator, place)
    unit = _unit(path, lines, kind, columns)
    node = _number_of(path, columns, "node") if "node" in columns else 0
    if node == place:
        raise FormatError(f"field {node} cannot be the time and the node", where=path, remedy="give --columns node=…")
    digits = max(map(len, _fractions(lines, kind, pattern)), default=0)
    resolution = max(1, round(unit * Fraction(1, 10 ** min(digits, 18))))
    return LineLayout(kind, pattern, unit, separator, place, node, resolution)


def _places(path: Path, lines: Sequence[str], columns: dict[str, str]) -> list[tuple[str, int, Kind]]:
    """Separator, number and kind of each field that is a time in most lines.

    It is the field that is named, else the first, and others between tabs. Numbers there are times only where they come
    first, and integers where nothing else is a time: they number lines, too.
    """
    separator = columns.get("separator", "").replace("\\t", "\t")
    if not separator and _most("\t" in line for line in lines):
        separator = "\t"
    named = _number_of(path, columns, "time") if "time" in columns else 0
    count = 1 + max(line.count("\t") for line in lines) if separator == "\t" and not named else 1
    places = [
        (mark, place, kind)
        for mark in ([separator] if separator else SEPARATORS)
        for place in ([named] if named else range(1, count + 1))
        if (kind := _kind(lines, mark, place)) is not None
    ]
    numbers = [place for place in places if place[2] in (SECONDS, INTEGERS) and place[1] == max(named, 1)]
    others = [place for place in places if place[2] not in (SECONDS, INTEGERS)]
    return [*(place for place in numbers if place[2] is SECONDS or not others), *others]


def _kind(lines: Sequence[str], separator: str, place: int) -> Kind | None:
    """The kind of time that a field is in most lines."""
    patterns = [(kind, kind.pattern(separator, place)) for kind in KINDS]
    kinds = [next((kind for kind, pattern in patterns if pattern.match(line)), None) for line in lines]
    return next((kind for kind in KINDS if 2 * kinds.count(kind) > len(lines)), None)


def _is_text(lines: Sequence[str], separator: str, place: int, kind: Kind) -> bool:
    """Whether the lines hold more than numbers, and no column of levels at their end, which a capture has."""
    pattern = kind.pattern(separator, place)
    rest = [match[1] + line[match.end() :] for line in lines if (match := pattern.match(line))]
    if separator and all(LEVEL_WORDS.match(line.rpartition(separator)[2].strip()) for line in lines):
        return False
    return _most(not NUMBERS.fullmatch(text) for text in rest)


def _unit(path: Path, lines: Sequence[str], kind: Kind, columns: dict[str, str]) -> Fraction:
    """The unit of a kind's numbers: that of the kind, the one that is given, seconds of numbers with a point."""
    if kind not in (SECONDS, INTEGERS):
        return unit_ns(kind.unit or "s")
    if kind is INTEGERS and "unit" not in columns:
        raise FormatError(
            f"begins its lines with integers, such as {lines[-1][:40]!r}, whose unit is not known",
            where=path,
            remedy="give --columns unit=us (s, ms, us, ns, or a slot such as 10ms)",
        )
    try:
        return unit_ns(columns.get("unit", "s"))
    except ValueError as error:
        raise FormatError(str(error), where=path, remedy="use s, ms, us, ns, or a multiple such as 10ms") from error


def _number_of(path: Path, columns: dict[str, str], role: str) -> int:
    number = integer(columns[role])
    if not number or number > 99:
        raise FormatError(
            f"{columns[role]!r} is not the number of a field", where=path, remedy=f"count from 1: --columns {role}=2"
        )
    return number


def _fractions(lines: Sequence[str], kind: Kind, pattern: re.Pattern[str]) -> list[str]:
    """The digits after the point of the timestamps."""
    groups_of = [match.groups(default="")[1:] for line in lines if (match := pattern.match(line))]
    if kind.to_ns is _dated:
        return [groups[1] for groups in groups_of]
    if kind.to_ns is _clock:
        return ["".join(groups[3:]) for groups in groups_of]
    return [groups[0].partition(".")[2] for groups in groups_of]


def _most(flags: Iterable[bool]) -> bool:
    values = list(flags)
    return 2 * sum(values) > len(values)
