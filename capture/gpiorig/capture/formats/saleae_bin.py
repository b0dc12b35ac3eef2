"""Saleae Logic 2's binary export of digital channels, versions 0 and 1: a file, `digital_N.bin`, for each channel.

The layouts are Saleae's ("Binary Export Format - Version 0", "Binary and CSV Export Formats - 2025 Update"): after the
magic, int32 version and int32 type (0 digital, 1 analog), little endian,

    version 0   u32 initial_state, f64 begin, f64 end, u64 count, count f64 times of transitions
    version 1   u64 chunks; each u32 initial_state, f64 sample_rate, f64 begin, f64 end, u64 count, count f64 times

Times are seconds in float64, so the number of a sample is recovered as round(time * rate).
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.changes import Assembler, Changes, assembled, changes, merged
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.sample_grid import SALEAE_HZ, fits
from gpiorig.capture.edges.waveform import Block, RateOrigin, Waveform
from gpiorig.capture.errors import FormatError
from gpiorig.capture.numbers import samplerate

SUMMARY = "Saleae Logic 2 binary export"
RECORDER = "saleae"
SUFFIXES = (".bin",)
MAGIC = b"<SALEAE>"
START = struct.Struct("<8sii")
CHUNK_0 = struct.Struct("<IddQ")
CHUNK_1 = struct.Struct("<IdddQ")
BLOCK_TIMES = 1 << 17
MAX_S = 1e9  # times beyond are damage
FASTEST_HZ = 9 * 10**9  # so that sample numbers fit into 64 bits
TOLERANCE_S = 1e-11  # in addition to the rounding of float64: a time farther from every sample is not of this rate


@dataclass(frozen=True, slots=True)
class Chunk:
    """A interval of one channel without gaps.

    Attributes
    ----------
    initial
        Level at its begin.
    begin_s, end_s
        The file.
    samplerate_hz
        Samples per second, where the file states so.
    offset, count
        Where the times are in the file, and how many.
    """

    initial: int
    begin_s: float
    end_s: float
    samplerate_hz: Fraction | None
    offset: int
    count: int


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file is an export, or a folder holds some."""
    if path.is_dir():
        return bool(_exports(path))
    return head.startswith(MAGIC)


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read the export of one channel, or all in a folder, as a waveform.

    Version 0 does not contain its samplerate: without one given, it is the lowest usual rate on whose samples all
    transitions fall. The capture begins where all channels have begun; where one of them has a gap, there is one.
    """
    paths = _exports(path) if path.is_dir() else (path,)
    files = [(file, _chunks(file)) for file in paths]
    rate = options.samplerate_hz or _samplerate(files, path)
    if rate > FASTEST_HZ:
        raise FormatError(f"{float(rate):g} Hz is too fast", where=path, remedy=f"at most {FASTEST_HZ:g} Hz fit")
    default = tuple(
        f"Channel {match[1]}" if (match := re.search(r"(\d+)\.bin$", file.name)) else file.stem for file in paths
    )
    channels = options.channels or default
    if len(channels) != len(files):
        raise FormatError(f"{len(channels)} names for {len(files)} channels", where=path, remedy="name each of them")
    remarks: list[str] = []

    def read_blocks() -> Iterator[Block]:
        remarks.clear()
        sources = [_changes(file, chunks, rate, bit) for bit, (file, chunks) in enumerate(files)]
        used = (1 << len(files)) - 1
        try:
            yield from assembled(merged(sources), Assembler(used=used, unknown=used), remarks=remarks)
        except FormatError as error:
            if error.where:
                raise
            raise FormatError(error.what, where=path, remedy="the file is damaged: export it again") from error

    has_rate = any(chunk.samplerate_hz for _, chunks in files for chunk in chunks)
    source = f"Saleae binary export {path.name}"
    origin = RateOrigin.FILE if has_rate else RateOrigin.DERIVED
    if not has_rate and options.samplerate_hz is None:
        source += "; its samplerate is derived: the lowest usual one on whose samples all transitions fall"
    return Waveform(
        samplerate_hz=rate,
        channels=tuple(channels),
        read=read_blocks,
        source=source,
        remarks=remarks,
        rate_origin=RateOrigin.OPTION if options.samplerate_hz else origin,
        recorder=RECORDER,
    )


def _exports(folder: Path) -> tuple[Path, ...]:
    exports = [
        (int(match[1]), path)
        for path in folder.iterdir()
        if (match := re.fullmatch(r"digital_(\d{1,4})\.bin", path.name))
    ]
    return tuple(path for _, path in sorted(exports))


def _chunks(path: Path) -> list[Chunk]:
    """Read the headers of a file."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            _, version, kind = START.unpack(_exactly(file, START.size, path))
            if kind != 0 and version in (0, 1):
                raise FormatError("holds voltages", where=path, remedy="export the digital channels")
            if version not in (0, 1):
                raise FormatError(
                    f"has version {version} of the format", where=path, remedy="0 and 1 are supported: export as CSV"
                )
            count = 1 if version == 0 else struct.unpack("<Q", _exactly(file, 8, path))[0]
            layout = CHUNK_0 if version == 0 else CHUNK_1
            if not count or count * layout.size > size:
                raise FormatError(f"claims {count} chunks", where=path, remedy="it was cut short: export it again")
            chunks = []
            for _ in range(count):
                initial, *rate, begin_s, end_s, times = layout.unpack(_exactly(file, layout.size, path))
                offset = file.tell()
                usual = all(math.isfinite(time) and abs(time) < MAX_S for time in (begin_s, end_s))
                if initial > 1 or not usual or end_s < begin_s:
                    raise FormatError(f"is damaged before byte {offset}", where=path, remedy="export it again")
                if offset + 8 * times > size:
                    raise FormatError("is cut short", where=path, remedy="export it again")
                # A float64 near an integer number of Hz is that number; others are unchanged.
                exact = [
                    samplerate(round(rate_hz) if _is_integer(rate_hz) else rate_hz, where=path) for rate_hz in rate
                ]
                chunks.append(Chunk(initial, begin_s, end_s, exact[0] if exact else None, offset, times))
                file.seek(8 * times, 1)
            if left := size - file.tell():
                problem = f"has {left} bytes after what its header counts"
                raise FormatError(problem, where=path, remedy="it is damaged: export it again")
            return chunks
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=path, remedy="check the file") from error


def _is_integer(rate_hz: float) -> bool:
    return math.isfinite(rate_hz) and rate_hz > 0.5 and abs(rate_hz - round(rate_hz)) < 1e-3


def _exactly(file: BinaryIO, size: int, path: Path) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise FormatError("is cut short", where=path, remedy="export it again")
    return data


def _times(path: Path, chunk: Chunk) -> Iterator[NDArray[np.float64]]:
    with path.open("rb") as file:
        file.seek(chunk.offset)
        left = chunk.count
        while left:
            size = min(left, BLOCK_TIMES)
            times = np.frombuffer(_exactly(file, 8 * size, path), dtype="<f8")
            if not np.all(np.abs(times) < MAX_S):
                raise FormatError("has a time that is not a time", where=path, remedy="it is damaged: export it again")
            yield times
            left -= size


def _samplerate(files: list[tuple[Path, list[Chunk]]], path: Path) -> Fraction:
    """The rate in the files, or the lowest usual one that fits all their times."""
    rates: set[Fraction] = {chunk.samplerate_hz for _, chunks in files for chunk in chunks if chunk.samplerate_hz}
    if len(rates) > 1:
        rates_text = ", ".join(f"{float(rate):.12g}" for rate in sorted(rates))
        raise FormatError(
            f"has chunks of several samplerates: {rates_text} Hz",
            where=path,
            remedy=f"give a multiple, for instance --samplerate {math.lcm(*map(int, rates))}Hz",
        )
    if rates:
        return rates.pop()
    # The lowest on which all transitions fall gives their instants as well as the one that was set.
    fitting = list(SALEAE_HZ)
    for file, chunks in files:
        for chunk in chunks:
            for times in _times(file, chunk):
                fitting = [rate for rate in fitting if fits(times, rate, tolerance_s=TOLERANCE_S)]
    if not fitting:
        raise FormatError(
            "does not contain its samplerate, and none of the usual ones fits its transitions",
            where=path,
            remedy="give the one that was set in Logic, for instance --samplerate 24MHz",
        )
    return fitting[0]


def _changes(path: Path, chunks: list[Chunk], rate: Fraction, bit: int) -> Iterator[Changes]:
    mask = 1 << bit
    hertz = float(rate)
    for chunk in chunks:
        begin, end = round(chunk.begin_s * hertz), round(chunk.end_s * hertz)
        level = chunk.initial
        yield changes(np.array([begin]), mask, np.array([level << bit], dtype=np.uint64))
        for times in _times(path, chunk):
            levels = (level ^ (1 + np.arange(times.size) & 1)).astype(np.uint64)
            level = int(levels[-1])
            yield changes(np.rint(times * hertz).astype(np.int64), mask, levels << np.uint64(bit))
        bit_mask = np.array([mask], dtype=np.uint64)
        yield Changes(np.array([end]), bit_mask, np.zeros(1, dtype=np.uint64), bit_mask)
