"""A running capture: supervises sigrok-cli, extracts edges from what it sends, appends them to segment files.

sigrok-cli runs with `-O binary`, because its own .sr writing is quadratic (facts/sigrok.md fact 5), with `-l 3`, because only
then it says when sampling has started, how many bytes a sample has, and whether it ended in order, and with a pipe as stdin that
stays open, because end of file there makes it spin. One `q` on that pipe ends it in about 30 ms. It can exit with
status 0 after a failure and hang after another, so neither its status nor its silence is believed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import peer
from gpiorig.capture.analyzer import Analyzer, diagnose, environment, find_sigrok, scan, versions
from gpiorig.capture.errors import AnalyzerError, CaptureError
from gpiorig.capture.samples import EdgeExtractor
from gpiorig.capture.segments import SegmentWriter

__all__ = ["Capture", "CaptureResult", "find_sigrok", "versions"]

READ_BYTES = 1 << 20
PIPE_BYTES = 1 << 20  # the largest an unprivileged process may ask for (/proc/sys/fs/pipe-max-size)
FLUSH_S = 0.25  # edges reach the files at least this often
WATCH_S = 0.1
SYNC_S = 1.0
DRAIN_S = 0.5  # after its peer has gone, sigrok-cli may still hold samples for this long
START_DEADLINE_S = 10.0
STOP_DEADLINE_S = 5.0
KEPT_LINES = 200
NOISE = (b"In callback", b"Received SR_DF_LOGIC")  # two lines per packet
STARTED = b"SR_DF_HEADER"
ENDED = b"SR_DF_END"

Rows = tuple[NDArray[np.int64], NDArray[np.uint64]]


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
        sigrok-cli ended by itself, in time, and said so. If not, the samples received are right but the tail is missing.
    stderr
        What sigrok-cli said, without the lines that come with each packet.
    """

    samples: int
    size_bytes: int
    wall_s: float
    edges: int
    in_order: bool
    stderr: str

    @property
    def megabytes_per_s(self) -> float:
        """Mean rate of the stream, in 10^6 bytes per second."""
        return self.size_bytes / self.wall_s / 1e6 if self.wall_s > 0 else 0.0


class Capture:
    """A capture that runs. Made by `start`; ended by `stop`, or as a context manager by leaving the block.

    Attributes
    ----------
    channels
        Name of each channel, bit 0 first; "" for one that is not captured.
    analyzer
        What is captured from.
    """

    def __init__(
        self, analyzer: Analyzer, command: list[str], *, names: tuple[str, ...], folder: Path, silence_s: float | None
    ) -> None:
        self.analyzer, self.channels = analyzer, names
        self._used = sum(1 << bit for bit, name in enumerate(names) if name)
        self._silence_s = silence_s
        self._writer = SegmentWriter(folder)
        self._extractor: EdgeExtractor | None = None
        self._bytes = self._edges = 0
        self._first_s = self._last_s = time.monotonic()
        self._lines: list[bytes] = []
        self._unitsize = 0
        self._started, self._ended, self._sized = threading.Event(), threading.Event(), threading.Event()
        self._progress = threading.Condition()
        self._stopping = False
        self._error: CaptureError | None = None
        self._result: CaptureResult | None = None
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, env=environment()
        )
        self._threads = [
            threading.Thread(target=self._guarded, args=(job,), name=f"capture {job.__name__}", daemon=True)
            for job in (self._listen, self._read, self._watch)
        ]
        for thread in self._threads:
            thread.start()

    @classmethod
    def start(
        cls,
        *,
        driver: str,
        channels: Sequence[str],
        samplerate_hz: int,
        folder: Path,
        sample_limit: int | None = None,
        start_deadline_s: float = START_DEADLINE_S,
        silence_s: float | None = None,
    ) -> Capture:
        """Start a capture and wait until the analyzer samples.

        Parameters
        ----------
        driver
            Driver and connection, for instance "beaglelogic:conn=tcp-raw/127.0.0.1/5555".
        channels
            The analyzer's names of the channels to capture; "P8_45=strobe" gives one another name.
        samplerate_hz
            Samples per second.
        folder
            Where the segment files go.
        sample_limit
            Samples after which the analyzer ends by itself. None: it runs until `stop`.
        start_deadline_s
            Seconds the analyzer may take to start.
        silence_s
            Seconds without a sample that count as a failure. None: silence is no failure, as on a virtual bench.
        """
        analyzer = scan(driver, deadline_s=start_deadline_s)
        wanted = dict((*name.split("=", 1), name)[:2] for name in channels)
        unknown = [name for name in wanted if name not in analyzer.channels]
        if unknown or not wanted:
            what = f"no channel {', '.join(unknown)}" if unknown else "no channels are asked for"
            raise AnalyzerError(what, where=driver, remedy=f"it has {' '.join(analyzer.channels)}")
        limit = ["--continuous"] if sample_limit is None else ["--samples", str(sample_limit)]
        command = [str(find_sigrok()), "-l", "3", "-d", driver, "-c", f"samplerate={samplerate_hz}"]
        command += ["-C", ",".join(wanted), *limit, "-O", "binary"]
        names = tuple(wanted.get(name, "") for name in analyzer.channels)
        capture = cls(analyzer, command, names=names, folder=folder, silence_s=silence_s)
        try:
            capture._wait(capture._started.is_set, deadline_s=start_deadline_s, what="the analyzer does not start")
        except BaseException:
            capture.abort()
            raise
        return capture

    @property
    def samples_received(self) -> int:
        """Whole samples received so far."""
        return self._extractor.samples_seen if self._extractor else 0

    def check(self) -> None:
        """Raise what went wrong since the start, if anything did."""
        if self._error is not None:
            raise self._error

    def wait_quiet(self, expected_samples: int, *, deadline_s: float) -> None:
        """Wait until the samples that the analyzer is known to have sent are here.

        Parameters
        ----------
        expected_samples
            Samples since the start.
        deadline_s
            Seconds after which it is an error that they are not.
        """
        self._wait(
            lambda: self.samples_received >= expected_samples,
            deadline_s=deadline_s,
            what=f"{expected_samples} samples were expected",
        )

    def wait_end(self, *, deadline_s: float) -> None:
        """Wait until a capture with a sample limit has ended by itself."""
        self._wait(
            lambda: self._ended.is_set() and self._process.poll() is not None,
            deadline_s=deadline_s,
            what="the analyzer has not sent all samples",
        )

    def stop(self, *, deadline_s: float = STOP_DEADLINE_S) -> CaptureResult:
        """End the capture, flush everything to disk, and say how it went.

        Samples that are on their way when this is called are lost; `wait_quiet` waits for them.

        Parameters
        ----------
        deadline_s
            Seconds that sigrok-cli has to end in order before it is killed.
        """
        if self._result is None:
            self._stopping = True
            in_time = self._end_process(deadline_s)
            self._join()
            in_order = in_time and self._ended.is_set() and self._error is None
            self._writer.close(in_order=in_order)
            self._result = CaptureResult(
                samples=self.samples_received,
                size_bytes=self._bytes,
                wall_s=self._last_s - self._first_s,
                edges=self._edges,
                in_order=in_order,
                stderr=self._stderr(),
            )
        self.check()
        return self._result

    def abort(self) -> None:
        """Kill sigrok-cli and close the files; what was received stays. Never fails."""
        if self._result is None:
            self._stopping = True
            self._process.kill()
            self._join()
            self._writer.close(in_order=False)

    def __enter__(self) -> Capture:
        """Return the capture, which runs already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the capture; after an exception, abort it."""
        if kind is None:
            self.stop()
        else:
            self.abort()

    def _wait(self, is_done: Callable[[], bool], *, deadline_s: float, what: str) -> None:
        end_s = time.monotonic() + deadline_s
        with self._progress:
            while not is_done():
                self.check()
                left_s = end_s - time.monotonic()
                if left_s <= 0:
                    raise AnalyzerError(
                        f"{what}, but after {deadline_s:g} s there are {self.samples_received} samples",
                        where=self.analyzer.driver,
                        remedy="is the analyzer running, and not used by another program?",
                    )
                self._progress.wait(min(left_s, WATCH_S))

    def _end_process(self, deadline_s: float) -> bool:
        """Ask, then terminate, then kill; returns whether asking was enough."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended already
            self._process.stdin.write(b"q")
        for end, patience_s in ((None, deadline_s), (self._process.terminate, 1.0), (self._process.kill, 10.0)):
            if end is not None:
                end()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience_s)
                return end is None
        raise AnalyzerError("cannot be killed", where=f"sigrok-cli, process {self._process.pid}")

    def _join(self) -> None:
        for thread in self._threads:
            thread.join()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _stderr(self) -> str:
        return b"\n".join(self._lines).decode(errors="replace")

    def _guarded(self, job: Callable[[], None]) -> None:
        """Run a thread's job; what it raises ends the capture and is raised to the caller."""
        try:
            job()
        except CaptureError as error:
            self._fail(error)
        except OSError as error:
            self._fail(CaptureError(f"the capture cannot be written: {error}", where=self.analyzer.driver))

    def _fail(self, error: CaptureError) -> None:
        with self._progress:
            self._error = self._error or error
            self._progress.notify_all()
        self._process.kill()

    def _listen(self) -> None:
        """Read stderr."""
        assert self._process.stderr is not None
        rest = b""
        while chunk := self._process.stderr.read(1 << 16):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._hear(line)
        if rest:
            self._hear(rest)

    def _hear(self, line: bytes) -> None:
        if not self._unitsize and (match := re.search(rb"unitsize = (\d+)", line)):
            self._unitsize = int(match[1])
            self._sized.set()
        if any(noise in line for noise in NOISE):
            return
        if len(self._lines) < KEPT_LINES:
            self._lines.append(line)
        if STARTED in line or ENDED in line:
            (self._started if STARTED in line else self._ended).set()
            with self._progress:
                self._progress.notify_all()
        if b"Can't match samplerate" in line:
            raise diagnose(line.decode(errors="replace"), where=self.analyzer.driver, what="")

    def _read(self) -> None:
        """Read samples until sigrok-cli closes its end."""
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        with contextlib.suppress(OSError):  # an administrator may allow less
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        buffer = bytearray(READ_BYTES)
        view = memoryview(buffer)
        pending: list[Rows] = []
        flushed_s = time.monotonic()
        while True:
            size = -1
            if select.select([pipe], [], [], FLUSH_S)[0]:
                size = os.readv(pipe, [buffer])
            now_s = time.monotonic()
            if size > 0:
                if not self._bytes:
                    self._first_s = now_s
                self._last_s = now_s
                pending.append(self._extract(view[:size]))
            if pending and (size == 0 or now_s - flushed_s >= FLUSH_S):
                self._flush(pending)
                pending, flushed_s = [], now_s
            if size == 0:
                return

    def _extract(self, data: memoryview) -> Rows:
        if self._extractor is None:
            if not self._sized.wait(START_DEADLINE_S):
                raise diagnose(self._stderr(), where=self.analyzer.driver, what="the size of a sample is unknown")
            self._extractor = EdgeExtractor(unitsize=self._unitsize, used=self._used)
        rows = self._extractor.feed(data)
        with self._progress:
            self._bytes += len(data)
            self._edges += rows[0].size
            self._progress.notify_all()
        return rows

    def _flush(self, pending: list[Rows]) -> None:
        samples = np.concatenate([rows[0] for rows in pending])
        levels = np.concatenate([rows[1] for rows in pending])
        self._writer.append(samples, levels, watermark=self.samples_received)

    def _watch(self) -> None:
        """Notice that sigrok-cli ended, that its analyzer went away, or that it is silent for too long."""
        driver = self.analyzer.driver
        connections: frozenset[str] = frozenset()
        gone_s = 0.0
        synced_s = time.monotonic()
        while self._process.poll() is None:
            time.sleep(WATCH_S)
            now_s = time.monotonic()
            if now_s - synced_s >= SYNC_S:
                self._writer.sync()
                synced_s = now_s
            current = peer.connections(self._process.pid)
            if self._started.is_set() and not connections:
                connections = current
            gone_s = gone_s or now_s if connections - current else 0.0
            if self._stopping or self._ended.is_set():
                continue
            if gone_s and now_s - max(gone_s, self._last_s) > DRAIN_S:
                what = f"the analyzer closed the connection after {self.samples_received} samples"
                raise AnalyzerError(what, where=driver, remedy="look at why it ended, and record again")
            if self._silence_s is not None and self._started.is_set() and now_s - self._last_s > self._silence_s:
                what = f"no sample for {self._silence_s:g} s, after {self.samples_received} samples"
                raise AnalyzerError(what, where=driver, remedy="check the analyzer's connection")
        self._threads[0].join()
        if not self._stopping and not (self._ended.is_set() and self._process.returncode == 0):
            what = f"sigrok-cli ended by itself with status {self._process.returncode}"
            raise diagnose(self._stderr(), where=driver, what=what)
