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

from gpiorig.capture.edges.waveform import MAX_SAMPLES
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


PAYLOAD_BYTES = {Kind.EDGES: 16, Kind.GAP: 16, Kind.WATERMARK: 0, Kind.END: 0}  # per row


def in_order(samples: NDArray[np.int64], *, after: int, before: int) -> bool:
    """Return whether sample numbers increase, all of them after one sample and before another."""
    if before > MAX_SAMPLES or (samples.size and not (after < samples[0] and samples[-1] < before)):
        return False
    return not np.any(samples[1:] <= samples[:-1])


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
