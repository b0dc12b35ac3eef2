"""The format of segment files: magic, header, kinds of blocks, and which files of a folder are segments."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import time
from enum import IntEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.waveform import MAX_SAMPLES, NO_LEVELS
from gpiorig.capture.errors import FormatError, RecordingError

MAGIC = b"gpe1"
RETRY_S = 0.002


BODY = struct.Struct("<4sB3xIIqI")  # the header without its own crc


HEADER_SIZE = BODY.size + 4


NAME = re.compile(r"(?!0{6})[0-9]{6}|[1-9][0-9]{6,11}")  # of a segment, without its suffix


class Kind(IntEnum):
    """Kind of a block."""

    EDGES = 1
    GAP = 2
    WATERMARK = 3
    END = 4


ROW_BYTES = 16  # of a row of edges
DENSE = 16  # the kind of a dense block is this and the bytes of its samples
MIN_DENSE_ROWS = 1 << 10  # fewer rows in a block are of a quiet capture, or of its end
MAX_DENSE_SAMPLES = 1 << 22  # of a dense block, which is smaller than as many rows of edges as a writer puts in one
PAYLOAD_BYTES: dict[int, int] = {
    Kind.EDGES: ROW_BYTES,
    Kind.GAP: 16,
    Kind.WATERMARK: 0,
    Kind.END: 0,
    **{DENSE + width: width for width in range(1, 9)},
}  # per row, or sample


def in_order(samples: NDArray[np.int64], *, after: int, before: int) -> bool:
    """Return whether sample numbers increase, all of them after one sample and before another."""
    if before > MAX_SAMPLES or (samples.size and not (after < samples[0] and samples[-1] < before)):
        return False
    return not np.any(samples[1:] <= samples[:-1])


def dense(samples: NDArray[np.int64], levels: NDArray[np.uint64], *, watermark: int) -> NDArray[np.uint8] | None:
    """Return rows of edges as the levels of all samples from the first row to the watermark, where that is smaller.

    Parameters
    ----------
    samples, levels, watermark
        As of `SegmentWriter.append`; at least one row.

    Returns
    -------
    NDArray or None
        The bytes of each sample, shape (n, width). None: they are few, it is not smaller, or a row repeats the levels
        before it, which would be lost.
    """
    if samples.size < MIN_DENSE_ROWS:
        return None
    width = max(1, (int(np.bitwise_or.reduce(levels)).bit_length() + 7) // 8)
    count = watermark - int(samples[0])
    if count * width >= ROW_BYTES * samples.size or count > MAX_DENSE_SAMPLES or np.any(levels[1:] == levels[:-1]):
        return None
    narrow = levels.astype("<u8", copy=False).view(np.uint8).reshape(-1, 8)[:, :width]
    return np.repeat(narrow, np.diff(samples, append=watermark), axis=0)


def edges_of(kind: int, payload: bytes, *, watermark: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the rows of a block of edges; of another one its numbers, without levels."""
    width = kind - DENSE
    if width > 0:
        if width in (1, 2, 4, 8):
            levels = np.frombuffer(payload, f"<u{width}")
        else:
            padded = np.zeros((len(payload) // width, 8), dtype=np.uint8)
            padded[:, :width] = np.frombuffer(payload, np.uint8).reshape(-1, width)
            levels = padded.view("<u8").ravel()
        at = np.flatnonzero(np.append(True, levels[1:] != levels[:-1]))
        return at + (watermark - levels.size), levels[at].astype(np.uint64)
    numbers = np.frombuffer(payload, "<i8").astype(np.int64, copy=False)
    if kind != Kind.EDGES:
        return numbers, NO_LEVELS
    count = numbers.size // 2
    return numbers[:count], np.frombuffer(payload, "<u8", count, 8 * count).astype(np.uint64, copy=False)


def paths_in(folder: Path) -> list[Path]:
    """Return the segment files of a folder, in order.

    Raises
    ------
    FormatError
        A file or folder with their suffix is not one of them.
    """
    paths = list(folder.glob("*.seg"))
    for path in paths:
        if not NAME.fullmatch(path.stem) or not path.is_file():
            raise FormatError("is not a segment file", where=path, remedy="move it out of the recording")
    return sorted(paths, key=lambda path: int(path.stem))


def is_written(folder: Path) -> bool:
    """Return whether a capture writes to a folder of segments at this moment."""
    try:
        os.close(lock(folder))
    except RecordingError:
        return True
    except FileNotFoundError:
        return False
    return False


def lock(folder: Path, *, patience_s: float = 0) -> int:
    """Lock the folder until the returned file descriptor is closed, or the process ends in whatever way.

    Parameters
    ----------
    folder
        The `edges` folder.
    patience_s
        How long to try. A writer needs some: `is_written` of another program holds the lock for a moment.
    """
    file = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    deadline_s = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError as error:
            if time.monotonic() >= deadline_s:
                os.close(file)
                remedy = "wait for its end, or stop it"
                raise RecordingError("a capture is running", where=folder, remedy=remedy) from error
        time.sleep(RETRY_S)
