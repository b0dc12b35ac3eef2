"""Edges in transit to the disk: a bounded queue with a thread of its own, so that no sample waits for a disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.waveform import NO_LEVELS, NO_SAMPLES
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.segment_writer import SegmentWriter

FLUSH_S = 0.25  # edges reach the files at least this often
SYNC_S = 1.0  # and outlive a power failure after this
FLUSH_ROWS = 1 << 18  # or as soon as there are this many
MAX_ROWS = 1 << 22  # 64 MB: two seconds of 2 M edges/s, while a disk does something else

Rows = tuple[NDArray[np.int64], NDArray[np.uint64]]


class EdgeSink:
    """Takes edges without waiting for the disk, unless the queue is full.

    Parameters
    ----------
    writer
        Where they go. Until `close`, the sink alone uses it.
    on_error
        Called, from another thread, with what ends the writing, such as a full disk.

    Attributes
    ----------
    fullest
        The fullest the queue was, as a share of `MAX_ROWS`.
    busy_s
        CPU time that writing took.
    """

    def __init__(self, writer: SegmentWriter, *, on_error: Callable[[Exception], None]) -> None:
        self._writer, self._on_error = writer, on_error
        self._changed = threading.Condition()
        self._parts: list[Rows] = []
        self._rows = 0
        self._watermark = writer.watermark
        self._gap: tuple[int, int] | None = None
        self._closing = False
        self._failed = False
        self.fullest = self.busy_s = 0.0
        self._thread = threading.Thread(target=self._run, name="capture write", daemon=True)
        self._syncer = threading.Thread(target=self._sync, name="capture sync", daemon=True)
        self._thread.start()
        self._syncer.start()

    def append(self, rows: Rows, *, watermark: int) -> None:
        """Take edges, all below `watermark`; waits while the queue is full. After an error it drops them."""
        with self._changed:
            if self._rows > MAX_ROWS:
                self._changed.wait_for(lambda: self._rows <= MAX_ROWS or self._failed)
            if self._failed:
                return
            if rows[0].size:
                self._parts.append(rows)
                self._rows += rows[0].size
                self.fullest = max(self.fullest, self._rows / MAX_ROWS)
            self._watermark = watermark
            if self._rows >= FLUSH_ROWS:
                self._changed.notify_all()

    def gap(self, start: int, end: int) -> None:
        """Record that samples [start, end) were lost, after what was taken so far."""
        with self._changed:
            self._gap = (start, end)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._gap is None or self._failed)

    def close(self) -> None:
        """Write what is left, and end the threads."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()
        self._syncer.join()

    def _run(self) -> None:
        try:
            closing = False
            while not closing:
                with self._changed:
                    self._changed.wait_for(
                        lambda: self._closing or self._gap or self._rows >= FLUSH_ROWS, timeout=FLUSH_S
                    )
                    closing, gap, watermark, parts = self._closing, self._gap, self._watermark, self._parts
                    self._parts, rows = [], self._rows
                self._flush(parts, watermark, gap)
                self.busy_s = time.thread_time()
                with self._changed:
                    self._rows -= rows
                    if gap:
                        self._gap, self._watermark = None, gap[1]
                    self._changed.notify_all()
        except (OSError, CaptureError) as error:
            with self._changed:
                self._failed = True
                self._changed.notify_all()
            self._on_error(error)

    def _flush(self, parts: list[Rows], watermark: int, gap: tuple[int, int] | None) -> None:
        if watermark > self._writer.watermark:
            samples = np.concatenate([NO_SAMPLES, *(part[0] for part in parts)])
            levels = np.concatenate([NO_LEVELS, *(part[1] for part in parts)])
            self._writer.append(samples, levels, watermark=watermark)
        if gap:
            self._writer.gap(*gap)

    def _sync(self) -> None:
        """Apart from writing, since it takes as long as the disk likes."""
        try:
            while self._thread.is_alive():
                self._thread.join(SYNC_S)
                self._writer.sync()
        except OSError as error:
            self._on_error(error)
