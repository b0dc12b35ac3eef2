"""Where in the segment files reading can begin, so that the levels at a sample are read and little before it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpiorig.capture import confined
from gpiorig.capture.recording.segment_format import (
    BODY,
    DENSE,
    HEADER_SIZE,
    MAGIC,
    PAYLOAD_BYTES,
    Kind,
    paths_in,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A block.

    Attributes
    ----------
    file
        Number of its segment file; 0: the first one.
    offset
        Where it begins in the file.
    blocks
        Blocks before it.
    """

    file: int = 0
    offset: int = 0
    blocks: int = 0


@dataclass(frozen=True, slots=True)
class _Header:
    place: Place
    has_rows: bool
    watermark: int


def before(folder: Path, sample: int) -> Place:
    """Return the last block with rows all of which are before a sample; the beginning, where there is none.

    Only headers are read, and only of the files around it. Where one is damaged, it is the beginning: reading from
    there meets the damage.
    """
    paths = paths_in(folder)
    low, high = 0, len(paths)  # files that begin before the sample: the first `low` do, those from `high` on do not
    while low < high:
        middle = (low + high) // 2
        header = next(_headers(paths[middle]), None)
        if header is not None and header.watermark <= sample:
            low = middle + 1
        else:
            high = middle
    for path in reversed(paths[:low]):
        place = None
        for header in _headers(path):
            if header.watermark > sample:
                break
            place = header.place if header.has_rows else place
        if place is not None:
            return place
    return Place()


def end(folder: Path) -> int:
    """Return the sample up to which all samples are known, by the headers of the last file; 0 for none."""
    for path in reversed(paths_in(folder)):
        watermarks = [header.watermark for header in _headers(path)]
        if watermarks:
            return watermarks[-1]
    return 0


def _headers(path: Path) -> Iterator[_Header]:
    """The headers of a file, as far as they are in order."""
    with confined.opened(path) as file:
        size, offset = path.stat().st_size, 0
        while len(header := file.read(HEADER_SIZE)) == HEADER_SIZE:
            magic, kind, number, count, watermark, _ = BODY.unpack(header[:-4])
            is_whole = magic == MAGIC and zlib.crc32(header[:-4]) == int.from_bytes(header[-4:], "little")
            length = HEADER_SIZE + PAYLOAD_BYTES.get(kind, 0) * count
            if not is_whole or kind not in PAYLOAD_BYTES or offset + length > size:
                return
            has_rows = bool(count) and (kind == Kind.EDGES or kind > DENSE)
            yield _Header(Place(int(path.stem), offset, number - 1), has_rows, watermark)
            offset += length
            file.seek(offset)
