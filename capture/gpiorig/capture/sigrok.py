"""A running capture: supervises sigrok-cli, extracts edges from what it sends, appends them to segment files.

sigrok-cli runs with `-O binary`, because its own .sr writing is quadratic; with `-l 3`, because only then it says when
sampling has started, how many bytes a sample has, and whether it ended in order; and with a pipe as stdin that stays
open, because end of file there makes it spin. One `q` on that pipe ends it in about 30 ms. It can exit with status 0
after a failure and hang after another, so neither its status nor its silence is believed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from gpiorig.capture.analyzer import Analyzer, diagnose, find_sigrok, scan, versions
from gpiorig.capture.errors import AnalyzerError, CaptureError
from gpiorig.capture.peer import Peer
from gpiorig.capture.segments import SegmentWriter
from gpiorig.capture.sigrokprocess import SigrokProcess
from gpiorig.capture.stream import CaptureResult, SampleStream

__all__ = ["Capture", "CaptureResult", "find_sigrok", "versions"]

WATCH_S = 0.1
SYNC_S = 1.0
DRAIN_S = 0.5  # after its peer has gone, sigrok-cli may still hold samples for this long
START_DEADLINE_S = 10.0
STOP_DEADLINE_S = 5.0


class Capture:
    """A capture that runs. Made by `start`; ended by `stop`, or as a context manager by leaving the block.

    Attributes
    ----------
    analyzer
        What is captured from.
    channels
        Name of each channel, bit 0 first; "" for one that is not captured.
    """

    def __init__(
        self,
        analyzer: Analyzer,
        command: list[str],
        *,
        channels: tuple[str, ...],
        folder: Path,
        sample_limit: int | None,
        silence_s: float | None,
    ) -> None:
        self.analyzer, self.channels = analyzer, channels
        self._sample_limit, self._silence_s = sample_limit, silence_s
        self._progress = threading.Condition()
        self._stopping = threading.Event()
        self._error: CaptureError | None = None
        self._result: CaptureResult | None = None
        self._writer = SegmentWriter(folder)
        self._stream = SampleStream(
            self._writer,
            used=sum(1 << bit for bit, name in enumerate(channels) if name),
            unitsize=self._wait_unitsize,
            on_progress=self._notify,
        )
        self._process = SigrokProcess(command, where=analyzer.driver, on_change=self._notify)
        self._reader = threading.Thread(target=self._guarded, args=(self._read,), name="capture read", daemon=True)
        self._watcher = threading.Thread(target=self._guarded, args=(self._watch,), name="capture watch", daemon=True)
        self._reader.start()
        self._watcher.start()

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
        wanted = analyzer.selection(channels)
        limit = ["--continuous"] if sample_limit is None else ["--samples", str(sample_limit)]
        command = [str(find_sigrok()), "-l", "3", "-d", driver, "-c", f"samplerate={samplerate_hz}"]
        command += ["-C", ",".join(wanted), *limit, "-O", "binary"]
        capture = cls(
            analyzer,
            command,
            channels=tuple(wanted.get(name, "") for name in analyzer.channels),
            folder=folder,
            sample_limit=sample_limit,
            silence_s=silence_s,
        )
        try:
            capture._wait(
                lambda: capture._process.started, deadline_s=start_deadline_s, what="the analyzer does not start"
            )
        except BaseException:
            capture.abort()
            raise
        return capture

    @property
    def samples_received(self) -> int:
        """Whole samples received so far."""
        return self._stream.samples

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
        what = f"{expected_samples} samples were expected"
        self._wait(lambda: self.samples_received >= expected_samples, deadline_s=deadline_s, what=what)

    def wait_end(self, *, deadline_s: float) -> None:
        """Wait until a capture with a sample limit has ended by itself, with all its samples."""
        self._wait(
            lambda: not (self._reader.is_alive() or self._watcher.is_alive()),
            deadline_s=deadline_s,
            what="the analyzer has not sent all samples",
        )
        if self._sample_limit is not None and self.samples_received < self._sample_limit:
            raise AnalyzerError(
                f"ended after {self.samples_received} of {self._sample_limit} samples",
                where=self.analyzer.driver,
                remedy="the limit may be larger than the analyzer's buffer: capture without a limit",
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
            self._stopping.set()
            asked_enough = self._process.end(deadline_s=deadline_s)
            self._close(in_order=asked_enough)
        self.check()
        assert self._result is not None
        return self._result

    def abort(self) -> None:
        """Kill sigrok-cli and close the files; what was received stays."""
        if self._result is None:
            self._stopping.set()
            self._process.kill()
            self._close(in_order=False)

    def __enter__(self) -> Capture:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.stop()
        else:
            self.abort()

    def _close(self, *, in_order: bool) -> None:
        self._reader.join()
        self._watcher.join()
        self._process.close()
        in_order = in_order and self._process.ended and self._error is None
        self._writer.close(in_order=in_order)
        self._result = CaptureResult(
            samples=self.samples_received,
            size_bytes=self._stream.size_bytes,
            wall_s=self._stream.last_s - self._stream.first_s,
            edges=self._stream.edges,
            in_order=in_order,
            stderr=self._process.stderr,
        )

    def _notify(self) -> None:
        with self._progress:
            self._progress.notify_all()

    def _wait(self, is_done: Callable[[], bool], *, deadline_s: float, what: str) -> None:
        end_s = time.monotonic() + deadline_s
        with self._progress:
            while not is_done():
                self.check()
                left_s = end_s - time.monotonic()
                if left_s <= 0:
                    raise AnalyzerError(
                        f"{what}, but after {deadline_s:g} s there are {self.samples_received}",
                        where=self.analyzer.driver,
                        remedy="is the analyzer running, and not used by another program?",
                    )
                self._progress.wait(min(left_s, WATCH_S))
        self.check()

    def _guarded(self, job: Callable[[], None]) -> None:
        """Run a thread's job; what it raises ends the capture and is raised to the caller."""
        try:
            job()
        except CaptureError as error:
            self._error = self._error or error
        except OSError as error:
            self._error = self._error or CaptureError(f"cannot record: {error}", remedy="is the disk full?")
        finally:
            if self._error is not None:
                self._process.kill()
            self._notify()

    def _read(self) -> None:
        self._stream.run(self._process.stdout)

    def _wait_unitsize(self) -> int:
        """Return bytes per sample: sigrok-cli tells before the first sample, but the message may still be unread."""
        what = "the size of a sample is not known"
        self._wait(lambda: self._process.unitsize > 0, deadline_s=STOP_DEADLINE_S, what=what)
        return self._process.unitsize

    def _watch(self) -> None:
        """Notice that sigrok-cli ended, that its analyzer went away, or that it is silent for too long."""
        driver = self.analyzer.driver
        peer = Peer(self._process.pid, expected="conn=tcp" in driver)
        synced_s = time.monotonic()
        while (status := self._process.exit_status()) is None:
            if self._stopping.wait(WATCH_S):
                return
            now_s = time.monotonic()
            if now_s - synced_s >= SYNC_S:
                self._writer.sync()
                synced_s = now_s
            if self._process.complaint is not None:
                raise self._process.complaint
            if not self._process.started:
                continue
            silent_s = now_s - self._stream.last_s
            if min(peer.gone_s(now_s), silent_s) > DRAIN_S:
                what = f"the analyzer closed the connection after {self.samples_received} samples"
                raise AnalyzerError(what, where=driver, remedy="look at why it ended, and record again")
            if self._silence_s is not None and silent_s > self._silence_s:
                what = f"no sample for {self._silence_s:g} s, after {self.samples_received} samples"
                raise AnalyzerError(what, where=driver, remedy="check the analyzer's connection")
        if not (self._stopping.is_set() or (self._process.ended and status == 0)):
            what = f"sigrok-cli ended by itself with status {status}"
            raise diagnose(self._process.stderr, where=driver, what=what)
