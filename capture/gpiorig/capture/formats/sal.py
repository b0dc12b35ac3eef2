"""Saleae Logic 2's own capture file, `.sal`: a zip of `meta.json` and a `digital-N.bin` for each channel.

Saleae documents neither the encoding nor that it stays. What is read here is what others found out and what one of
them checked against Logic 2's exports (docs/formats.md); anything else is refused. A `digital-N.bin` has 51 bytes of
header ("<SALEAE>", u32 version 2 or 3, u32 type 100, ...), then chunks up to its end:

    u64 first sample | u64 one past the last | u16 level at the first | u64 bytes | run lengths (`runs.rs`)
"""

from __future__ import annotations

import ctypes
import datetime
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from ctypes import POINTER, c_int64, c_size_t, c_uint32, c_void_p
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import native
from gpiorig.capture.changes import Assembler, Changes, assembled, changes, merged
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import ReadOptions, chosen
from gpiorig.capture.waveform import Block, Waveform

SUMMARY = "Saleae Logic 2 capture"
SUFFIXES = (".sal",)
ZIP_MAGIC = b"PK\x03\x04"
START = struct.Struct("<8sII")
MAGIC, VERSIONS, DIGITAL = b"<SALEAE>", (2, 3), 100
HEADER_BYTES = 51
CHUNK = struct.Struct("<QQHQ")
PIECE_BYTES = 1 << 18
NO_LENGTHS = -3  # capture/native/src/ffi/runs.rs
META_BYTES = 1 << 26
EXPORT = "open it in Logic 2 and export: File > Export Data, as Binary or CSV"
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, KeyError)


@dataclass(frozen=True, slots=True)
class _Meta:
    samplerate_hz: Fraction | None
    epoch: str
    members: dict[str, str]  # of each channel, by its name


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file is a zip that is named .sal."""
    return head.startswith(ZIP_MAGIC) and path.suffix.lower() == ".sal"


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read the digital channels of a capture as a waveform; sample 0 is the first of the capture."""
    meta = _guarded(path, lambda archive: _read_meta(archive, path))
    rate = options.samplerate_hz or meta.samplerate_hz
    if rate is None:
        raise FormatError("tells no samplerate", where=path, remedy="give it with --samplerate")
    if not meta.members:
        raise FormatError("has no digital channels", where=path, remedy="record some")
    channels = chosen(list(meta.members), options.channels, path)
    remarks: list[str] = []

    def read_blocks() -> Iterator[Block]:
        remarks.clear()
        used = (1 << len(channels)) - 1
        try:
            with zipfile.ZipFile(path) as archive:
                sources = [_changes(archive, meta.members[name], bit, path) for bit, name in enumerate(channels)]
                yield from assembled(merged(sources), Assembler(used=used, unknown=used), remarks=remarks)
        except UNREADABLE as error:
            raise _damaged(path, error) from error

    return Waveform(
        samplerate_hz=rate,
        channels=channels,
        read=read_blocks,
        epoch=meta.epoch,
        source=f"Saleae capture {path.name}; its encoding is not documented: compare with an export",
        remarks=remarks,
    )


def _guarded(path: Path, work: Any) -> Any:
    try:
        with zipfile.ZipFile(path) as archive:
            return work(archive)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=path, remedy="check the file") from error
    except UNREADABLE as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> FormatError:
    return FormatError(f"is cut short or damaged ({error})", where=path, remedy="save it again")


def _read_meta(archive: zipfile.ZipFile, path: Path) -> _Meta:
    if archive.getinfo("meta.json").file_size > META_BYTES:
        raise FormatError("has a meta.json that is too large", where=path, remedy="save it again")
    try:
        meta = json.loads(archive.read("meta.json"))
        data = meta["data"]
        files = {
            int(entry.get("deviceChannel", entry.get("index"))): str(entry["file"]).removeprefix("./")
            for entry in meta["binData"]
            if entry["type"] == "Digital"
        }
        names = {}
        for row in data.get("rowsSettings", []):
            channel = row.get("channel") or {}
            if channel.get("type") == "Digital":
                names[channel.get("deviceChannel", channel.get("index"))] = str(row.get("name") or "")
        rate = data.get("legacySettings", {}).get("sampleRate", {}).get("digital")
        members: dict[str, str] = {}
        for number, file in sorted(files.items()):
            name = names.get(number) or f"Channel {number}"
            members[f"{name} ({number})" if name in members else name] = file
        return _Meta(Fraction(rate) if rate and rate > 0 else None, _epoch(data.get("captureStartTime")), members)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise FormatError(f"has a meta.json that cannot be understood ({error})", where=path, remedy=EXPORT) from error


def _epoch(start: Any) -> str:
    """ISO time of {"unixTimeMilliseconds": int, "fractionalMilliseconds": float}; "" where it is not told."""
    if not isinstance(start, dict) or not isinstance(start.get("unixTimeMilliseconds"), int):
        return ""
    microseconds = start["unixTimeMilliseconds"] * 1000 + round(float(start.get("fractionalMilliseconds") or 0) * 1000)
    return (
        datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(microseconds=microseconds)
    ).isoformat()


class _State(ctypes.Structure):
    """`runs::State` of the native crate."""

    _fields_ = (("position", c_int64), ("partial", c_int64), ("inside", c_uint32), ("reserved", c_uint32))


def _changes(archive: zipfile.ZipFile, member: str, bit: int, path: Path) -> Iterator[Changes]:
    """The transitions of one channel; a transition lies at the end of each run but a chunk's last one."""

    def refused(what: str) -> FormatError:
        return FormatError(f"{what} in {member}", where=path, remedy=EXPORT)

    mask, known_to, level = 1 << bit, 0, 0
    with archive.open(member) as file:
        head = file.read(HEADER_BYTES)
        if len(head) < HEADER_BYTES or not head.startswith(MAGIC):
            raise refused("there is no Saleae channel")
        _, version, kind = START.unpack(head[: START.size])
        if version not in VERSIONS or kind != DIGITAL:
            raise refused(f"version {version} of the undocumented encoding is not known,")
        first = True
        while header := file.read(CHUNK.size):
            if len(header) < CHUNK.size:
                raise refused("a chunk is cut short")
            start, end, level, size = CHUNK.unpack(header)
            if level > 1 or start != known_to or not start <= end < 2**62:
                raise refused("the chunks do not follow each other as they should")
            if end > start or first:
                yield changes(np.array([start]), mask, np.array([level << bit], dtype=np.uint64))
            first = False
            for ends in _ends(file, start, size, refused):
                levels = (level ^ (1 + np.arange(ends.size) & 1)).astype(np.uint64)
                level = int(levels[-1])
                known_to = int(ends[-1])
                inside = ends < end
                yield changes(ends[inside], mask, levels[inside] << np.uint64(bit))
            if size == 0:
                known_to = start
            if known_to != end:
                raise refused("the runs of a chunk do not fill it")
    one = np.array([mask], dtype=np.uint64)
    yield Changes(np.array([known_to]), one, np.zeros(1, dtype=np.uint64), one)


def _ends(file: IO[bytes], start: int, size: int, refused: Any) -> Iterator[NDArray[np.int64]]:
    """Ends of the runs of a chunk."""
    feed = native.kernel(
        "gpiorig_runs_feed", POINTER(_State), c_void_p, c_size_t, c_void_p, c_size_t, POINTER(c_size_t)
    )
    state, consumed = _State(position=start), c_size_t()
    while size:
        data = np.frombuffer(file.read(min(size, PIECE_BYTES)), dtype=np.uint8)
        if not data.size:
            raise refused("a chunk is cut short")
        size -= data.size
        ends = np.empty(data.size, dtype=np.int64)
        count = feed(
            *(ctypes.byref(state), data.ctypes.data, data.size, ends.ctypes.data, ends.size, ctypes.byref(consumed))
        )
        if count == NO_LENGTHS:
            raise refused("there are no run lengths")
        native.checked(count)
        if count:
            yield ends[:count]
    if state.inside:
        raise refused("a run length is cut short")
