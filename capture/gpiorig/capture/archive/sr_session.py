"""The metadata of a sigrok session file (.sr), and where its samples are.

A .sr is a zip of `version`, `metadata` and the samples, cut into `logic-1-1`, `logic-1-2`, ...
"""

from __future__ import annotations

import configparser
import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from pathlib import Path

from gpiorig.capture.archive.chunks import Chunk
from gpiorig.capture.archive.salvage import some, survey
from gpiorig.capture.archive.zip_archive import (
    DEFLATED,
    LOCAL_MAGIC,
    STORED,
    DirectoryError,
    Member,
    content,
    read_directory,
    walk,
)
from gpiorig.capture.edges.edges import MAX_CHANNELS
from gpiorig.capture.errors import FormatError
from gpiorig.capture.numbers import integer, parse_samplerate

VERSIONS = ("1", "2")
VERSION, METADATA = "version", "metadata"
NOTE = "gpiorig"  # key of the section `global`, of files that we wrote
MAX_CHUNKS = 1 << 20  # a number beyond is damage itself


@dataclass(frozen=True, slots=True)
class SrInfo:
    """The metadata of a .sr file.

    Attributes
    ----------
    samplerate_hz
        Samples per second; None when the file does not state it.
    channels
        Channel names, bit 0 first; "" for a channel that was disabled.
    unitsize
        Bytes per sample.
    chunks
        The blocks of the stream of samples, in order.
    remarks
        What was omitted or guessed to read on past damage.
    note
        Ours on all of it; "" in third-party files.
    """

    samplerate_hz: Fraction | None
    channels: tuple[str, ...]
    unitsize: int
    chunks: tuple[Chunk, ...]
    remarks: tuple[str, ...] = ()
    note: str = ""

    @property
    def used(self) -> int:
        """Mask of the channels in use."""
        return sum(1 << bit for bit, name in enumerate(self.channels) if name)

    @property
    def samples(self) -> int:
        """Samples of the capture."""
        return self.chunks[-1].end // self.unitsize


def read_info(path: Path, *, recover: bool = False, as_sigrok: bool = False) -> SrInfo:
    """Read only the metadata of a .sr file.

    Parameters
    ----------
    path
        The file.
    recover
        Accept missing and damaged chunks, and a file that was cut short and has lost its directory. All of it is read.
    as_sigrok
        As of `ReadOptions`.

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
                remarks.append(f"the directory of the chunks is missing ({error}): they are read as far as they follow")
            small = {member.name: member for member in members if member.name in (VERSION, METADATA)}
            texts = {name: content(file, member).decode(errors="replace") for name, member in small.items()}
            if not {VERSION, METADATA} <= set(texts):
                raise FormatError("is a zip file, but no sigrok session", where=path, remedy="give a .sr file")
            if texts[VERSION].strip() not in VERSIONS:
                problem = f"has session format {texts[VERSION].strip()[:20]!r}"
                raise FormatError(problem, where=path, remedy="formats 1 and 2 are supported")
            info, base = _described(texts[METADATA], path, as_sigrok=as_sigrok)
            numbered = _numbered(members, base, path, remarks if recover else None)
            if not recover:
                return dataclasses.replace(info, chunks=tuple(_chunks(numbered, base, info.unitsize, path)))
            outcome = survey(file, numbered, unitsize=info.unitsize, walked=bool(remarks))
    except FileNotFoundError as error:
        raise FormatError("there is no such file", where=path, remedy="check the name") from error
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=path, remedy="check the file") from error
    except DirectoryError as error:
        remedy = "give a .sr file"
        if _is_zip(path):
            remedy = "save it again; --recover reads it as far as it goes"
        raise FormatError(
            f"is cut short, damaged, or no sigrok session ({error})", where=path, remedy=remedy
        ) from error
    if not outcome.chunks:
        raise FormatError("has no chunk with samples that is left", where=path, remedy="record it again")
    return dataclasses.replace(info, chunks=outcome.chunks, remarks=(*info.remarks, *remarks, *outcome.remarks))


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(LOCAL_MAGIC)) == LOCAL_MAGIC


def _described(metadata: str, path: Path, *, as_sigrok: bool) -> tuple[SrInfo, str]:
    """The metadata, without the chunks, and what the names of these begin with."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        # An indented line is a key of its own for GKeyFile, sigrok's parser; configparser joins it to the one before.
        parser.read_string("\n".join(line.strip() for line in metadata.splitlines()))
        device = parser["device 1"]
        unitsize, total = (_integer(device, key) for key in ("unitsize", "total probes"))
        probes = ((integer(key[5:]), text) for key, text in device.items() if key.startswith("probe"))
        names: dict[int, str] = {}
        for number, text in probes:
            if number is not None:  # sigrok's channels are known by their numbers, ours by their names
                names[number] = f"{text}#{number}" if text in names.values() else text
        base = device["capturefile"]
    except (configparser.Error, KeyError, ValueError) as error:
        problem = f"has no logic channels that can be understood ({' '.join(str(error).split())[:200]})"
        raise FormatError(problem, where=path, remedy="save it again with logic channels") from error
    bits, highest = 8 * unitsize, min(max(total, 1), MAX_CHANNELS)
    if not 1 <= unitsize <= 8 or not names or max(names) > (highest if as_sigrok else min(highest, bits)):
        problem = f"has {total} channels in {unitsize} bytes per sample"
        raise FormatError(problem, where=path, remedy=f"at most {MAX_CHANNELS} channels, 8 in a byte, are supported")
    channels = [names.get(number, str(number - 1) if as_sigrok else "") for number in range(1, min(total, highest) + 1)]
    omitted = channels[bits:] if as_sigrok else []
    rate = device.get("samplerate", "").strip()
    info = SrInfo(
        samplerate_hz=(parse_samplerate(rate, where=path) or None) if rate else None,
        channels=tuple(channels[:bits] if as_sigrok else channels),
        unitsize=unitsize,
        chunks=(),
        remarks=(f"channels that have no bit in a sample are omitted: {some(omitted)}",) if omitted else (),
        note=parser.get("global", NOTE, fallback=""),
    )
    return info, base


def _integer(device: Mapping[str, str], key: str) -> int:
    value = integer(device[key].strip())
    if value is None:
        raise ValueError(f"{key!r} is not an integer")
    return value


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
            strange.append(member.shown)
    if strange and remarks is None:
        problem = f"has members that are not of a session: {some(strange)}"
        raise FormatError(problem, where=path, remedy="the file is damaged: save it again; `--recover` omits them")
    if strange and remarks is not None:
        remarks.append(f"members whose names are not of a session are omitted: {some(strange)}")
    return numbered


def _chunks(numbered: list[tuple[int, Member]], base: str, unitsize: int, path: Path) -> Iterator[Chunk]:
    """Yield the chunks in order."""
    start = 0
    for expected, (number, member) in enumerate(sorted(numbered, key=itemgetter(0)) or [(0, None)], start=1):
        if number != expected or member is None:
            twice = 0 < number < expected
            problem = f"the chunk {base}-{number} comes twice" if twice else f"the chunk {base}-{expected} is missing"
            problem += f": the samples from {start // unitsize} on are lost"
            raise FormatError(problem, where=path, remedy="the file is damaged; the rest can be read with `--recover`")
        if member.method not in (STORED, DEFLATED):
            problem = f"the chunk {member.shown} is compressed by method {member.method}"
            raise FormatError(problem, where=path, remedy="stored and deflated chunks can be read: save it again")
        yield Chunk(start, start + member.size, member)
        start += member.size
    if cut := start % unitsize:
        problem = f"ends with {cut} bytes of a {unitsize}-byte sample"
        raise FormatError(problem, where=path, remedy="the file is damaged: save it again")
