"""One sigrok-cli process: its start, its messages while it runs, its end."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence

from gpiorig.capture import log
from gpiorig.capture.errors import AnalyzerError, CaptureError
from gpiorig.capture.sigrok.analyzer import INSTALL, environment
from gpiorig.capture.sigrok.diagnosis import OVERRUNS, diagnose
from gpiorig.capture.sigrok.lost_transfers import Transfers
from gpiorig.capture.sigrok.priority import raise_priority

MAX_LINES = 100  # from the start, and as many from the end
# Up to four lines per packet; those of transfers are counted in `transfers`.
NOISE = re.compile(rb"^[^\n]*(?:In callback|SR_DF_LOGIC|receive_transfer\(\): status)[^\n]*\n?", re.MULTILINE)
TIME = re.compile(rb"(?<=^sr: )\[[\d:.]+\] ")
LOST = re.compile("|".join(OVERRUNS).encode())
MAX_OVERRUNS = 100
STARTED = b"SR_DF_HEADER"
ENDED = b"SR_DF_END"
TERMINATE_S, KILL_S = 1.0, 10.0


class SigrokProcess:
    """A running sigrok-cli with `-l 3`, whose messages are read all the time.

    Parameters
    ----------
    command
        The command line.
    where
        Driver and connection, for errors.
    on_change
        Called when `started`, `ended`, `unitsize` or `complaint` changes: from another thread, and perhaps before the
        constructor returns.
    urgent
        It and the reading of its messages get real-time priority, where that is permitted.

    Attributes
    ----------
    started, ended
        Sampling has begun; it has ended in order.
    started_s
        Monotonic time, in seconds, at which it reported that; before, of its own start.
    unitsize, unitsize_known
        Bytes per sample; 0 until the first packet.
    complaint
        A message that means the capture is worthless, as an error.
    overruns
        Messages that samples were lost, without their time: when the first of them came, as monotonic time in seconds,
        and how many there were.
    transfers
        What the driver reports of USB transfers.
    """

    def __init__(
        self, command: Sequence[str], *, where: str, on_change: Callable[[], None], urgent: bool = False
    ) -> None:
        self.started = self.ended = False
        self.started_s = self._began_s = time.monotonic()
        self.unitsize = 0
        self.unitsize_known = threading.Event()
        self.complaint: AnalyzerError | None = None
        self._where, self._on_change, self._urgent = where, on_change, urgent
        self.overruns: dict[str, tuple[float, int]] = {}
        self.transfers = Transfers()
        self._first: list[bytes] = []
        self._last: deque[bytes] = deque(maxlen=MAX_LINES)
        # Left alone it would spin. So the kernel kills it when we are killed (it goes by the thread that started it:
        # the listener), and the finalizer when this process exits without `end`, by an exception for instance.
        self._listener = threading.Thread(target=self._start, args=(command,), name="sigrok-cli stderr", daemon=True)
        self._popen: subprocess.Popen[bytes]
        self._failure: OSError | None = None
        self._spawned = threading.Event()
        self._listener.start()
        self._spawned.wait()
        if self._failure is not None:
            raise CaptureError(f"cannot be run: {self._failure.strerror}", where=command[0], remedy=INSTALL)
        weakref.finalize(self, self._popen.kill)

    @property
    def pid(self) -> int:
        """Process number."""
        return self._popen.pid

    @property
    def stdout(self) -> int:
        """File descriptor of the sample stream."""
        assert self._popen.stdout is not None
        return self._popen.stdout.fileno()

    @property
    def stderr(self) -> str:
        """Its messages so far, without the lines that come with each packet."""
        return b"\n".join([*self._first, *self._last]).decode(errors="replace")

    def exit_status(self) -> int | None:
        """Return its exit status once it has ended and all its messages are read, else None."""
        status = self._popen.poll()
        if status is not None:
            self._listener.join()
        return status

    def end(self, *, deadline_s: float) -> bool:
        """Ask it to end; terminate and kill it if it does not.

        Returns
        -------
        bool
            True if it ended within `deadline_s` seconds of being asked.
        """
        assert self._popen.stdin is not None
        with contextlib.suppress(OSError):  # it has ended already
            self._popen.stdin.write(b"q")
        for force, patience_s in ((None, deadline_s), (self._popen.terminate, TERMINATE_S), (self.kill, KILL_S)):
            if force is not None:
                force()
            if self._exited_within(patience_s):
                return force is None
        raise AnalyzerError("cannot be killed", where=f"sigrok-cli, process {self.pid}", remedy="unplug the analyzer")

    def kill(self) -> None:
        """Kill it."""
        self._popen.kill()

    def close(self) -> None:
        """Give its resources back; it must have ended, and its stdout must be read to the end."""
        self._popen.wait(KILL_S)
        self._listener.join()
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):  # a `q` that was not read
                    stream.close()
        log.ended("sigrok-cli", self._popen.returncode, began_s=self._began_s, messages=self.stderr)

    def _exited_within(self, patience_s: float) -> bool:
        """Wait in short steps: Popen.wait with a timeout polls with growing pauses of up to 50 ms."""
        end_s = time.monotonic() + patience_s
        while self._popen.poll() is None:
            if time.monotonic() > end_s:
                return False
            time.sleep(0.002)
        return True

    def _start(self, command: Sequence[str]) -> None:
        log.runs(command)
        setpriv = shutil.which("setpriv")  # of util-linux
        try:
            self._popen = subprocess.Popen(
                [setpriv, "--pdeathsig", "KILL", *command] if setpriv else command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=environment(),
                process_group=0,  # Ctrl-C is for us: we end it in order
            )
        except OSError as error:
            self._failure = error
            return
        finally:
            self._spawned.set()
        if self._urgent:
            raised = raise_priority(self._popen.pid) and raise_priority()
            log.LOG.info("sigrok-cli runs at %s priority", "real-time" if raised else "usual")
        self._listen()

    def _listen(self) -> None:
        assert self._popen.stderr is not None
        rest = b""
        while chunk := self._popen.stderr.read(1 << 16):
            complete, newline, rest = (rest + chunk).rpartition(b"\n")
            self._hear(complete + newline)
        self._hear(rest)

    def _hear(self, lines: bytes) -> None:
        if not self.unitsize and (match := re.search(rb"unitsize = (\d+)", lines)):
            self.unitsize = int(match[1])
            self.unitsize_known.set()
            self._on_change()
        self.transfers.feed(lines)
        for line in NOISE.sub(b"", lines).splitlines():
            self._hear_line(line)

    def _hear_line(self, line: bytes) -> None:
        news = False
        if len(self._first) < MAX_LINES:
            self._first.append(line)
        else:
            self._last.append(line)
        if STARTED in line and not self.started:
            self.started_s = time.monotonic()
            self.started = news = True
        if ENDED in line:
            self.ended = news = True
        if b"Can't match samplerate" in line:
            self.complaint, news = diagnose(line.decode(errors="replace"), where=self._where, what=""), True
        if LOST.search(line) and not self.ended:
            text = TIME.sub(b"", line).decode(errors="replace").strip()
            first_s, count = self.overruns.get(text, (time.monotonic(), 0))
            if count or len(self.overruns) < MAX_OVERRUNS:
                self.overruns[text] = first_s, count + 1
        if news:
            self._on_change()
