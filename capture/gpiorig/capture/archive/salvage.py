"""Survey of a damaged archive of chunks: the complete ones, and their places in the stream.

A chunk has its length up to three times: in the directory, in the local header, and by what its data inflate to.
A complete one has a right CRC, and its length is the one that was inflated. For one that is lost, two that agree
are believed, and a single one where most of the others are as long; otherwise its length is a guess, with a
remark.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from gpiorig.capture.archive.chunk_reader import ChunkReader, Cut, Damaged
from gpiorig.capture.archive.chunks import Chunk
from gpiorig.capture.archive.zip_archive import LocalHeader, Member, local_header


@dataclass(frozen=True, slots=True)
class Survey:
    """Result of a survey.

    Attributes
    ----------
    chunks
        In order, without holes between them; those that are lost have no member.
    remarks
        What was omitted, and what is a guess, as text.
    """

    chunks: tuple[Chunk, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Finding:
    """A chunk that is complete, or None, and the lengths it has."""

    member: Member | None
    sizes: list[int]


def survey(file: BinaryIO, numbered: Sequence[tuple[int, Member]], *, unitsize: int, walked: bool) -> Survey:
    """Read all chunks once, and place them.

    Parameters
    ----------
    file
        The archive.
    numbered
        Members with samples, and the number in the name of each; a number may come twice.
    unitsize
        Bytes per sample.
    walked
        The members are known from their local headers, not from a directory; the last one may be cut short.
    """
    reader = ChunkReader(file.fileno(), unitsize=unitsize, used=0)
    headers = [(number, member, local_header(file, member.offset)) for number, member in numbered]
    findings: dict[int, _Finding] = {}
    strange = []
    for number, member, header in sorted(headers, key=lambda entry: entry[2] is None):
        if number in findings or (header and header.member.encoded != member.encoded):
            strange.append(member.shown)
        else:
            findings[number] = _examine(reader, member, None if walked else header, may_be_cut=walked)
    sizes = Counter(finding.sizes[0] for finding in findings.values())
    usual = sizes.most_common(1)[0][0] if sizes else 0
    unsure: list[int] = []
    chunks = tuple(_placed(findings, usual, unsure))
    remarks = []
    if strange:
        what = "of a name that another has, or that is not in the header of the data"
        remarks.append(f"members {what}, are omitted: {some(strange)}")
    if unsure:
        remarks.append(
            f"it is not certain how long the chunks {some([str(number) for number in unsure])} were, which are "
            f"missing or damaged: each counts as {usual // unitsize} samples, as most have; "
            f"the numbers of the samples after chunk {unsure[0]} are a guess"
        )
    return Survey(chunks, tuple(remarks))


def some(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _examine(reader: ChunkReader, member: Member, header: LocalHeader | None, *, may_be_cut: bool) -> _Finding:
    entries = [member, *([header.member] if header and header.has_sizes else [])]
    crcs = {one.crc for one in entries}
    measured: set[int] = set()
    for one in {(one.method, one.compressed): one for one in entries}.values():
        try:
            size, crc = reader.measure(one)
        except Damaged as error:
            if may_be_cut and isinstance(error, Cut):
                return _Finding(member, [member.size, member.size])  # what is there is as good as the rest
            continue
        if crc in crcs:
            return _Finding(dataclasses.replace(one, size=size, crc=crc), [size, size])
        measured.add(size)
    return _Finding(None, [*(one.size for one in entries), *measured])


def _placed(findings: dict[int, _Finding], usual: int, unsure: list[int]) -> Iterator[Chunk]:
    """Yield the chunks in order; the numbers of those whose length is a guess go to `unsure`."""
    start, following = 0, 1
    for number in sorted(findings):
        if number > following:
            end = start + (number - following) * usual
            yield Chunk(start, end, None)
            start = end
            unsure.append(following)
        member, sizes = findings[number].member, findings[number].sizes
        size, votes = Counter([*sizes, usual]).most_common(1)[0]
        if votes < 2:
            size = usual
            unsure.append(number)
        yield Chunk(start, start + size, member)
        start, following = start + size, number + 1
