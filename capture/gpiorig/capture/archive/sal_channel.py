"""The transitions of one channel in a Saleae `.sal` file: a `digital-N.bin` of run lengths.

Saleae documents no encoding. What is read here is what others found out and compared with Logic 2's own exports
for sparse channels of each kind; all that can be checked is checked, and anything else is refused. Little endian:

    header        "<SALEAE>", u32 version, u32 100 (digital), u8 1, f64 samples per second, u64 and f64 start in ms
                  since 1970 and its fraction; from version 1 on two bytes 0; u64 chunks
    chunk, 0, 1   u64 first sample, one past the last, their difference, samples per second, 1, bytes; the run lengths;
                  u64 entries; of each u64 samples from the chunk's start, u64 byte of the run lengths, u32 level there
    chunk, 2, 3   u64 first sample, one past the last; u16 level at the first; u64 bytes; the run lengths

Run lengths are those of `native/src/runs.rs`. A transition is at the end of each run but a chunk's last one.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Iterator
from ctypes import POINTER, c_int64, c_size_t, c_uint32, c_void_p
from dataclasses import dataclass
from fractions import Fraction
from typing import IO

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import native
from gpiorig.capture.edges.changes import Changes, changes
from gpiorig.capture.errors import FormatError

MAGIC, DIGITAL = b"<SALEAE>", 100
START = struct.Struct("<8sIIBdQd")
COUNT = struct.Struct("<Q")
INDEXED, LEVELLED = (0, 1), (2, 3)  # versions, by what gives the levels in a chunk
CHUNK_INDEXED = struct.Struct("<6Q")
CHUNK_LEVELLED = struct.Struct("<QQHQ")
ENTRY = np.dtype([("sample", "<u8"), ("byte", "<u8"), ("level", "<u4")])
USUAL_FLAG = 1
BLOCK_BYTES = 1 << 18
MAX_RUNS = 1 << 28  # bytes of run lengths of a chunk, which are in memory together
MAX_SAMPLE = 1 << 62
YIELDED = 1 << 16  # transitions in a block
NO_LENGTHS = -3  # capture/native/src/ffi/runs.rs

Refusal = Callable[[str], FormatError]


@dataclass(frozen=True, slots=True)
class Header:
    """Header of a channel's file.

    Attributes
    ----------
    version
        Of the encoding, 0 to 3.
    samplerate_hz
        Samples per second, None where the file does not state it.
    chunks
        How many chunks follow, None where they continue to the end of the file.
    """

    version: int
    samplerate_hz: Fraction | None
    chunks: int | None


def read_header(file: IO[bytes], refused: Refusal) -> Header:
    """Read the header of a channel's file.

    Parameters
    ----------
    file
        The file.
    refused
        Makes the error of what cannot be read.
    """
    head = file.read(START.size)
    if len(head) < START.size or not head.startswith(MAGIC):
        raise refused("there is no Saleae channel")
    _, version, kind, _, rate, *_ = START.unpack(head)
    if version not in (*INDEXED, *LEVELLED) or kind != DIGITAL:
        raise refused(f"version {version} of the undocumented encoding, type {kind}, is not known,")
    padding = file.read(2) if version else b""
    if len(padding) < 2 * bool(version) or any(padding):
        raise refused("the header is not the one that is known")
    (count,) = COUNT.unpack(exactly(file, COUNT.size, refused))
    is_rate = math.isfinite(rate) and rate > 0
    if version in INDEXED and not is_rate:
        raise refused(f"there is a samplerate of {rate:g} Hz")
    return Header(version, Fraction(rate) if is_rate else None, count if version in INDEXED else None)


def exactly(file: IO[bytes], size: int, refused: Refusal) -> bytes:
    """Read this many bytes, all of them."""
    data = file.read(size)
    if len(data) < size:
        raise refused("a chunk is cut short")
    return data


def read(file: IO[bytes], bit: int, refused: Refusal) -> Iterator[Changes]:
    """Yield the transitions of a channel as those of a bit; after its end nothing is known."""
    header = read_header(file, refused)
    parts = _indexed(file, header, refused) if header.version in INDEXED else _levelled(file, refused)
    mask, end = 1 << bit, 0
    for times, levels in parts:
        end = int(times[-1])
        yield changes(times[:-1], mask, levels << np.uint64(bit))
    one = np.array([mask], dtype=np.uint64)
    yield Changes(np.array([end]), one, np.zeros(1, dtype=np.uint64), one)


# Instants, the last one that of the end of what is known, and the levels from all others on.
Part = tuple[NDArray[np.int64], NDArray[np.uint64]]


def _levelled(file: IO[bytes], refused: Refusal) -> Iterator[Part]:
    known_to, is_first = 0, True
    while header := file.read(CHUNK_LEVELLED.size):
        if len(header) < CHUNK_LEVELLED.size:
            raise refused("a chunk is cut short")
        start, end, level, size = CHUNK_LEVELLED.unpack(header)
        _check_order(start, end, level, known_to, refused)
        if end > start or is_first:
            yield np.array([start, start]), np.array([level], dtype=np.uint64)
        is_first = False
        runs = Runs(start, level, refused)
        while size:
            ends, levels = runs.feed(exactly(file, min(size, BLOCK_BYTES), refused))
            size -= min(size, BLOCK_BYTES)
            if ends.size:
                inside = ends < end
                yield np.append(ends[inside], ends[-1]), levels[inside]
        runs.check_end(end)
        known_to = end


def _indexed(file: IO[bytes], header: Header, refused: Refusal) -> Iterator[Part]:
    known_to = 0
    for _ in range(header.chunks or 0):
        start, end, length, rate, flag, size = CHUNK_INDEXED.unpack(exactly(file, CHUNK_INDEXED.size, refused))
        if flag != USUAL_FLAG or length != end - start or rate != header.samplerate_hz:
            raise refused(f"a chunk of {length} samples at {rate} Hz with the flag {flag} is not known")
        if size > MAX_RUNS:
            raise refused(f"a chunk of {size} bytes is too large")
        data = exactly(file, size, refused)
        (count,) = COUNT.unpack(exactly(file, COUNT.size, refused))
        if not 1 <= count <= size + 1:
            raise refused(f"a chunk of {size} bytes with {count} entries in its index cannot be")
        index = np.frombuffer(exactly(file, count * ENTRY.itemsize, refused), dtype=ENTRY)
        _check_order(start, end, int(index["level"][0]), known_to, refused)
        yield from _chunk(start, end, data, index, refused)
        known_to = end
    if file.read(1):
        raise refused("there are bytes after the last chunk")


def _chunk(start: int, end: int, data: bytes, index: NDArray[np.void], refused: Refusal) -> Iterator[Part]:
    """Decode a chunk from each entry of its index to the next, where both must agree."""
    level = int(index["level"][0])
    yield np.array([start, start]), np.array([level], dtype=np.uint64)
    runs = Runs(start, level, refused)
    parts: list[Part] = []
    at = waiting = 0
    for sample, byte, level in [*index.tolist(), (None, len(data), None)]:
        if byte < at or byte > len(data):
            raise refused("the index of a chunk is not in order")
        parts.append(runs.feed(data[at:byte]))
        at, waiting = byte, waiting + parts[-1][0].size
        if level is not None and (runs.is_inside or (runs.position - start, runs.level) != (sample, level)):
            raise refused("the index of a chunk contradicts its runs")
        if waiting > YIELDED or level is None:
            times, levels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
            inside = times < end
            yield np.append(times[inside], runs.position), levels[inside]
            parts, waiting = [], 0
    runs.check_end(end)


def _check_order(start: int, end: int, level: int, known_to: int, refused: Refusal) -> None:
    if level > 1 or start != known_to or not start <= end < MAX_SAMPLE:
        raise refused("the chunks do not follow each other as they should")


class _State(ctypes.Structure):
    """`runs::State` of the native crate."""

    _fields_ = (("position", c_int64), ("partial", c_int64), ("inside", c_uint32), ("reserved", c_uint32))


class Runs:
    """Turns run lengths, in blocks, into transitions.

    Parameters
    ----------
    position, level
        Sample at which the first run begins, and the level during it.
    refused
        Makes the error of what are not lengths.
    """

    def __init__(self, position: int, level: int, refused: Refusal) -> None:
        self._feed = native.kernel(
            "gpiorig_runs_feed", POINTER(_State), c_void_p, c_size_t, c_void_p, c_size_t, POINTER(c_size_t)
        )
        self._state, self._refused = _State(position=position), refused
        self.level = level

    @property
    def position(self) -> int:
        """Sample at which the present run begins."""
        return int(self._state.position)

    @property
    def is_inside(self) -> bool:
        """Whether a run length is not complete."""
        return bool(self._state.inside)

    def feed(self, data: bytes) -> Part:
        """Return the ends of the runs in this block, and the levels from there on."""
        raw = np.frombuffer(data, dtype=np.uint8)
        ends, consumed = np.empty(raw.size, dtype=np.int64), c_size_t()
        count = self._feed(
            ctypes.byref(self._state), raw.ctypes.data, raw.size, ends.ctypes.data, ends.size, ctypes.byref(consumed)
        )
        if count == NO_LENGTHS:
            raise self._refused("there are no run lengths")
        native.checked(count)
        levels = (self.level ^ (1 + np.arange(count) & 1)).astype(np.uint64)
        self.level ^= count & 1
        return ends[:count], levels

    def check_end(self, end: int) -> None:
        """Refuse runs that do not end at this sample."""
        if self.is_inside:
            raise self._refused("a run length is cut short")
        if self.position != end:
            raise self._refused("the runs of a chunk do not fill it")
