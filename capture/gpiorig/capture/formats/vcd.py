"""Value Change Dump (IEEE 1364-2005, 18): of simulators, of sigrok, and our own."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from ctypes import POINTER, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from gpiorig.capture import native
from gpiorig.capture.changes import Assembler, Changes, assembled
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import ReadOptions, chosen
from gpiorig.capture.formats.sr import parse_samplerate
from gpiorig.capture.textwriter import GAP, TextFile, rows, scaler
from gpiorig.capture.waveform import Block, Waveform

SUMMARY = "Value Change Dump"
SUFFIXES = (".vcd",)
LATE = 1
PIECE_BYTES = 1 << 20
HEADER_BYTES = 1 << 24
UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15}
KEYWORDS = re.compile(rb"^\s*\$(date|version|comment|timescale|scope|var|attrbegin)\b")
END = re.compile(rb"\$enddefinitions\s+\$end")
SECTION = re.compile(r"\$(\w+)\s+(.*?)\s*\$end", re.S)
RANGE = re.compile(r"\[(-?\d+)(?::(-?\d+))?\]$")
BITS = {"wire", "reg", "logic", "bit", "tri", "tri0", "tri1", "triand", "trior", "trireg", "wand", "wor"}
BITS |= {"supply0", "supply1", "integer", "port", "time"}
SIGROK_RATE = re.compile(r"Acquisition with \d+/\d+ channels at (.+)")  # src/output/vcd.c of libsigrok 0.5.2
OUR_NOTE = re.compile(r"gpiorig: samplerate (\d{1,18}/[1-9]\d{0,17}) Hz, epoch (\S*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The declarations of a VCD file.

    Attributes
    ----------
    per_second
        Units of time per second.
    variables
        (identifier, names of its bits, lowest first) of each variable.
    samplerate_hz
        The rate on whose samples the times were, where the file says so.
    epoch
        Wall-clock time of time 0, where the file says so.
    length, lines
        Where the value changes begin.
    """

    per_second: Fraction
    variables: tuple[tuple[str, tuple[str, ...]], ...]
    samplerate_hz: Fraction | None
    epoch: str
    length: int
    lines: int


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file begins as a VCD file does."""
    return KEYWORDS.match(head) is not None


class _State(ctypes.Structure):
    """`vcd::State` of the native crate."""

    _fields_ = (
        *((name, c_int64) for name in ("numerator", "denominator", "time", "off_grid", "line", "consumed", "fault")),
        *((name, c_uint64) for name in ("vector", "vector_unknown")),
        *((name, c_uint32) for name in ("mode", "reserved")),
    )


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read a VCD file as a waveform.

    Times are put on the samples of the rate that is given, or that sigrok or we wrote into the file; otherwise the
    timescale is the samplerate. Where all channels are x or z there is a gap; where only some are, they read low.
    """
    header = read_header(path)
    names = [name for _, bits in header.variables for name in bits]
    channels = chosen(names, options.channels, path)
    rate = options.samplerate_hz or header.samplerate_hz or header.per_second
    place = {name: bit for bit, name in enumerate(channels)}
    table = _variables(header, place)
    remarks: list[str] = []

    def read_blocks() -> Iterator[Block]:
        remarks.clear()
        scale = rate / header.per_second
        state = _State(numerator=scale.numerator, denominator=scale.denominator, line=header.lines)
        used = (1 << len(channels)) - 1
        assembler = Assembler(used=used, unknown=used, gap_if_all=True)
        found = _changes(path, header, state, table)
        try:
            yield from assembled(found, assembler, remarks=remarks)
        except FormatError as error:
            if error.where:
                raise
            where = f"{path}, near line {state.line + 1}"
            raise FormatError(error.what, where=where, remedy="its times must not decrease: save it again") from error
        if state.off_grid:
            remarks.append(
                f"{state.off_grid} times are more than their last digit off the samples of {float(rate):.12g} Hz"
            )

    return Waveform(
        samplerate_hz=rate,
        channels=channels,
        read=read_blocks,
        epoch=header.epoch,
        source=f"VCD file {path.name}; x and z are a gap where all channels are, and low where some are",
        remarks=remarks,
    )


def _variables(header: Header, place: dict[str, int]) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """The native table of variables: one entry per identifier whose bits are all chosen, in one run of bits."""
    rows = []
    for code, bits in header.variables:
        if all(name in place for name in bits):
            rows.append((int.from_bytes(code.encode("latin-1").ljust(8, b"\0"), "little"), place[bits[0]], len(bits)))
    rows.sort()
    return np.array(rows, dtype=[("code", "<u8"), ("first", "<u4"), ("width", "<u4")])


def _changes(
    path: Path, header: Header, state: _State, table: np.ndarray[tuple[int], np.dtype[np.void]]
) -> Iterator[Changes]:
    feed = native.kernel("gpiorig_vcd_feed", POINTER(_State), *(c_void_p, c_size_t) * 2, *(c_void_p,) * 5, c_size_t)
    with path.open("rb") as file:
        file.seek(header.length)
        rest = b""
        last = False
        while not last:
            data = file.read(PIECE_BYTES)
            last = not data
            text = rest + (data or b"\n")
            raw = np.frombuffer(text, dtype=np.uint8)
            capacity = len(text) // 2 + 1
            times, offsets = np.empty(capacity, dtype=np.int64), np.empty(capacity, dtype=np.int64)
            masks, values, unknown = (np.empty(capacity, dtype=np.uint64) for _ in range(3))
            count = native.checked(
                feed(
                    ctypes.byref(state),
                    *(raw.ctypes.data, raw.size, table.ctypes.data, table.size),
                    *(array.ctypes.data for array in (times, masks, values, unknown, offsets)),
                    capacity,
                )
            )
            if count:
                yield Changes(times[:count], masks[:count], values[:count], unknown[:count])
            rest = text[state.consumed :]
            if state.fault or len(rest) > PIECE_BYTES:
                word = rest.split(None, 1)[0][:40].decode("latin-1")
                what = "a time does not fit into 64 bits" if state.fault == 2 else f"{word!r} is no value change"
                remedy = (
                    "give the --samplerate of the capture" if state.fault == 2 else "the file is damaged: save it again"
                )
                raise FormatError(what, where=f"{path}, line {state.line + 1}", remedy=remedy)


def read_header(path: Path) -> Header:
    """Read the declarations of a VCD file.

    Raises
    ------
    FormatError
        They are cut short, or lack something.
    """
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
    if end is None:
        raise FormatError("has no $enddefinitions", where=path, remedy="it was cut short, or is no VCD file")
    text = data[: end.start()].decode("latin-1")
    scale: Fraction | None = None
    samplerate_hz, epoch = None, ""
    scopes: list[str] = []
    found: dict[str, tuple[list[str], str, int]] = {}
    for keyword, content in SECTION.findall(text):
        words = content.split()
        if keyword == "timescale":
            scale = _per_second(content, path)
        elif keyword == "scope":
            scopes.append(words[-1] if words else "")
        elif keyword == "upscope":
            scopes = scopes[:-1]
        elif keyword == "var":
            _declare(words, scopes, found, path)
        elif keyword == "comment":
            if match := SIGROK_RATE.search(content):
                samplerate_hz = parse_samplerate(match[1].strip())
            elif match := OUR_NOTE.search(content):
                samplerate_hz, epoch = Fraction(match[1]), match[2]
    if scale is None:
        raise FormatError("has no $timescale", where=path, remedy="it was cut short: save it again")
    return Header(
        per_second=scale,
        variables=_named(found),
        samplerate_hz=samplerate_hz or None,
        epoch=epoch,
        length=end.end(),
        lines=data[: end.end()].count(b"\n"),
    )


def _per_second(text: str, path: Path) -> Fraction:
    match = re.fullmatch(r"(1|10|100)\s*(s|ms|us|ns|ps|fs)", text.strip())
    if match is None:
        raise FormatError(f"{text.strip()!r} is no timescale", where=path, remedy="1, 10 or 100 of s to fs is")
    return Fraction(10 ** UNITS[match[2]], int(match[1]))


def _declare(words: list[str], scopes: list[str], found: dict[str, tuple[list[str], str, int]], path: Path) -> None:
    """Add a variable: its scopes, its name and its width; a second name of the same variable is dropped."""
    if len(words) < 4 or not words[1].isdecimal() or len(words[1]) > 6 or len(words[2]) > 8:
        raise FormatError(f"has a $var that says {' '.join(words)[:60]!r}", where=path, remedy="save it again")
    if words[0].lower() in BITS and words[1] != "0":
        found.setdefault(words[2], (list(scopes), "".join(words[3:]), int(words[1])))


def _named(found: dict[str, tuple[list[str], str, int]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Names of all bits: SCOPE.NAME, without an outermost scope that holds everything."""
    outermost = {tuple(scopes[:1]) for scopes, _, _ in found.values()}
    variables, taken = [], set()
    for code, (scopes, name, width) in found.items():
        full = ".".join([*(scopes[1:] if len(outermost) == 1 else scopes), name])
        if width == 1:
            bits = [full]
        else:
            match = RANGE.search(full)
            high, low = (int(match[1]), int(match[2] or match[1])) if match else (width - 1, 0)
            step = 1 if high >= low else -1
            bits = [f"{RANGE.sub('', full)}[{low + step * at}]" for at in range(width)]
        bits = [f"{bit}#{code}" if bit in taken else bit for bit in bits]
        taken.update(bits)
        variables.append((code, tuple(bits)))
    return tuple(variables)


def write(path: Path, waveform: Waveform) -> str:
    """Write a waveform: true levels at its start, a scope for each node of channels NODE.LINE, x in gaps.

    The timescale is exact where one is; otherwise it is at least 100 times finer than a sample, and a comment holds the
    exact samplerate and the epoch, from which `read` gets the samples back.
    """
    per_second, name, exact = _timescale(waveform.samplerate_hz)
    rate = waveform.samplerate_hz
    units = scaler(per_second / rate)
    used = [bit for bit, channel in enumerate(waveform.channels) if channel]
    codes = {bit: _code(number) for number, bit in enumerate(used)}
    blanks = any(re.search(r"\s", channel) for channel in waveform.channels)
    with TextFile(path) as file:
        file.write(
            f"$version gpiorig $end\n$comment gpiorig: samplerate {rate.numerator}/{rate.denominator} Hz,"
            f" epoch {waveform.epoch} $end\n$timescale {name} $end\n$scope module gpiorig $end\n"
        )
        for node in dict.fromkeys(waveform.channels[bit].rpartition(".")[0] for bit in used):
            if node:
                file.write(f"$scope module {_word(node)} $end\n")
            for bit in used:
                of, _, line = waveform.channels[bit].rpartition(".")
                if of == node:
                    file.write(f"$var wire 1 {codes[bit]} {_word(line)} $end\n")
            file.write("$upscope $end\n" if node else "")
        file.write("$upscope $end\n$enddefinitions $end\n")
        unknown = " ".join(f"x{codes[bit]}" for bit in used)
        first, pending = True, ""
        for sample, levels, changed in rows(waveform):
            file.write(pending)
            pending = ""
            time = f"#{units(sample)}"
            if levels == GAP:
                file.write(f"{time}\n")
                pending = f"{unknown}\n"  # unless this is the end
                continue
            values = " ".join(f"{levels >> bit & 1}{codes[bit]}" for bit in used if changed >> bit & 1)
            file.write(f"{time}\n$dumpvars {values} $end\n" if first else f"{time} {values}\n")
            first = False
    remarks = [] if exact else [f"times are rounded to {name}; a comment holds the exact samplerate"]
    if blanks:
        remarks.append("blanks in channel names are written as _")
    return "; ".join(remarks)


def _timescale(samplerate_hz: Fraction) -> tuple[Fraction, str, bool]:
    scales = [(Fraction(10**power, size), f"{size} {unit}") for unit, power in UNITS.items() for size in (100, 10, 1)]
    for per_second, name in scales:
        if (per_second / samplerate_hz).denominator == 1:
            return per_second, name, True
    return next(((*scale, False) for scale in scales if scale[0] >= 100 * samplerate_hz), (*scales[-1], False))


def _code(number: int) -> str:
    """Identifiers of printable characters, the shortest first."""
    return chr(33 + number)  # at most 64 channels


def _word(name: str) -> str:
    return re.sub(r"\s", "_", name)
