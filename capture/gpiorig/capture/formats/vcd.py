"""Value Change Dump (IEEE 1364-2005, 18): of simulators, of sigrok, and our own."""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Iterator
from ctypes import POINTER, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import native
from gpiorig.capture.edges import select
from gpiorig.capture.edges.changes import Assembler, Changes, assembled
from gpiorig.capture.edges.read_options import ReadOptions, chosen
from gpiorig.capture.edges.waveform import VIRTUAL_MARK, Block, RateOrigin, Waveform
from gpiorig.capture.errors import FormatError
from gpiorig.capture.text.vcd_header import Header, read_header
from gpiorig.capture.text.writer import GAP, rows, scaler, text_file
from gpiorig.capture.units import TIME_DIGITS

SUMMARY = "Value Change Dump"
SUFFIXES = (".vcd",)
LATE = 1
BLOCK_BYTES = 1 << 20
HEADER = re.compile(rb"^\s*\$(date|version|comment|timescale|scope|var|attrbegin)\b")


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
    selected = chosen([name for _, bits in header.variables for name in bits], options.channels, path)
    variables = [variable for variable in header.variables if not set(selected).isdisjoint(variable[1])]
    channels = chosen([name for _, bits in variables for name in bits], (), path)  # complete vectors
    rate = options.samplerate_hz or header.samplerate_hz or header.per_second
    table = _variables(variables, header)
    remarks: list[str] = []

    def read_blocks() -> Iterator[Block]:
        remarks.clear()
        scale = rate / header.per_second
        state = _State(numerator=scale.numerator, denominator=scale.denominator, line=header.lines)
        used = (1 << len(channels)) - 1
        assembler = Assembler(used=used, unknown=used, gap_if_all=True)
        changes = _changes(path, header, state, table)
        try:
            yield from assembled(changes, assembler, remarks=remarks)
        except FormatError as error:
            if error.where:
                raise
            where = f"{path}, near line {state.line + 1}"
            raise FormatError(error.what, where=where, remedy="its times must not decrease: save it again") from error
        if state.off_grid:
            remarks.append(
                f"{state.off_grid} times are more than their last digit off the samples of {float(rate):.12g} Hz"
            )

    waveform = Waveform(
        samplerate_hz=rate,
        channels=channels,
        read=read_blocks,
        epoch=header.epoch,
        virtual=header.virtual,
        source=f"VCD file {path.name}; x and z are a gap where all channels are, and low where some are",
        remarks=remarks,
        rate_origin=_origin(header, options),
    )
    return waveform if selected == channels else select.channels(waveform, selected)


def _origin(header: Header, options: ReadOptions) -> RateOrigin:
    if options.samplerate_hz:
        return RateOrigin.OPTION
    return RateOrigin.FILE if header.samplerate_hz else RateOrigin.TIMES


def _variables(variables: list[tuple[str, tuple[str, ...]]], header: Header) -> NDArray[np.void]:
    """The native table of variables, sorted by identifier: the first bit of each, and how many, none if not read."""
    places = dict.fromkeys([*header.without_bits, *(code for code, _ in header.variables)], (0, 0))
    first_bit = 0
    for code, bits in variables:
        places[code] = first_bit, len(bits)
        first_bit += len(bits)
    rows = [(int.from_bytes(code.encode("ascii").ljust(8, b"\0"), "little"), *place) for code, place in places.items()]
    return np.array(sorted(rows), dtype=[("code", "<u8"), ("first", "<u4"), ("width", "<u4")])


def _changes(path: Path, header: Header, state: _State, table: NDArray[np.void]) -> Iterator[Changes]:
    feed = native.kernel("gpiorig_vcd_feed", POINTER(_State), *(c_void_p, c_size_t) * 2, *(c_void_p,) * 5, c_size_t)
    with path.open("rb") as file:
        file.seek(header.length)
        rest = b""
        is_end = False
        while not is_end:
            data = file.read(BLOCK_BYTES)
            is_end = not data
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
            if state.fault or len(rest) > BLOCK_BYTES:
                word = rest.split(None, 1)[0][:40].decode("latin-1")
                problem, remedy = {
                    2: (
                        "a time does not fit into 64 bits",
                        "give the rate of the capture, for instance --samplerate 24MHz",
                    ),
                    3: (f"{word!r} is of a variable that is not declared", "the file is damaged: save it again"),
                }.get(state.fault, (f"{word!r} is not a value change", "the file is damaged: save it again"))
                raise FormatError(problem, where=f"{path}, line {state.line + 1}", remedy=remedy)


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
    mark = f"; {VIRTUAL_MARK}" if waveform.virtual else ""
    with text_file(path) as file:
        file.write(
            f"$version gpiorig $end\n$comment gpiorig: samplerate {rate.numerator}/{rate.denominator} Hz,"
            f" epoch {waveform.epoch}{mark} $end\n$timescale {name} $end\n$scope module gpiorig $end\n"
        )
        for node in dict.fromkeys(waveform.channels[bit].rpartition(".")[0] for bit in used):
            if node:
                file.write(f"$scope module {_word(node)} $end\n")
            for bit in used:
                owner, _, line = waveform.channels[bit].rpartition(".")
                if owner == node:
                    file.write(f"$var wire 1 {codes[bit]} {_word(line)} $end\n")
            file.write("$upscope $end\n" if node else "")
        file.write("$upscope $end\n$enddefinitions $end\n")
        unknown = " ".join(f"x{codes[bit]}" for bit in used)

        @functools.lru_cache(maxsize=1 << 12)  # few combinations make most of a capture
        def changes(changed: int, levels: int) -> str:
            return " ".join(f"{levels >> bit & 1}{codes[bit]}" for bit in used if changed >> bit & 1)

        is_first, pending = True, ""
        for sample, levels, changed in rows(waveform):
            file.write(pending)
            pending = ""
            time = f"#{units(sample)}"
            if levels == GAP:
                file.write(f"{time}\n")
                pending = f"{unknown}\n"  # unless this is the end
                continue
            values = changes(changed, levels & changed)
            file.write(f"{time}\n$dumpvars {values} $end\n" if is_first else f"{time} {values}\n")
            is_first = False
    remarks = [] if exact else [f"times are rounded to {name}; a comment holds the exact samplerate"]
    if blanks:
        remarks.append("blanks in channel names are written as _")
    return "; ".join(remarks)


def _timescale(samplerate_hz: Fraction) -> tuple[Fraction, str, bool]:
    scales = [
        (Fraction(10**power, size), f"{size} {unit}") for unit, power in TIME_DIGITS.items() for size in (100, 10, 1)
    ]
    for per_second, name in scales:
        if (per_second / samplerate_hz).denominator == 1:
            return per_second, name, True
    return next(((*scale, False) for scale in scales if scale[0] >= 100 * samplerate_hz), (*scales[-1], False))


def _code(number: int) -> str:
    """Identifiers of printable characters, the shortest first."""
    return chr(33 + number)  # at most 64 channels


def _word(name: str) -> str:
    return re.sub(r"\s|\$(?=end\b)", "_", name)
