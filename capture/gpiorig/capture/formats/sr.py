"""sigrok session files (.sr): reading into edges, and writing edges for sigrok-cli and PulseView.

A .sr is a zip of `version`, `metadata` and the samples, cut into `logic-1-1`, `logic-1-2`, ... sigrok-cli accepts
damaged ones in silence (it exits with status 0); this reader does not.
"""

from __future__ import annotations

import configparser
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from gpiorig.capture.edges import MAX_CHANNELS, Edges
from gpiorig.capture.errors import CaptureError, FormatError
from gpiorig.capture.formats import ReadOptions
from gpiorig.capture.samples import EdgeExtractor
from gpiorig.capture.waveform import Waveform, waveform_of

VERSIONS = ("1", "2")
CHUNK_BYTES = 4 << 20  # what libsigrok reads at once; one chunk is in memory at a time
PREFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}  # sigrok writes "2 mHz" for 2 MHz, and never means milli
TOOLKIT = "0.5.2"  # libsigrok whose format is written
COMPRESS_LEVEL = 1
SUMMARY = "sigrok session file"
SUFFIXES = (".sr",)
ZIP_MAGIC = b"PK\x03\x04"
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True, slots=True)
class SrInfo:
    """What the metadata of a .sr file say.

    Attributes
    ----------
    samplerate_hz
        Samples per second; None when the file does not tell.
    channels
        Channel names, bit 0 first; "" for a channel that was disabled.
    unitsize
        Bytes per sample.
    chunks
        Names of the members with samples, in order.
    """

    samplerate_hz: Fraction | None
    channels: tuple[str, ...]
    unitsize: int
    chunks: tuple[str, ...]


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file is a .sr file."""
    return head.startswith(ZIP_MAGIC) and path.suffix != ".sal"


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read a .sr file as a waveform."""
    return waveform_of(read_sr(path, samplerate_hz=options.samplerate_hz), source=f"sigrok session {path.name}")


def parse_samplerate(text: str) -> Fraction:
    """Return the samplerate, in Hz, that sigrok wrote as "24 MHz", "1.515151 MHz", "1MHz" or "2 mHz".

    Parameters
    ----------
    text
        A number, a prefix, a unit.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kKmMgG]?)(?:[hH][zZ])?\s*", text)
    if match is None:
        raise FormatError(f"{text!r} is not a samplerate", remedy='a valid one: "24 MHz"')
    return Fraction(match[1]) * PREFIXES[match[2].lower()]


def format_samplerate(samplerate_hz: Fraction) -> str:
    """Return a samplerate in Hz as sigrok writes it; sigrok knows whole Hz only."""
    if samplerate_hz.denominator != 1:
        raise FormatError(f"{samplerate_hz} Hz cannot be written to a .sr file", remedy="a whole number of Hz can")
    for prefix, factor in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if samplerate_hz % factor == 0:
            return f"{samplerate_hz // factor} {prefix}Hz"
    return f"{samplerate_hz} Hz"


def read_sr(path: Path, *, samplerate_hz: Fraction | None = None) -> Edges:
    """Read a .sr file, in the memory of one chunk and the edges.

    Parameters
    ----------
    path
        The file.
    samplerate_hz
        Samples per second, for a file that does not tell; takes precedence.

    Raises
    ------
    FormatError
        It is cut short, damaged, incomplete, or tells no samplerate.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            info = _read_info(archive, path)
            rate = samplerate_hz or info.samplerate_hz
            if not rate:
                raise FormatError("has no samplerate", where=path, remedy="give it, for instance --samplerate 24MHz")
            used = sum(1 << bit for bit, name in enumerate(info.channels) if name)
            extractor = EdgeExtractor(unitsize=info.unitsize, used=used)
            rows = [extractor.feed(data) for data in _read_chunks(archive, info.chunks)]
    except FileNotFoundError as error:
        raise FormatError("there is no such file", where=path, remedy="check the name") from error
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=path, remedy="check the file") from error
    except UNREADABLE as error:
        raise FormatError(
            f"is cut short, damaged, or no sigrok session ({error})",
            where=path,
            remedy="save it again; `zip -FF` may rescue whole chunks of a file that was cut short",
        ) from error
    if extractor.tail_bytes:
        what = f"ends with {extractor.tail_bytes} bytes of a {info.unitsize}-byte sample"
        raise FormatError(what, where=path, remedy="the file is damaged: save it again")
    return Edges.from_blocks(rows, samplerate_hz=rate, channels=info.channels, end=extractor.samples_seen)


def read_info(path: Path) -> SrInfo:
    """Read only the metadata of a .sr file."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _read_info(archive, path)
    except (OSError, *UNREADABLE) as error:
        raise FormatError(f"is no readable sigrok session ({error})", where=path, remedy="check the file") from error


def write(path: Path, waveform: Waveform) -> str:
    """Write a waveform; returns what was rounded."""
    edges = waveform.edges()
    write_sr(path, edges)
    return f"samples are exact, sample 0 of the file is sample {edges.start}"


def write_sr(path: Path, edges: Edges) -> None:
    """Write edges, or a window of them, as a .sr file; sample 0 of the file is `edges.start`.

    Parameters
    ----------
    path
        The file; replaced in one step when it is complete.
    edges
        Without gaps, since a .sr file cannot say that samples are missing.
    """
    if edges.gaps.size:
        gap = edges.gaps[0]
        raise CaptureError(
            f"samples {gap[0]} to {gap[1]} are lost, which a .sr file cannot say",
            where=path,
            remedy="export a window before or after the gap",
        )
    if not any(edges.channels):
        raise CaptureError("there are no channels to write", where=path, remedy="export a capture that has some")
    unitsize = (len(edges.channels) + 7) // 8
    names = [f"probe{bit}={name}" for bit, name in enumerate(edges.channels, start=1) if name]
    metadata = [
        "[global]",
        f"sigrok version={TOOLKIT}",
        "",
        "[device 1]",
        "capturefile=logic-1",
        f"total probes={len(edges.channels)}",
        f"samplerate={format_samplerate(edges.samplerate_hz)}",
        "total analog=0",
        *names,
        f"unitsize={unitsize}",
        "",
    ]
    new = path.with_name(f"{path.name}.new")
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESS_LEVEL) as archive:
        archive.writestr(zipfile.ZipInfo("version"), "2")
        archive.writestr(zipfile.ZipInfo("metadata"), "\n".join(metadata))
        for number, chunk in enumerate(_chunks(edges, unitsize), start=1):
            member = zipfile.ZipInfo(f"logic-1-{number}")  # without a date, so that equal edges give equal files
            archive.writestr(member, chunk, zipfile.ZIP_DEFLATED, COMPRESS_LEVEL)
    new.replace(path)


def _chunks(edges: Edges, unitsize: int) -> Iterator[bytes]:
    """Yield the samples, chunk by chunk."""
    step = CHUNK_BYTES // unitsize
    for start in range(edges.start, edges.end, step):
        end = min(start + step, edges.end)
        first = int(np.searchsorted(edges.samples, start, side="right")) - 1
        last = int(np.searchsorted(edges.samples, end))
        bounds = np.append(edges.samples[first:last], end)
        bounds[0] = start
        little = edges.levels[first:last].astype("<u8").view(np.uint8).reshape(-1, 8)[:, :unitsize]
        units = np.ascontiguousarray(little).view(f"V{unitsize}").reshape(-1)
        yield np.repeat(units, np.diff(bounds)).tobytes()


def _read_chunks(archive: zipfile.ZipFile, names: tuple[str, ...]) -> Iterator[bytes]:
    for name in names:
        with archive.open(name) as member:  # checks the CRC at the member's end
            while data := member.read(CHUNK_BYTES):
                yield data


def _read_info(archive: zipfile.ZipFile, path: Path) -> SrInfo:
    members = set(archive.namelist())
    if not {"version", "metadata"} <= members:
        raise FormatError("is a zip file, but no sigrok session", where=path, remedy="give a .sr file")
    version = archive.read("version").decode(errors="replace").strip()
    if version not in VERSIONS:
        raise FormatError(f"has session format {version!r}", where=path, remedy="formats 1 and 2 are supported")
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(archive.read("metadata").decode())
        device = parser["device 1"]
        unitsize = int(device["unitsize"])
        total = int(device["total probes"])
        names = {int(key[5:]): text for key, text in device.items() if re.fullmatch(r"probe\d+", key)}
        base = device["capturefile"]
    except (configparser.Error, KeyError, ValueError) as error:
        what = f"has no logic channels that can be understood ({error})"
        raise FormatError(what, where=path, remedy="save it again with logic channels") from error
    if not 1 <= unitsize <= 8 or not names or max(names) > min(max(total, 1), MAX_CHANNELS):
        what = f"has {total} channels in {unitsize} bytes per sample"
        raise FormatError(what, where=path, remedy=f"at most {MAX_CHANNELS} channels are supported")
    rate = device.get("samplerate", "").strip()
    return SrInfo(
        samplerate_hz=(parse_samplerate(rate) or None) if rate else None,
        channels=tuple(names.get(number, "") for number in range(1, min(total, MAX_CHANNELS) + 1)),
        unitsize=unitsize,
        chunks=_chunk_names(members, base, path),
    )


def _chunk_names(members: set[str], base: str, path: Path) -> tuple[str, ...]:
    if base in members:
        return (base,)  # format 1
    found = (re.fullmatch(re.escape(base) + r"-(\d+)", name) for name in members)
    numbers = sorted(int(match[1]) for match in found if match)
    missing = sorted(set(range(1, numbers[-1] + 1)) - set(numbers)) if numbers else [1]
    if missing:
        what = f"the chunk {base}-{missing[0]} is missing"
        raise FormatError(what, where=path, remedy="the file is damaged: save it again")
    return tuple(f"{base}-{number}" for number in numbers)
