"""The declarations at the head of a VCD file (IEEE 1364-2005, 18.2)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from gpiorig.capture.edges.waveform import stated
from gpiorig.capture.errors import FormatError
from gpiorig.capture.numbers import integer, parse_samplerate, ratio, samplerate
from gpiorig.capture.units import TIME_DIGITS

HEADER_BYTES = 1 << 24
END = re.compile(rb"\$enddefinitions\s+\$end")
END_OF_SECTION = re.compile(r"\$end\b")
KEYWORD = re.compile(r"\$(\w+)\s+")
RANGE = re.compile(r"\[(-?[0-9]+)(?::(-?[0-9]+))?\]$")
MAX_SCOPES = 256  # designs have tens
MAX_NAMES = 1 << 27  # characters of the names of all bits
BITS = {"wire", "reg", "logic", "bit", "tri", "tri0", "tri1", "triand", "trior", "trireg", "wand", "wor"}
BITS |= {"supply0", "supply1", "integer", "port", "time"}
SIGROK_RATE = re.compile(r"Acquisition with \d+/\d+ channels at (.+)")  # src/output/vcd.c of libsigrok 0.5.2
OUR_NOTE = re.compile(r"gpiorig: samplerate (\S+) Hz, epoch ?([^\s;]*)(?:; (.*))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The declarations of a VCD file.

    Attributes
    ----------
    per_second
        Units of time per second.
    variables
        (identifier, names of its bits, lowest first) of each variable.
    without_bits
        Identifiers of variables that are not bits.
    samplerate_hz
        The rate on whose samples the times were, where the file states so.
    epoch
        Wall-clock time of time 0, where the file states so.
    virtual
        Whether a virtual bench made it; None: the file does not state it.
    length, lines
        Where the value changes begin.
    """

    per_second: Fraction
    variables: tuple[tuple[str, tuple[str, ...]], ...]
    without_bits: frozenset[str]
    samplerate_hz: Fraction | None
    epoch: str
    virtual: bool | None
    length: int
    lines: int


def read_header(path: Path) -> Header:
    """Read the declarations of a VCD file.

    Raises
    ------
    FormatError
        They are cut short, or lack something.
    """
    data = _declarations(path)
    declared = END.split(data, maxsplit=1)[0]
    try:
        text = declared.decode()
    except UnicodeDecodeError:  # the standard knows ASCII only; who wrote this did not know UTF-8
        text = declared.decode("latin-1")
    scale: Fraction | None = None
    samplerate_hz, epoch, note = None, "", ""
    scopes: list[str] = []
    variables: dict[str, tuple[list[str], str, int]] = {}
    without_bits: set[str] = set()
    characters = 0
    for keyword, content in _sections(text):
        words = content.split()
        if keyword == "timescale":
            scale = _per_second(content, path)
        elif keyword == "scope":
            scopes.append(words[-1] if words else "")
            if len(scopes) > MAX_SCOPES:
                problem = f"has more than {MAX_SCOPES} scopes within each other"
                raise FormatError(problem, where=path, remedy="dump fewer levels of the design")
        elif keyword == "upscope":
            del scopes[-1:]
        elif keyword == "var":
            characters += _declare(words, scopes, variables, without_bits, path)
            if characters > MAX_NAMES:
                problem = f"declares variables whose bits have names of {characters} characters and more in all"
                raise FormatError(problem, where=path, remedy="dump fewer variables, or narrower ones")
        elif keyword == "comment":
            if match := SIGROK_RATE.search(content):
                samplerate_hz = parse_samplerate(match[1].strip(), where=path)
            elif match := OUR_NOTE.search(content):
                samplerate_hz, epoch = samplerate(ratio(match[1]) or math.nan, where=path), match[2]
                note = (match[3] or "").strip()
    if scale is None:
        raise FormatError("has no $timescale", where=path, remedy="it was cut short: save it again")
    if not variables:
        raise FormatError("declares no variable of bits", where=path, remedy="dump wires or registers")
    return Header(
        per_second=scale,
        variables=_named(variables),
        without_bits=frozenset(without_bits),
        samplerate_hz=samplerate_hz or None,
        epoch=epoch,
        virtual=stated(note),
        length=len(data),
        lines=data.count(b"\n"),
    )


def _per_second(text: str, path: Path) -> Fraction:
    match = re.fullmatch(r"(1|10|100)\s*(s|ms|us|ns|ps|fs)", text.strip())
    if match is None:
        raise FormatError(f"{text.strip()!r} is not a timescale", where=path, remedy="use 1, 10 or 100 of s to fs")
    return Fraction(10 ** TIME_DIGITS[match[2]], int(match[1]))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield the keyword and the content of each `$keyword content $end`."""
    for part in END_OF_SECTION.split(text)[:-1]:
        if match := KEYWORD.search(part):
            yield match[1], part[match.end() :].strip()


def _declarations(path: Path) -> bytes:
    """The start of the file, with its $enddefinitions."""
    try:
        with path.open("rb") as file:
            data = file.read(1 << 16)
            while END.search(data) is None and len(data) < HEADER_BYTES:
                more = file.read(1 << 20)
                if not more:
                    break
                data += more
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=path, remedy="check the name") from error
    end = END.search(data)
    if end is not None:
        return data[: end.end()]
    if len(data) >= HEADER_BYTES:
        problem = f"has declarations of more than {HEADER_BYTES >> 20} MiB"
        raise FormatError(problem, where=path, remedy="dump fewer variables, or give them shorter names")
    raise FormatError("has no $enddefinitions", where=path, remedy="it was cut short, or is not a VCD file")


def _declare(
    words: list[str],
    scopes: list[str],
    variables: dict[str, tuple[list[str], str, int]],
    without_bits: set[str],
    path: Path,
) -> int:
    """Add a variable: its scopes, its name and its width; a second name of the same variable is dropped.

    Returns
    -------
    int
        About how many characters the names of its bits have.
    """
    if len(words) < 4 or not re.fullmatch(r"[0-9]{1,6}", words[1]) or len(words[2]) > 8 or not words[2].isascii():
        raise FormatError(f"has a $var of {' '.join(words)[:60]!r}", where=path, remedy="save it again")
    if words[0].lower() not in BITS or words[1] == "0":
        without_bits.add(words[2])
        return 0
    name, width = "".join(words[3:]), int(words[1])
    if (match := RANGE.search(name)) and any(integer(end.lstrip("-")) is None for end in match.groups() if end):
        raise FormatError(f"has a variable of bits {name[-60:]!r}", where=path, remedy="number them lower")
    variables.setdefault(words[2], (list(scopes), name, width))
    return width * (sum(map(len, scopes)) + len(scopes) + len(name) + len(words[1]))


def _named(declared: dict[str, tuple[list[str], str, int]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Names of all bits: SCOPE.NAME, without an outermost scope that holds everything."""
    outermost = {tuple(scopes[:1]) for scopes, _, _ in declared.values()}
    variables, used = [], set()
    for code, (scopes, name, width) in declared.items():
        full = ".".join([*(scopes[1:] if len(outermost) == 1 else scopes), name])
        if width == 1:
            bits = [full]
        else:
            match = RANGE.search(full)
            high, low = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
            step = 1 if high >= low else -1
            bits = [f"{RANGE.sub('', full)}[{low + step * at}]" for at in range(width)]
        bits = [f"{bit}#{code}" if bit in used else bit for bit in bits]
        used.update(bits)
        variables.append((code, tuple(bits)))
    return tuple(variables)
