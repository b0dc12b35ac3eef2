"""Saleae Logic 2's own capture file, `.sal`: a zip of `meta.json` and a `digital-N.bin` for each channel.

Saleae documents neither the encoding nor that it stays (`archive/sal_channel.py`).
"""

from __future__ import annotations

import datetime
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from gpiorig.capture.archive import sal_channel
from gpiorig.capture.edges.changes import Assembler, Changes, assembled, merged
from gpiorig.capture.edges.read_options import ReadOptions, chosen
from gpiorig.capture.edges.waveform import Block, RateOrigin, Waveform
from gpiorig.capture.errors import FormatError
from gpiorig.capture.numbers import samplerate

SUMMARY = "Saleae Logic 2 capture"
RECORDER = "saleae"
SUFFIXES = (".sal",)
ZIP_MAGIC = b"PK\x03\x04"
META_BYTES = 1 << 26
EXPORT = "open it in Logic 2 and export: File > Export Data, as Binary or CSV"
# What zipfile raises on damage; ValueError: also of names that are not UTF-8, and of offsets beyond 64 bits.
UNREADABLE: tuple[type[Exception], ...] = (  # OSError: what bz2 raises for its data
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    NotImplementedError,
    RuntimeError,
)
UNREADABLE += (KeyError, ValueError, OverflowError, struct.error)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Meta:
    samplerates_hz: set[Fraction]  # all that the file names
    epoch: str
    members: dict[str, str]  # of each channel, by its name


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file is a zip that is named .sal."""
    return head.startswith(ZIP_MAGIC) and path.suffix.lower() == ".sal"


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read the digital channels of a capture as a waveform; sample 0 is the first of the capture."""
    meta = _guarded(path, lambda archive: _read_meta(archive, path))
    if not meta.members:
        raise FormatError("has no digital channels", where=path, remedy="record some")
    channels = chosen(list(meta.members), options.channels, path)
    rate = options.samplerate_hz or _guarded(path, lambda archive: _samplerate(archive, meta, channels, path))
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
        rate_origin=RateOrigin.OPTION if options.samplerate_hz else RateOrigin.FILE,
        recorder=RECORDER,
    )


def _guarded(path: Path, work: Callable[[zipfile.ZipFile], Result]) -> Result:
    try:
        with zipfile.ZipFile(path) as archive:
            return work(archive)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", where=path, remedy="check the file") from error
    except UNREADABLE as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> FormatError:
    # zipfile's own words repeat names from the file, whatever is in them.
    why = "".join(character if character.isprintable() else "?" for character in str(error)[:80])
    return FormatError(f"is cut short or damaged ({why})", where=path, remedy="save it again")


def _read_meta(archive: zipfile.ZipFile, path: Path) -> _Meta:
    if archive.getinfo("meta.json").file_size > META_BYTES:
        raise FormatError("has a meta.json that is too large", where=path, remedy="save it again")
    try:
        meta = json.loads(archive.read("meta.json"))
        data = meta.get("data") or meta["session"]  # the oldest ones
        rows = data.get("rowsSettings") or data.get("channelSettings") or []
        files = {
            int(entry.get("deviceChannel", entry.get("index"))): str(entry["file"]).removeprefix("./")
            for entry in meta["binData"]
            if entry["type"] == "Digital"
        }
        names = {}
        for row in rows:
            channel = row.get("channel") or row
            if channel.get("type") == "Digital":
                names[channel.get("deviceChannel", channel.get("index"))] = str(row.get("name") or "")
        settings = [data.get("legacySettings"), _inside(data, "captureSettings", "connectedDevice", "settings")]
        rates = [_inside(entry, "sampleRate", "digital") for entry in settings]
        started = data.get("captureStartTime") or _inside(meta, "rapidDataStore", "captureStartTime")
        members: dict[str, str] = {}
        for number, file in sorted(files.items()):
            name = names.get(number) or f"Channel {number}"
            members[f"{name} ({number})" if name in members else name] = file
        return _Meta({samplerate(rate, where=path) for rate in rates if rate}, _epoch(started), members)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise FormatError(
            f"has a meta.json that cannot be understood ({str(error)[:80]})", where=path, remedy=EXPORT
        ) from error


def _inside(value: Any, *keys: str) -> Any:
    """The value under these keys; None where one of them is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _samplerate(archive: zipfile.ZipFile, meta: _Meta, channels: tuple[str, ...], path: Path) -> Fraction:
    """The rate that the channels name and `meta.json` does not contradict."""
    rates = set(meta.samplerates_hz)
    for name in channels:
        with archive.open(meta.members[name]) as file:
            rate = sal_channel.read_header(file, _refusal(path, meta.members[name])).samplerate_hz
        rates |= {samplerate(rate, where=path)} if rate else set()
    if len(rates) > 1:
        shown = " and ".join(f"{float(rate):.12g}" for rate in sorted(rates))
        raise FormatError(
            f"contains several samplerates: {shown} Hz",
            where=path,
            remedy=f"give one, for instance --samplerate {max(rates)}Hz",
        )
    if not rates:
        raise FormatError("contains no samplerate", where=path, remedy="give it, for instance --samplerate 24MHz")
    return rates.pop()


def _refusal(path: Path, member: str) -> sal_channel.Refusal:
    return lambda what: FormatError(f"{what} in {member}", where=path, remedy=EXPORT)


def _changes(archive: zipfile.ZipFile, member: str, bit: int, path: Path) -> Iterator[Changes]:
    with archive.open(member) as file:
        yield from sal_channel.read(file, bit, _refusal(path, member))


def _epoch(start: Any) -> str:
    """ISO time of {"unixTimeMilliseconds": int, "fractionalMilliseconds": float}; "" where it is missing."""
    if not isinstance(start, dict) or not isinstance(start.get("unixTimeMilliseconds"), int):
        return ""
    microseconds = start["unixTimeMilliseconds"] * 1000 + round(float(start.get("fractionalMilliseconds") or 0) * 1000)
    return (
        datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(microseconds=microseconds)
    ).isoformat()
