"""sigrok session files (.sr): reading into edges, and writing edges for sigrok-cli and PulseView.

A .sr is a zip of `version`, `metadata` and the samples, cut into `logic-1-1`, `logic-1-2`, ... sigrok-cli accepts
damaged ones in silence (it exits with status 0); this reader does not.
"""

from __future__ import annotations

import configparser
import dataclasses
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.chunks import Chunk, ChunkedStream
from gpiorig.capture.edges import MAX_CHANNELS, Edges
from gpiorig.capture.errors import CaptureError, FormatError
from gpiorig.capture.formats import ReadOptions
from gpiorig.capture.members import MemberDeflater
from gpiorig.capture.numbers import parse_samplerate
from gpiorig.capture.replacing import replacing
from gpiorig.capture.survey import some, survey
from gpiorig.capture.waveform import Waveform, waveform_of
from gpiorig.capture.ziparchive import DEFLATED, STORED, ArchiveWriter, DirectoryError, Member, read_directory, walk
from gpiorig.capture.ziparchive import content as member_content

VERSIONS = ("1", "2")
CHUNK_BYTES = 4 << 20  # what libsigrok reads at once
TOOLKIT = "0.5.2"  # libsigrok whose format is written
SUMMARY = "sigrok session file"
SUFFIXES = (".sr",)
ZIP_MAGIC = b"PK\x03\x04"
MAX_CHUNKS = 1 << 20  # a number beyond is damage itself
VERSION, METADATA = "version", "metadata"
THREADED_BYTES = 8 << 20  # compressed bytes from which on more than one thread inflates
MAX_THREADS = 4  # the reader of the edges does not keep up with more


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
        The pieces of the stream of samples, in order.
    remarks
        What was left out or guessed to read on past damage.
    """

    samplerate_hz: Fraction | None
    channels: tuple[str, ...]
    unitsize: int
    chunks: tuple[Chunk, ...]
    remarks: tuple[str, ...] = ()

    @property
    def used(self) -> int:
        """Mask of the channels in use."""
        return sum(1 << bit for bit, name in enumerate(self.channels) if name)

    @property
    def samples(self) -> int:
        """Samples of the capture."""
        return self.chunks[-1].end // self.unitsize


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file is a .sr file."""
    return head.startswith(ZIP_MAGIC) and path.suffix != ".sal"


def read(path: Path, options: ReadOptions, *, threads: int | None = None) -> Waveform:
    """Read a .sr file as a waveform.

    Its blocks raise FormatError where a chunk is damaged, with the samples that are lost; with `options.recover` these
    are gaps, and remarks say what is not certain.

    Parameters
    ----------
    path
        The file.
    options
        `samplerate_hz` takes precedence over what the file says.
    threads
        Threads that inflate; None: as many as are worth it.

    Raises
    ------
    FormatError
        It is cut short, no sigrok session, or tells no samplerate.
    """
    info = read_info(path, recover=options.recover)
    rate = options.samplerate_hz or info.samplerate_hz
    if not rate:
        raise FormatError("has no samplerate", where=path, remedy="give it, for instance --samplerate 24MHz")
    if threads is None:
        size = sum(chunk.member.compressed for chunk in info.chunks if chunk.member)
        threads = min(MAX_THREADS, len(os.sched_getaffinity(0))) if size >= THREADED_BYTES else 1
    stream = ChunkedStream(
        path=path,
        chunks=info.chunks,
        unitsize=info.unitsize,
        used=info.used,
        recover=options.recover,
        threads=threads,
    )
    source = f"sigrok session {path.name}"
    return Waveform(
        samplerate_hz=rate, channels=info.channels, read=stream.blocks, source=source, remarks=list(info.remarks)
    )


def format_samplerate(samplerate_hz: Fraction) -> str:
    """Return a samplerate in Hz as sigrok writes it; sigrok knows whole Hz only."""
    if samplerate_hz.denominator != 1:
        raise FormatError(f"{samplerate_hz} Hz cannot be written to a .sr file", remedy="a whole number of Hz can")
    for prefix, factor in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if samplerate_hz % factor == 0:
            return f"{samplerate_hz // factor} {prefix}Hz"
    return f"{samplerate_hz} Hz"


def read_sr(path: Path, *, samplerate_hz: Fraction | None = None) -> Edges:
    """Read all edges of a .sr file into memory; as `read`."""
    return read(path, ReadOptions(samplerate_hz=samplerate_hz)).edges()


def read_info(path: Path, *, recover: bool = False) -> SrInfo:
    """Read only the metadata of a .sr file.

    Parameters
    ----------
    path
        The file.
    recover
        Accept missing and damaged chunks, and a file that was cut short and has lost its directory. All of it is read.

    Raises
    ------
    FormatError
        It is cut short, damaged, or no sigrok session.
    """
    remarks: list[str] = []
    try:
        with path.open("rb") as file:
            try:
                members = read_directory(file)
            except DirectoryError as error:
                if not recover:
                    raise
                members = list(walk(file))
                remarks.append(f"there is no directory of the chunks ({error}): they are read as far as they follow")
            small = {member.name: member for member in members if member.name in (VERSION, METADATA)}
            texts = {name: member_content(file, member).decode(errors="replace") for name, member in small.items()}
            if not {VERSION, METADATA} <= set(texts):
                raise FormatError("is a zip file, but no sigrok session", where=path, remedy="give a .sr file")
            if texts[VERSION].strip() not in VERSIONS:
                what = f"has session format {texts[VERSION].strip()[:20]!r}"
                raise FormatError(what, where=path, remedy="formats 1 and 2 are supported")
            info, base = _described(texts[METADATA], path)
            numbered = _numbered(members, base, path, remarks if recover else None)
            if not recover:
                return dataclasses.replace(info, chunks=tuple(_chunks(numbered, base, info.unitsize, path)))
            found = survey(file, numbered, unitsize=info.unitsize, walked=bool(remarks))
    except FileNotFoundError as error:
        raise FormatError("there is no such file", where=path, remedy="check the name") from error
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=path, remedy="check the file") from error
    except DirectoryError as error:
        raise FormatError(
            f"is cut short, damaged, or no sigrok session ({error})",
            where=path,
            remedy="save it again; `--recover` reads it as far as it goes",
        ) from error
    if not found.chunks:
        raise FormatError("has no chunk with samples that is left", where=path, remedy="record it again")
    return dataclasses.replace(info, chunks=found.chunks, remarks=(*remarks, *found.remarks))


def write(path: Path, content: Waveform, *, start: int | None = None, end: int | None = None) -> str:
    """Write a waveform, or a window of it, as a .sr file, in memory that does not grow with its length.

    Parameters
    ----------
    path
        The file; replaced in one step when it is complete.
    content
        Without lost samples in the window, since a .sr file cannot say that some are missing.
    start, end
        The window, in samples: sample 0 of the file is `start`. None: as far as the waveform goes.

    Returns
    -------
    str
        What was rounded: nothing, but the file begins at 0.

    Raises
    ------
    CaptureError
        There are no channels, samples of the window are lost, or it is empty.
    """
    if not any(content.channels):
        raise CaptureError("there are no channels to write", where=path, remedy="export a capture that has some")
    unitsize = (len(content.channels) + 7) // 8
    deflater = MemberDeflater(unitsize=unitsize)
    metadata = _metadata(content, unitsize).encode()
    first = last = 0
    with replacing(path) as new, new.open("wb") as file:
        archive = ArchiveWriter(file)
        for name, text in ((VERSION, b"2"), (METADATA, metadata)):
            archive.add(name, text, method=STORED, crc=zlib.crc32(text), size=len(text))
        windows = _windows(content, start, end, CHUNK_BYTES // unitsize, path)
        for number, (samples, levels, chunk_start, chunk_end) in enumerate(windows, start=1):
            data, crc = deflater.deflate(samples, levels, chunk_start, chunk_end)
            size = (chunk_end - chunk_start) * unitsize
            archive.add(f"logic-1-{number}", data, method=DEFLATED, crc=crc, size=size)
            first, last = chunk_start if number == 1 else first, chunk_end
        if first == last:
            raise CaptureError("there are no samples to write", where=path, remedy="choose another window")
        archive.close()
    return f"nothing is rounded; sample 0 of the file is sample {first} of the capture"


def write_sr(path: Path, edges: Edges) -> None:
    """Write edges that are in memory; as `write`."""
    write(path, waveform_of(edges))


def _metadata(content: Waveform, unitsize: int) -> str:
    names = [f"probe{bit}={name}" for bit, name in enumerate(content.channels, start=1) if name]
    lines = [
        "[global]",
        f"sigrok version={TOOLKIT}",
        "",
        "[device 1]",
        "capturefile=logic-1",
        f"total probes={len(content.channels)}",
        f"samplerate={format_samplerate(content.samplerate_hz)}",
        "total analog=0",
        *names,
        f"unitsize={unitsize}",
        "",
    ]
    return "\n".join(lines)


def _windows(
    content: Waveform, start: int | None, end: int | None, step: int, path: Path
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64], int, int]]:
    """Yield (samples, levels, start, end) of each chunk; the first edge tells the levels at its start."""
    at = start
    samples, levels = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint64)
    known = 0
    for block in content.read():
        samples, levels = np.append(samples, block.samples), np.append(levels, block.levels)
        if not samples.size:
            continue
        at = int(samples[0]) if at is None else max(at, int(samples[0]))
        known = block.end if end is None else min(block.end, end)
        for gap_start, gap_end in block.gaps.tolist():
            if gap_end > at and (end is None or gap_start < end):
                what = f"samples {gap_start} to {gap_end} are lost, which a .sr file cannot say"
                raise CaptureError(what, where=path, remedy="export a window before or after the gap")
        while at + step <= known:
            yield *_rows(samples, levels, at, at + step), at, at + step
            at += step
        keep = max(int(np.searchsorted(samples, at, side="right")) - 1, 0)
        samples, levels = samples[keep:], levels[keep:]
        if known == end:
            break
    if at is not None and at < known:
        yield *_rows(samples, levels, at, known), at, known


def _rows(
    samples: NDArray[np.int64], levels: NDArray[np.uint64], start: int, end: int
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    first = int(np.searchsorted(samples, start, side="right")) - 1
    last = int(np.searchsorted(samples, end))
    return samples[first:last], levels[first:last]


def _described(metadata: str, path: Path) -> tuple[SrInfo, str]:
    """What the metadata say, without the chunks, and what the names of these begin with."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        # An indented line is a key of its own for GKeyFile, sigrok's parser; configparser joins it to the one before.
        parser.read_string("\n".join(line.strip() for line in metadata.splitlines()))
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
    info = SrInfo(
        samplerate_hz=(parse_samplerate(rate) or None) if rate else None,
        channels=tuple(names.get(number, "") for number in range(1, min(total, MAX_CHANNELS) + 1)),
        unitsize=unitsize,
        chunks=(),
    )
    return info, base


def _numbered(members: Iterable[Member], base: str, path: Path, remarks: list[str] | None) -> list[tuple[int, Member]]:
    """Return the members with samples and their numbers, in any order.

    A name that is of nothing in a session is damaged: an error, or a line in `remarks`.
    """
    numbered, strange = [], []
    for member in members:
        stem, _, number = member.name.rpartition("-")
        if member.name == base:  # format 1
            return [(1, member)]
        if stem == base and re.fullmatch(r"[1-9][0-9]{0,6}", number) and int(number) <= MAX_CHUNKS:
            numbered.append((int(number), member))
        elif member.name not in (VERSION, METADATA) and not member.name.startswith("analog-"):
            strange.append(member.name)
    if strange and remarks is None:
        what = f"has members that are not of a session: {some(strange)}"
        raise FormatError(what, where=path, remedy="the file is damaged: save it again; `--recover` leaves them out")
    if strange and remarks is not None:
        remarks.append(f"members whose names are not of a session are left out: {some(strange)}")
    return numbered


def _chunks(numbered: list[tuple[int, Member]], base: str, unitsize: int, path: Path) -> Iterator[Chunk]:
    """Yield the chunks in order."""
    start = 0
    for expected, (number, member) in enumerate(sorted(numbered, key=itemgetter(0)) or [(0, None)], start=1):
        if number != expected or member is None:
            twice = 0 < number < expected
            what = f"the chunk {base}-{number} comes twice" if twice else f"the chunk {base}-{expected} is missing"
            what += f": the samples from {start // unitsize} on are lost"
            raise FormatError(what, where=path, remedy="the file is damaged; the rest can be read with `--recover`")
        if member.method not in (STORED, DEFLATED):
            what = f"the chunk {member.name} is compressed by method {member.method}"
            raise FormatError(what, where=path, remedy="stored and deflated chunks can be read: save it again")
        yield Chunk(start, start + member.size, member)
        start += member.size
    if cut := start % unitsize:
        what = f"ends with {cut} bytes of a {unitsize}-byte sample"
        raise FormatError(what, where=path, remedy="the file is damaged: save it again")
