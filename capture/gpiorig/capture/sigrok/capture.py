"""A running capture: supervises sigrok-cli, extracts edges from what it sends, appends them to segment files.

sigrok-cli runs with `-O binary`, because its own .sr writing is quadratic; with `-l 3`, because only then it reports
when sampling has started, how many bytes a sample has, and whether it ended in order; and with a pipe as stdin that
stays open, because end of file there makes it spin. One `q` on that pipe ends it in about 30 ms. It can exit with
status 0 after a failure and hang after another, so neither its status nor its silence is believed:
docs/start/capture.md.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import TracebackType

from gpiorig.capture.errors import AnalyzerError, CaptureError
from gpiorig.capture.log import LOG
from gpiorig.capture.recording.segment_writer import SegmentWriter
from gpiorig.capture.sigrok.analyzer import find_sigrok, versions
from gpiorig.capture.sigrok.edge_queue import EdgeSink
from gpiorig.capture.sigrok.request import START_DEADLINE_S, Order, Request, order
from gpiorig.capture.sigrok.result import CaptureResult, Pause, Restart, Resume
from gpiorig.capture.sigrok.run_log import Ledger
from gpiorig.capture.sigrok.session import WATCH_S, Session
from gpiorig.capture.sigrok.stream import SampleStream
from gpiorig.capture.sigrok.wall_clock import LAG, now_ns

__all__ = ["START_DEADLINE_S", "Capture", "CaptureResult", "Request", "Restart", "Resume", "find_sigrok", "versions"]

STOP_DEADLINE_S = 5.0
SETTLE_S = 0.02
BEYOND_S = 3.0  # for which samples are taken after the last one that is recorded, to learn whether some were lost
STOPPED_S = 1.0  # the same for a capture that is stopped: whoever waits for its end has set no time


class Capture:
    """A capture that runs. Made by `start`; ended by `stop`, or as a context manager by leaving the block.

    Attributes
    ----------
    analyzer
        What is captured from.
    channels
        Name of each channel, bit 0 first; "" for one that is not captured.
    sample_limit
        Number of the sample before which it ends alone, or None.
    resumed
        It continues where another was interrupted.
    stream
        The samples in transit, for their numbers: edges, headroom.
    """

    def __init__(self, order: Order, *, writer: SegmentWriter, pause: Pause | None) -> None:
        self.analyzer, self.channels, self.sample_limit = order.analyzer, order.channels, order.request.sample_limit
        self.resumed = writer.watermark > 0
        self._order, self._request, self._writer = order, order.request, writer
        self._progress = threading.Condition()
        self._stopping = threading.Event()
        self._is_aborted = False
        self._error: CaptureError | None = None
        self._result: CaptureResult | None = None
        self._sink = EdgeSink(writer, on_error=self._cannot_write)
        self.stream = SampleStream(
            self._sink,
            used=order.used,
            samplerate_hz=Fraction(order.request.samplerate_hz),
            on_progress=self._notify,
            first=writer.watermark,
            limit=order.request.sample_limit,
        )
        self._ledger = Ledger(order, self.stream)
        self._session = self._begin(pause if self.resumed else None)
        self._supervisor = threading.Thread(target=self._supervise, name="capture watch", daemon=True)
        self._supervisor.start()

    @classmethod
    def start(cls, request: Request, folder: Path, *, resume: Resume | None = None) -> Capture:
        """Start a capture and wait until the analyzer samples.

        Parameters
        ----------
        request
            What is to be captured.
        folder
            Where the segment files go.
        resume
            Continue in a folder with segments: when its sample 0 was. The pause becomes a gap.
        """
        ordered = order(request)
        writer = SegmentWriter.resume(folder) if resume else SegmentWriter(folder)
        rate_hz = request.samplerate_hz
        pause = Pause.since(resume, received=writer.watermark, samplerate_hz=rate_hz) if resume else None
        capture = cls(ordered, writer=writer, pause=pause)
        try:
            capture._wait(
                lambda: capture._session.process.started,
                deadline_s=request.start_deadline_s,
                what="the analyzer does not start",
            )
        except BaseException:
            capture.abort()
            raise
        return capture

    @property
    def samples_received(self) -> int:
        """Number of the next sample: complete samples received so far, and those known to be lost."""
        return self.stream.samples

    def sample_now(self) -> int:
        """Return the number of the sample that the analyzer takes now, however late samples come."""
        return self.stream.base + self.stream.clock.sample_at(now_ns(), within_s=LAG)

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

    @property
    def has_ended(self) -> bool:
        """The capture has ended: it has all its samples, or an error (`check`)."""
        return not self._supervisor.is_alive()

    def wait_end(self, *, deadline_s: float) -> None:
        """Wait until a capture with a sample limit has ended, with all its samples."""
        self._wait(lambda: self.has_ended, deadline_s=deadline_s, what="the analyzer has not sent all samples")
        if self.sample_limit is not None and self.samples_received < self.sample_limit:
            raise AnalyzerError(
                f"ended after {self.samples_received} of {self.sample_limit} samples",
                where=self.analyzer.driver,
                remedy="the limit may be larger than the analyzer's buffer: capture without a limit",
            )

    def stop(self, *, deadline_s: float = STOP_DEADLINE_S) -> CaptureResult:
        """End the capture, flush everything to disk, and return its result.

        Samples that are in transit when this is called are not recorded; `wait_quiet` waits for them. Where the
        analyzer keeps the host's time, some are taken for up to `STOPPED_S` to learn whether earlier ones were lost.

        Parameters
        ----------
        deadline_s
            Seconds that sigrok-cli has to end in order before it is killed.
        """
        self.end(deadline_s=deadline_s)
        self.check()
        assert self._result is not None
        return self._result

    def ask_end(self) -> None:
        """Let the capture end, without waiting for that: `stop` and `end` do."""
        self._stopping.set()

    def end(self, *, deadline_s: float = STOP_DEADLINE_S) -> CaptureResult:
        """As `stop`, but an error of the capture is a problem in the result."""
        if self._result is None:
            self.ask_end()
            self._supervisor.join()
            self._close(in_order=self._session.end(deadline_s=deadline_s))
        assert self._result is not None
        return self._result

    def abort(self) -> None:
        """Kill sigrok-cli and close the files; what was received stays."""
        if self._result is None:
            self._is_aborted = True
            self._stopping.set()
            self._session.process.kill()
            self._supervisor.join()
            self._session.close()
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
        """Close the files, with a gap for what is known to be missing at the end."""
        self._ledger.keep(self._session)
        self._sink.close()
        self._writer.free_reserve()
        in_order = in_order and self._error is None
        is_complete = in_order or (self._request.one_shot and self._error is None)
        received, end = self._writer.watermark, self._ledger.end(self._error)
        is_cut = end > received and (received > 0 or self.stream.received > 0)
        if is_cut:
            try:
                self._writer.gap(received, end)
            except OSError as error:
                self._cannot_write(error)
            self._ledger.lost_the_end(received, end, self._error, in_files=self._writer.watermark == end)
        try:
            self._writer.close(in_order=is_complete)
        except OSError as error:
            self._cannot_write(error)
        self._result = self._ledger.result(self._error, in_order=in_order, rows=self._writer.rows)
        LOG.info(
            "%s: %s", self.analyzer.driver, ", ".join(f"{name} {fact}" for name, fact in self._result.facts().items())
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

    def _cannot_write(self, error: Exception) -> None:
        self._error = self._error or CaptureError(f"cannot record: {error}", remedy="is the disk full?")
        self._stopping.set()
        self._notify()

    def _begin(self, pause: Pause | None) -> Session:
        return Session(
            self._order.command(),
            driver=self.analyzer.driver,
            stream=self.stream,
            on_progress=self._notify,
            base=None if pause is None else lambda *arrival: self._after(pause, *arrival),
        )

    def _after(self, pause: Pause, now_ns: int, samples: int, began_ns: int) -> int:
        """The first block after a pause is here: record the gap; returns the number of its first sample."""
        loss = pause.loss(now_ns, samples, began_ns=began_ns, samplerate_hz=self._request.samplerate_hz)
        if self.sample_limit is not None and loss.end >= self.sample_limit:
            return self.sample_limit  # the capture ends in the pause
        LOG.info("%s continues after a pause: %s", self.analyzer.driver, loss)
        self._ledger.losses.append(loss)
        self._sink.gap(loss.start, loss.end)
        self._ledger.pausing = False
        return loss.end

    def _supervise(self) -> None:
        """Watch sigrok-cli, and start it again where that is asked for."""
        request = self._request
        try:
            while True:
                try:
                    self._session.watch(self._stopping, silence_s=request.silence_s, may_end=request.one_shot)
                    self._take_beyond()
                    return
                except AnalyzerError as error:
                    if request.restart is None or self._error is not None or not self.stream.samples:
                        raise
                    self._start_again(error, request.restart)
        except CaptureError as error:
            self._error = self._error or error
            LOG.info("the capture fails: %s", error)
            self._session.process.kill()
        finally:
            self._notify()

    def _take_beyond(self) -> None:
        """Take samples after the last one that is recorded until they tell as much of its time as of earlier ones."""
        beyond_s = BEYOND_S if self.stream.is_full else STOPPED_S
        self.stream.cut()
        until_s = time.monotonic() + (beyond_s if self._request.is_real_time and not self._request.one_shot else 0)
        while time.monotonic() < until_s and not self._is_aborted and self._session.process.exit_status() is None:
            if self._error is not None or self.stream.is_settled:
                return
            time.sleep(SETTLE_S)

    def _start_again(self, error: AnalyzerError, restart: Restart) -> None:
        """Start sigrok-cli until it samples, or the patience or the capture is at an end."""
        self._session.close()
        self._ledger.keep(self._session)
        pause = Pause.begin(self.stream, what=error.what.split(" (sigrok-cli reports")[0])
        self._ledger.pausing = True
        LOG.info("the capture pauses, and is started again for %g s: %s", restart.patience_s, error)
        restart.on_pause(error)
        while not self._stopping.is_set():
            reason = ""
            try:
                self._session = self._begin(pause)
                if self._session.starts(self._stopping, deadline_s=self._request.start_deadline_s):
                    return
                self._session.close()
            except AnalyzerError as absence:  # its port is empty
                reason = f": {absence.what}"
            paused_s = (now_ns() - pause.at_ns) / 1e9
            if paused_s > restart.patience_s:
                raise AnalyzerError(
                    f"{error.what}, and it did not come back in {restart.patience_s:g} s{reason}",
                    where=self.analyzer.driver,
                )
            if (
                self.sample_limit is not None
                and pause.sample + paused_s * self._request.samplerate_hz > self.sample_limit
            ):
                raise AnalyzerError(f"{error.what}, and it did not come back", where=self.analyzer.driver)
            self._stopping.wait(restart.every_s)
