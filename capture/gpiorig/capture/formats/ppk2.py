"""Nordic's Power Profiler Kit II: the digital channels of a saved session, `.ppk2`, and of its CSV export.

From the source of the Power Profiler (NordicSemiconductor/pc-nrfconnect-ppk, 8da7626e): `.ppk2` is a zip of
`metadata.json` (src/utils/saveFileHandler.ts) and `session.raw`, which has for each sample a float32 of the current in
uA, little endian, and 16 bits, big endian, two for each channel (src/globals.ts, src/utils/bitConversion.ts): 01 low,
10 high, 11 both within the sample, 00 not known. The export (src/actions/exportChartAction.ts) has `Timestamp(ms)` and
the channels as `0`, `1`, `X`, `-`, in a column each or in one, `D0-D7`.

Samples that the program did not receive at its full rate are saved as 0.2 uA with all channels low
(src/actions/deviceActions.ts, `onSample` of `{}`); so exact a current is not measured otherwise. In the export, which
has three decimals, and at lower rates they cannot be distinguished.
"""

from __future__ import annotations

import datetime
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.read_options import ReadOptions, chosen
from gpiorig.capture.edges.sample_blocks import SampleBlocks
from gpiorig.capture.edges.waveform import Block, RateOrigin, Waveform, joined
from gpiorig.capture.errors import FormatError
from gpiorig.capture.numbers import samplerate
from gpiorig.capture.text.table_head import table_head

SUMMARY = "Nordic PPK2 session or its CSV export, digital channels"
SUFFIXES = (".ppk2", ".csv")
CHANNELS = tuple(f"D{bit}" for bit in range(8))
ZIP_MAGIC = b"PK\x03\x04"
SESSION, METADATA = "session.raw", "metadata.json"
METADATA_BYTES = 1 << 16
MAX_START_MS = 1e13  # of the wall clock: in the year 2286
SAMPLE = np.dtype([("current", "<f4"), ("bits", ">u2")])
CHUNK = 1 << 17  # samples
LOST_CURRENT, ALL_LOW = np.float32(0.2), 0x5555
TIME, TOGETHER = "Timestamp(ms)", "D0-D7"
COLUMNS = {TIME, "Current(uA)", TOGETHER, *CHANNELS}
LOW, HIGH, BOTH, UNKNOWN = "0", "1", "X", "-"
RATES_HZ = tuple(10**power for power in range(6))  # 1 Hz to 100 kHz (src/slices/dataLoggerSlice.ts, sampleFreqLog10)
OFF_GRID = 0.05  # of a sample
UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, struct.error, KeyError, NotImplementedError)
UNREADABLE_TOO = (RuntimeError, ValueError, OSError)


def recognises(path: Path, head: bytes) -> bool:
    """Whether it is such a zip, or has the columns of the export."""
    if head.startswith(ZIP_MAGIC):
        return path.suffix.lower() == ".ppk2" or SESSION.encode() in head
    names = head.partition(b"\n")[0].decode(errors="replace").strip().split(",")
    return TIME in names and set(names) <= COLUMNS


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read the digital channels as a waveform; samples that were not received are gaps."""
    channels = chosen(list(CHANNELS), options.channels, path)
    bits = [CHANNELS.index(name) for name in channels]
    remarks: list[str] = []
    with path.open("rb") as file:
        is_session = file.read(len(ZIP_MAGIC)) == ZIP_MAGIC
    if is_session:
        rate, epoch = metadata(path)
    else:
        _check_columns(path)
        rate, epoch = options.samplerate_hz or rate_of_table(path), ""

    def read_blocks() -> Iterator[Block]:
        remarks.clear()
        states = _session(path) if is_session else _table(path, rate)
        yield from joined(_Levels(bits).blocks(states, remarks))

    return Waveform(
        samplerate_hz=options.samplerate_hz or rate,
        rate_origin=RateOrigin.FILE if is_session else RateOrigin.DERIVED,
        channels=channels,
        read=read_blocks,
        epoch=epoch,
        source=f"PPK2 {'session' if is_session else 'export'} {path.name}",
        remarks=remarks,
    )


@dataclass(frozen=True, slots=True)
class _States:
    """The next samples: which they are, and a value of two bits for each of eight channels; 0: not known."""

    first: int
    pairs: NDArray[np.uint16]


class _Levels:
    """Turns states into levels: one that is both within a sample counts from the next sample on."""

    def __init__(self, bits: list[int]) -> None:
        self._bits = bits
        self._samples = SampleBlocks()
        self._held = np.zeros(len(bits), dtype=np.int64)
        self._both = self._lost = 0

    def blocks(self, states: Iterator[_States], remarks: list[str]) -> Iterator[Block]:
        begun = False
        for part in states:
            if not begun:
                self._samples.lose(part.first)  # the recording begins there
                begun = True
            if part.first > self._samples.end:
                yield self._lose(part.first - self._samples.end)
            pairs = np.array([(part.pairs >> np.uint16(2 * bit)) & np.uint16(3) for bit in self._bits])
            unknown = (pairs == 0).any(axis=0)
            cuts = [0, *(np.flatnonzero(np.diff(unknown)) + 1).tolist(), len(unknown)]
            for low, high in pairwise(cuts):
                if high > low:
                    yield self._lose(high - low) if unknown[low] else self._known(pairs[:, low:high])
        if self._lost:
            remarks.append(f"samples that were not received: {self._lost}")
        if self._both:
            remarks.append(
                f"samples within which a channel changed: {self._both}; its new level counts from the next sample on, "
                "and a shorter pulse is not an edge"
            )

    def _lose(self, count: int) -> Block:
        self._lost += count
        return self._samples.lose(count)

    def _known(self, pairs: NDArray[np.uint16]) -> Block:
        self._both += int(np.count_nonzero((pairs == 3).any(axis=0)))
        levels = np.zeros(pairs.shape[1], dtype=np.uint64)
        for place, states in enumerate(pairs):
            last = np.maximum.accumulate(np.where(states != 3, np.arange(len(states)), -1))
            level = np.where(last < 0, self._held[place], states[last] == 2)
            self._held[place] = level[-1]
            levels |= level.astype(np.uint64) << np.uint64(place)
        return self._samples.feed(levels)


def damaged(path: Path, error: Exception) -> FormatError:
    """Return the error of a zip that cannot be read."""
    why = "".join(character if character.isprintable() else "?" for character in str(error)[:80])
    return FormatError(f"is cut short or damaged ({why})", where=path, remedy="save it again")


def metadata(path: Path) -> tuple[Fraction, str]:
    """Samplerate, and the wall-clock time of the first sample."""
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(METADATA).file_size > METADATA_BYTES:
                raise FormatError(f"has a {METADATA} that is too large", where=path, remedy="save it again")
            archive.getinfo(SESSION)
            content: Any = json.loads(archive.read(METADATA))
    except (*UNREADABLE, *UNREADABLE_TOO) as error:
        raise damaged(path, error) from error
    about = content.get("metadata") if isinstance(content, dict) else None
    about = about if isinstance(about, dict) else {}
    rate, start_ms = about.get("samplesPerSecond"), about.get("startSystemTime")
    if not isinstance(rate, int | float):
        raise FormatError(f"has a {METADATA} without a samplerate", where=path, remedy="save it again")
    if not isinstance(start_ms, int | float) or not 0 < start_ms < MAX_START_MS:
        return samplerate(rate, where=path), ""
    moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(milliseconds=start_ms)
    return samplerate(rate, where=path), moment.isoformat()


def _session(path: Path) -> Iterator[_States]:
    at, rest = 0, b""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(SESSION) as file:
            while data := file.read(CHUNK * SAMPLE.itemsize):
                data = rest + data
                count = len(data) // SAMPLE.itemsize
                rest = data[count * SAMPLE.itemsize :]
                rows = np.frombuffer(data, dtype=SAMPLE, count=count)
                lost = (rows["current"] == LOST_CURRENT) & (rows["bits"] == ALL_LOW)
                yield _States(at, np.where(lost, 0, rows["bits"]).astype(np.uint16))
                at += count
    except (*UNREADABLE, *UNREADABLE_TOO) as error:
        raise damaged(path, error) from error
    if rest:
        raise FormatError(f"ends within sample {at}", where=path, remedy="it is damaged: save it again")


def _check_columns(path: Path) -> None:
    names = columns(path)
    if TIME not in names or not (TOGETHER in names or set(CHANNELS) <= set(names)):
        raise FormatError(
            "lacks the timestamps or the digital channels", where=path, remedy="export it with both, or save a .ppk2"
        )


def columns(path: Path) -> list[str]:
    """Return the names of the columns of an export."""
    return table_head(path).partition(b"\n")[0].decode(errors="replace").strip().split(",")


def rate_of_table(path: Path) -> Fraction:
    """The samplerate of an export: that of the shortest distance between its first rows."""
    times = []
    place = columns(path).index(TIME)
    for line in table_head(path).decode(errors="replace").split("\n")[1:-1]:
        try:
            times.append(float(line.split(",")[place]))
        except (ValueError, IndexError):
            break
    steps = np.diff(times)
    shortest_ms = float(steps[steps > 0].min(initial=np.inf))
    rates = [rate for rate in RATES_HZ if abs(shortest_ms * rate / 1000 - 1) <= OFF_GRID]
    if not rates:
        raise FormatError(
            f"has rows {shortest_ms:g} ms apart, which is none of the rates of a PPK2",
            where=path,
            remedy="give the rate with --samplerate, such as 100kHz",
        )
    return Fraction(rates[0])


def _table(path: Path, rate: Fraction) -> Iterator[_States]:
    import pyarrow as pa
    from pyarrow import csv

    names = columns(path)
    channels = list(CHANNELS) if set(CHANNELS) <= set(names) else [TOGETHER]
    convert = csv.ConvertOptions(
        include_columns=[TIME, *channels],
        column_types={TIME: pa.float64(), **dict.fromkeys(channels, pa.string())},
    )
    line = 2
    try:
        for batch in csv.open_csv(path, convert_options=convert):
            at = np.asarray(batch.column(0)) * (float(rate) / 1000)
            index = np.rint(at)
            if not (np.abs(at - index) <= OFF_GRID).all() or (np.diff(index) <= 0).any():
                raise FormatError(
                    f"has times from line {line} on that are not those of its samples",
                    where=path,
                    remedy="give the rate with --samplerate; or it is damaged: export it again",
                )
            pairs = _pairs_of(batch, channels, path, line)
            cuts = [0, *(np.flatnonzero(np.diff(index) > 1) + 1).tolist(), len(index)]
            for low, high in pairwise(cuts):
                yield _States(int(index[low]), pairs[low:high])
            line += len(index)
    except pa.ArrowException as error:
        raise damaged(path, error) from error


def _pairs_of(batch: Any, channels: list[str], path: Path, line: int) -> NDArray[np.uint16]:
    """Values of two bits for each channel, of the columns of a part of the export."""
    columns = [batch.column(place + 1).to_pylist() for place in range(len(channels))]
    texts = columns[0] if channels == [TOGETHER] else ["".join(states) for states in zip(*columns, strict=True)]
    letters = np.frombuffer("".join(texts).encode("ascii", "replace"), dtype=np.uint8)
    values = np.full(256, 255, dtype=np.uint16)
    for letter, value in ((LOW, 1), (HIGH, 2), (BOTH, 3), (UNKNOWN, 0)):
        values[ord(letter)] = value
    if any(len(text) != len(CHANNELS) for text in texts) or (values[letters] == 255).any():
        raise FormatError(
            f"has a row from line {line} on without eight levels", where=path, remedy="it is damaged: export it again"
        )
    shifts = np.arange(len(CHANNELS), dtype=np.uint16) * 2
    pairs: NDArray[np.uint16] = (values[letters].reshape(-1, len(CHANNELS)) << shifts).sum(axis=1, dtype=np.uint16)
    return pairs
