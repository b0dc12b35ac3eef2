"""One run of sigrok-cli within a capture: its process, the thread that reads its samples, and what can go wrong."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from gpiorig.capture.errors import AnalyzerError, CaptureError
from gpiorig.capture.log import LOG
from gpiorig.capture.sigrok import lost_transfers
from gpiorig.capture.sigrok.diagnosis import diagnose, ended
from gpiorig.capture.sigrok.peer import Peer
from gpiorig.capture.sigrok.priority import raise_priority
from gpiorig.capture.sigrok.process import SigrokProcess
from gpiorig.capture.sigrok.stream import SampleStream
from gpiorig.capture.sigrok.wall_clock import now_ns

WATCH_S = 0.1
HALTED_S = 2.0  # between two looks: this process did not run; a busy host delays one by less than a second
DRAIN_S = 0.5  # after its peer has gone, sigrok-cli may still hold samples for this long
UNITSIZE_DEADLINE_S = 5.0


class Session:
    """A run of sigrok-cli, from its start to its end.

    Parameters
    ----------
    command
        The command line.
    driver
        Driver and connection.
    stream
        Where the samples go.
    on_progress
        Called, from other threads, when there is news.
    base
        Called with the time (`wall_clock.now_ns`) of the first block, its complete samples, and the time since which
        the analyzer may have sampled; returns the number of its first sample. None: numbers continue.

    Attributes
    ----------
    process
        The process.
    error
        What ended the reading of samples, if anything did.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        driver: str,
        stream: SampleStream,
        on_progress: Callable[[], None],
        base: Callable[[int, int, int], int] | None = None,
    ) -> None:
        self._driver, self._stream, self._on_progress, self._base = driver, stream, on_progress, base
        self.error: CaptureError | None = None
        self.began_s = time.monotonic()
        self._resumed_s, self._halted_s = self.began_s, 0.0
        self._began_ns = now_ns()
        self._closed = False
        self._urgent = driver.partition(":")[0] in lost_transfers.DRIVERS  # others are not lost by waiting, or may spin
        self.process = SigrokProcess(command, where=driver, on_change=on_progress, urgent=self._urgent)
        self._reader = threading.Thread(target=self._read, name="capture read", daemon=True)
        self._reader.start()

    def starts(self, stopping: threading.Event, *, deadline_s: float) -> bool:
        """Wait until the analyzer samples; returns whether it does within `deadline_s` seconds."""
        end_s = time.monotonic() + deadline_s
        while not self.process.started and self.process.exit_status() is None and time.monotonic() < end_s:
            if stopping.wait(0.01):
                break
        return self.process.started

    def watch(self, stopping: threading.Event, *, silence_s: float | None, may_end: bool) -> None:
        """Return once the capture is to stop, or has all its samples.

        Parameters
        ----------
        stopping
            Set when the capture is to stop.
        silence_s
            Seconds without a sample that count as a failure; None: silence is not a failure.
        may_end
            sigrok-cli was given a number of samples, and ends alone.

        Raises
        ------
        CaptureError
            sigrok-cli ended, its analyzer went away, or it is silent for too long.
        """
        try:
            self._watch(stopping, silence_s=silence_s, may_end=may_end)
        except AnalyzerError as error:
            if not self._halted_s:
                raise
            halt = f"this program did not run for {self._halted_s:.1f} s (stopped, or the host slept)"
            raise AnalyzerError(
                f"{halt}; then: {error.what}", where=error.where, remedy="let it run, and record again"
            ) from error

    def _watch(self, stopping: threading.Event, *, silence_s: float | None, may_end: bool) -> None:
        looked_s = time.monotonic()
        peer = Peer(self.process.pid, expected="conn=tcp" in self._driver)
        while (status := self.process.exit_status()) is None:
            if stopping.wait(WATCH_S) or self._stream.is_full:
                return
            now_s = time.monotonic()
            if now_s - looked_s > HALTED_S:
                self._halted_s, self._resumed_s = now_s - looked_s, now_s
                LOG.info("this program did not run for %.1f s: it was stopped, or the host slept", self._halted_s)
            looked_s = now_s
            if self.error is not None:
                raise self.error
            if self.process.complaint is not None:
                raise self.process.complaint
            if not self.process.started:
                continue
            silent_s = now_s - max(self._stream.last_s, self._resumed_s)
            # Samples that come tell that the peer is there; the kernel's list of connections takes it 10 ms to write.
            if silent_s > WATCH_S and min(peer.gone_s(now_s), silent_s) > DRAIN_S:
                what = f"the analyzer closed the connection after {self._stream.samples} samples"
                raise AnalyzerError(what, where=self._driver, remedy="look at why it ended, and record again")
            if silence_s is not None and silent_s > silence_s:
                what = f"no sample for {silence_s:g} s, after {self._stream.samples} samples"
                if self.process.transfers.failing or self.process.transfers.empty:
                    raise ended(self.process.stderr, self.process.transfers, where=self._driver, what=what)
                raise AnalyzerError(what, where=self._driver, remedy=_remedy(self._driver))
        self._reader.join()
        if self.error is not None:
            raise self.error
        if stopping.is_set() or self._stream.is_full:
            return
        if not (self.process.ended and status == 0):
            what = f"sigrok-cli stopped unexpectedly with status {status}, after {self._stream.samples} samples"
            raise diagnose(self.process.stderr, where=self._driver, what=what)
        if not may_end:
            what = f"the analyzer stopped unexpectedly after {self._stream.samples} samples"
            raise ended(self.process.stderr, self.process.transfers, where=self._driver, what=what)

    def end(self, *, deadline_s: float) -> bool:
        """Ask sigrok-cli to end, and wait for it; returns whether it ended in order and in time."""
        if self._closed:
            return False
        asked_enough = self.process.end(deadline_s=deadline_s)
        self.close()
        return asked_enough and self.process.ended and self.error is None

    def close(self) -> None:
        """Kill sigrok-cli if it still runs, and wait until all samples are read."""
        if self._closed:
            return
        self._closed = True
        self.process.kill()
        self._reader.join()
        self.process.close()

    def _read(self) -> None:
        if self._urgent:
            raise_priority()
        try:
            base = None if self._base is None else self._number
            self._stream.run(self.process.stdout, unitsize=self._bytes_per_sample, began_ns=self._began_ns, base=base)
        except CaptureError as error:
            self.error = error
        except OSError as error:
            self.error = CaptureError(f"cannot read samples: {error}", where=self._driver)
        finally:
            if self.error is not None:
                self.process.kill()
            self._on_progress()

    def _number(self, arrival_ns: int, samples: int) -> int:
        assert self._base is not None
        started_s = self.process.started_s - self.began_s
        return self._base(arrival_ns, samples, self._began_ns + round(started_s * 1e9))

    def _bytes_per_sample(self) -> int:
        """sigrok-cli reports it before the first sample, but the message may still be unread."""
        if not self.process.unitsize_known.wait(UNITSIZE_DEADLINE_S):
            raise AnalyzerError("sigrok-cli does not report the size of a sample", where=self._driver)
        return self.process.unitsize


def _remedy(driver: str) -> str:
    """What to do about an analyzer that is silent."""
    served = (
        "; a virtual bench at the fast pace is silent while its boards sleep: serve it with --pace real-time; at the "
        "real-time pace of a busy machine: wait longer, --silence 40s"
    )
    return "check the analyzer's connection" + (served if "/127.0.0.1/" in driver else "")
