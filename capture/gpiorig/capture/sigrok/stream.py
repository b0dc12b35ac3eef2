"""A stream of samples in transit to edges: read from a pipe, reduced, handed to the disk's queue."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import struct
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from gpiorig.capture.edges.extractor import EdgeExtractor
from gpiorig.capture.sigrok.edge_queue import EdgeSink
from gpiorig.capture.sigrok.wall_clock import WallClock, now_ns

READ_BYTES = 1 << 20
# What root gets, and the most that others do (/proc/sys/fs/pipe-max-size).
PIPE_BYTES = (8 << 20, 1 << 20)
WAIT_S = 0.25
# Each read costs some 30 us whatever its size, so we let the pipe fill a little: to this share at the present rate, but
# no longer than NAP_S. A pipe that is full would hold sigrok-cli up, and in the end the analyzer.
NAP_SHARE = 0.125
NAP_S = 0.005
# What wakes us is the beginning of a block; read at once, its end would be late by the nap.
BLOCK_S = 0.00025


@dataclass(frozen=True, slots=True, kw_only=True)
class Headroom:
    """How far below its limit a capture ran; each number is a share, 1 is the limit.

    Attributes
    ----------
    reader_busy, writer_busy
        CPU time of the thread that reads samples, and of the one that writes edges, per time.
    pipe_fullest
        The fullest the pipe from sigrok-cli was when we looked. A full one holds sigrok-cli up.
    queue_fullest
        The fullest the queue to the disk was. A full one holds the reader up.
    """

    reader_busy: float
    writer_busy: float
    pipe_fullest: float
    queue_fullest: float


class SampleStream:
    """Reads samples from pipes, one after another, into one sequence of sample numbers.

    Parameters
    ----------
    sink
        Where the edges go.
    used
        Mask of the channels in use.
    samplerate_hz
        Samples per second.
    first
        Number of the first sample.
    limit
        Number of the sample to end before; what comes later is counted for the clock, and dropped. None: there is none.
    on_progress
        Called after each block.

    Attributes
    ----------
    samples
        Number of the next sample.
    received, size_bytes, edges
        Complete samples and bytes read, and rows extracted so far.
    first_s, last_s
        Monotonic time, in seconds, of the first and the last block; of the creation when there is none.
    clock
        The arrival of the samples of the present pipe, which began at sample `base`.
    """

    def __init__(
        self,
        sink: EdgeSink,
        *,
        used: int,
        samplerate_hz: Fraction,
        on_progress: Callable[[], None],
        first: int = 0,
        limit: int | None = None,
    ) -> None:
        self._sink, self._used, self._rate_hz, self._on_progress = sink, used, samplerate_hz, on_progress
        self._limit = limit
        self.samples = self.base = first
        self.received = self.size_bytes = self.edges = 0
        self.first_s = self.last_s = time.monotonic()
        self.clock = WallClock(float(samplerate_hz))
        self._busy_s = self._pipe_fullest = 0.0
        self._pipe_bytes = 0

    @property
    def is_full(self) -> bool:
        """The limit is reached."""
        return self._limit is not None and self.samples >= self._limit

    def cut(self) -> None:
        """End before the next sample, as a limit does."""
        self._limit = self.samples if self._limit is None else min(self._limit, self.samples)

    @property
    def is_settled(self) -> bool:
        """Whether what came by now tells of losses as much as it can (`WallClock.is_settled`)."""
        return self.clock.is_settled(self.samples - self.base)

    def age_s(self) -> float:
        """Return for how many seconds the present pipe has been sampled by now."""
        return float(self.clock.sample_at(now_ns()) / self._rate_hz)

    def headroom(self) -> Headroom:
        """Describe how far below its limit the capture ran until now."""
        wall_s = max(self.last_s - self.first_s, 1e-3)
        return Headroom(
            reader_busy=min(self._busy_s / wall_s, 1.0),
            writer_busy=min(self._sink.busy_s / wall_s, 1.0),
            pipe_fullest=self._pipe_fullest,
            queue_fullest=min(self._sink.fullest, 1.0),
        )

    def run(
        self,
        pipe: int,
        *,
        unitsize: Callable[[], int],
        began_ns: int,
        base: Callable[[int, int], int] | None = None,
    ) -> None:
        """Read until the other end closes the pipe.

        Parameters
        ----------
        pipe
            File descriptor.
        unitsize
            Called before the first sample is used; returns the bytes per sample.
        began_ns
            Time (`wall_clock.now_ns`) before which nothing was sampled.
        base
            Called with the time (`wall_clock.now_ns`) of the first block, and its complete samples; returns the
            number of its first sample. None: numbers continue.
        """
        capacity = _enlarge(pipe)
        extractor: EdgeExtractor | None = None
        unit = 0
        view = memoryview(bytearray(READ_BYTES))
        began_s = time.thread_time() - self._busy_s
        rate, read_s = 0.0, time.monotonic()
        while True:
            if not select.select([pipe], [], [], 0)[0]:
                if not select.select([pipe], [], [], WAIT_S)[0]:
                    continue
                time.sleep(BLOCK_S)
            self._pipe_fullest = max(self._pipe_fullest, min(_waiting(pipe) / capacity, 1.0))
            size = os.readv(pipe, [view])
            if size == 0:
                return
            arrival_ns = now_ns()
            self.last_s = time.monotonic()
            data = view[:size]
            if extractor is None:
                unit = unitsize()
                extractor = EdgeExtractor(unitsize=unit, used=self._used)
                self._begin(arrival_ns, size // unit, began_ns, base)
            self._take(extractor, data, unit, arrival_ns)
            self._busy_s = time.thread_time() - began_s
            now_s = time.monotonic()
            rate += (size / max(now_s - read_s, 1e-6) - rate) / 8
            read_s = now_s
            if size < NAP_SHARE * capacity:
                time.sleep(min(NAP_S, NAP_SHARE * capacity / rate))

    def _begin(self, arrival_ns: int, samples: int, began_ns: int, base: Callable[[int, int], int] | None) -> None:
        if base is not None:
            self.samples = base(arrival_ns, samples)
        self.base = self.samples
        self.clock = WallClock(float(self._rate_hz), began_ns=began_ns)
        self._pipe_bytes = 0
        if self.size_bytes == 0:
            self.first_s = self.last_s

    def _take(self, extractor: EdgeExtractor, data: memoryview, unit: int, arrival_ns: int) -> None:
        self.size_bytes += len(data)
        self._pipe_bytes += len(data)
        self.clock.note(self._pipe_bytes // unit, arrival_ns)
        if self._limit is not None:
            data = data[: max((self._limit - self.samples) * unit - extractor.tail_bytes, 0)]
        if data:
            before = extractor.samples_seen
            samples, levels = extractor.feed(data)
            self.received += extractor.samples_seen - before
            self.samples = self.base + extractor.samples_seen
            self.edges += samples.size
            self._sink.append((samples + self.base if self.base else samples, levels), watermark=self.samples)
        self._on_progress()


def _enlarge(pipe: int) -> int:
    """Make a pipe as large as we may; returns its size in bytes."""
    for size in PIPE_BYTES:
        with contextlib.suppress(OSError):
            return fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, size)
    with contextlib.suppress(OSError):
        return fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
    return PIPE_BYTES[-1]  # not a pipe


def _waiting(pipe: int) -> int:
    """Bytes that wait in the pipe."""
    with contextlib.suppress(OSError):
        return int(struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0])
    return 0
