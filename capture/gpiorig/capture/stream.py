"""A stream of samples on its way to segment files: read, reduced to edges, appended."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.samples import EdgeExtractor
from gpiorig.capture.segments import SegmentWriter

READ_BYTES = 1 << 20
PIPE_BYTES = 1 << 20  # the largest an unprivileged process may ask for (/proc/sys/fs/pipe-max-size)
FLUSH_S = 0.25  # edges reach the files at least this often
NO_SAMPLES = np.empty(0, dtype=np.int64)
NO_LEVELS = np.empty(0, dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """How a capture ended.

    Attributes
    ----------
    samples
        Samples received.
    size_bytes
        Bytes received.
    wall_s
        Seconds from the first byte to the last.
    edges
        Rows written: changes, and the initial levels.
    in_order
        sigrok-cli ended in time when asked, and said so. If not, samples are right but their tail is missing.
    stderr
        What sigrok-cli said, without the lines that come with each packet.
    """

    samples: int
    size_bytes: int
    wall_s: float
    edges: int
    in_order: bool
    stderr: str


class SampleStream:
    """Reads samples from a pipe until its end.

    Parameters
    ----------
    writer
        Where the edges go.
    used
        Mask of the channels in use.
    unitsize
        Called before the first sample is used; returns the bytes per sample.
    on_progress
        Called after each piece.

    Attributes
    ----------
    size_bytes, edges
        Bytes read and rows found so far.
    first_s, last_s
        Monotonic time, in seconds, of the first and the last piece; of the creation when there is none.
    """

    def __init__(
        self,
        writer: SegmentWriter,
        *,
        used: int,
        unitsize: Callable[[], int],
        on_progress: Callable[[], None],
    ) -> None:
        self._writer, self._used, self._unitsize, self._on_progress = writer, used, unitsize, on_progress
        self._extractor: EdgeExtractor | None = None
        self._pending: list[tuple[NDArray[np.int64], NDArray[np.uint64]]] = []
        self.size_bytes = self.edges = 0
        self.first_s = self.last_s = time.monotonic()

    @property
    def samples(self) -> int:
        """Whole samples read so far."""
        return self._extractor.samples_seen if self._extractor else 0

    def run(self, pipe: int) -> None:
        """Read until the other end closes the pipe.

        Parameters
        ----------
        pipe
            File descriptor.
        """
        with contextlib.suppress(OSError):  # not a pipe, or an administrator allows less
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        buffer = bytearray(READ_BYTES)
        view = memoryview(buffer)
        flushed_s = time.monotonic()
        size = -1
        while size != 0:
            size = os.readv(pipe, [buffer]) if select.select([pipe], [], [], FLUSH_S)[0] else -1
            now_s = time.monotonic()
            if size > 0:
                self._take(view[:size], now_s)
            if size == 0 or now_s - flushed_s >= FLUSH_S:
                self._flush()
                flushed_s = now_s

    def _take(self, data: memoryview, now_s: float) -> None:
        if self._extractor is None:
            self._extractor = EdgeExtractor(unitsize=self._unitsize(), used=self._used)
            self.first_s = now_s
        rows = self._extractor.feed(data)
        self.last_s = now_s
        self.size_bytes += len(data)
        self.edges += rows[0].size
        if rows[0].size:
            self._pending.append(rows)
        self._on_progress()

    def _flush(self) -> None:
        if self.samples > self._writer.watermark:
            samples = np.concatenate([NO_SAMPLES, *(rows[0] for rows in self._pending)])
            levels = np.concatenate([NO_LEVELS, *(rows[1] for rows in self._pending)])
            self._writer.append(samples, levels, watermark=self.samples)
            self._pending = []
