"""Serial ports of a bench: what a node sends is recorded with its time, and the same port is used to talk to it."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType

import serial

from gpiorig.capture.deadline import Deadline
from gpiorig.capture.errors import CaptureError, SerialPortError
from gpiorig.capture.serial.counts import Counts
from gpiorig.capture.serial.lines import LineAssembler
from gpiorig.capture.serial.link import Link, latency_timer_ms, open_link
from gpiorig.capture.serial.reader import SerialReader
from gpiorig.capture.serial.record import Entry, Kind, SerialWriter
from gpiorig.capture.serial.virtual_stamps import VirtualStamps

KEPT_LINES = 100_000  # lines nobody has waited for
REOPEN_S = 0.25
FULL_BYTES = 4095  # what a Linux tty holds for its reader (n_tty.c, N_TTY_BUF_SIZE); a pty gives no more at once


@dataclass(frozen=True, slots=True)
class Line:
    """A line that a node has sent.

    Attributes
    ----------
    stamp_ns
        When the read that completed it ended, in ns of the serial clock.
    text
        The line, without its end.
    """

    stamp_ns: int
    text: str


class SerialPort:
    """A serial port that is open and recorded, until `close`.

    Parameters
    ----------
    node
        Name of the node on it.
    device
        For instance "/dev/ttyUSB1", or "socket://m3-1:20000" for a serial line behind TCP.
    baudrate
        Bits per second, 8N1; a line behind TCP has its own.
    record
        The file to record to (see `serialrecord`); None: it is not recorded.
    stamps
        The virtual bench's stamps; then these are recorded instead of the host's time.
    reconnect
        Whether a port that was unplugged, or a connection that was closed, is opened again when it is back. Otherwise
        it is an error.
    reader
        The reader of all ports; None: this port has its own.
    news
        Gets the node's name and the entry of each read, write and event, as soon as it is known.
    """

    def __init__(
        self,
        node: str,
        device: str,
        *,
        baudrate: int,
        record: Path | None,
        stamps: Path | None = None,
        reconnect: bool = False,
        reader: SerialReader | None = None,
        news: SimpleQueue[tuple[str, Entry]] | None = None,
    ) -> None:
        self.node, self.device, self.counts = node, device, Counts()
        self._baudrate, self._reconnect, self._listener = baudrate, reconnect, news
        self._lines: deque[Line] = deque(maxlen=KEPT_LINES)
        self._assembler = LineAssembler(node)
        self._news = threading.Condition()
        self._error: CaptureError | None = None
        self._unwritten: list[bytes] = []
        self._unwritten_bytes = 0
        self._unsynced = self._closing = False
        self._order = threading.RLock()  # stamps increase in the record
        self._disk = threading.Lock()
        self._reopening = threading.Lock()  # a reopener that others see has been started
        self._reopener: threading.Thread | None = None
        self._link: Link | None = open_link(device, baudrate)
        self._stamps: VirtualStamps | None = None
        self._writer: SerialWriter | None = None
        try:
            self._stamps = VirtualStamps(stamps) if stamps is not None else None
            self._writer = SerialWriter(record) if record is not None else None
        except BaseException:
            self._link.close()
            if self._stamps is not None:
                self._stamps.close()
            raise
        self._errors_before = self._link.errors()
        self._reader = reader or SerialReader()
        self._owns_reader = reader is None
        self._opened(self._link)
        self._reader.add(self)

    @property
    def latency_timer_ms(self) -> int | None:
        """How long an FTDI adapter holds bytes back, in ms; None when there is no such adapter."""
        return latency_timer_ms(self.device)

    def write_line(self, text: str) -> None:
        """Send a line."""
        self.send(text.encode() + b"\n")

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self.check()
        remedy = "check the cable and the node"
        link = self._link
        if link is None:
            raise SerialPortError("cannot write: the port is gone", where=self.device, remedy=remedy)
        self._note(Kind.SENT, data)
        try:
            link.write(data)
        except (serial.SerialException, OSError) as error:
            raise SerialPortError(f"cannot write: {error}", where=self.device, remedy=remedy) from error

    def wait_line(self, predicate: Callable[[str], bool], *, deadline_s: float) -> Line:
        """Wait for a line; lines before it are passed over and not seen by later waits.

        Parameters
        ----------
        predicate
            Says whether a line is the one.
        deadline_s
            Seconds after which it is an error that it has not come; on a virtual bench its seconds (`Deadline`).
        """
        deadline = Deadline(deadline_s, self._stamps.now_ns if self._stamps else None)
        last = ""
        with self._news:
            while True:
                while self._lines:
                    line = self._lines.popleft()
                    if predicate(line.text):
                        return line
                    last = line.text
                self.check()
                left_s = deadline.left_s()
                if left_s <= 0:
                    raise SerialPortError(
                        f"node {self.node} has not sent the expected line within {deadline_s:g} s (last: {last!r})",
                        where=self.device,
                        remedy="check that the right firmware runs, and its baud rate",
                    )
                self._news.wait(left_s)

    def check(self) -> None:
        """Raise what went wrong with the port, if anything did."""
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Stop recording and close the port; what had arrived is in the record."""
        if self._closing:
            return
        self._closing = True
        with self._reopening:
            reopener = self._reopener
        if reopener is not None:
            reopener.join()
        self._reader.remove(self)
        if self._owns_reader:
            self._reader.close()
        self._count_errors()
        self._counted()
        self.write_out(sync=False)
        if self._link is not None:
            self._link.close()
        with self._disk:
            if self._writer is not None:
                self._writer.close()
            self._writer = None
        if self._stamps is not None:
            self._stamps.close()

    def __enter__(self) -> SerialPort:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # What follows is called by the reader.

    def fileno(self) -> int:
        """Descriptor to wait on."""
        return self._link.fileno() if self._link is not None else -1

    def receive(self) -> bool:
        """Read what is there, stamp it and hand it on; False when there was nothing."""
        link = self._link
        if link is None or self._error is not None:
            return False
        try:
            with self._order:
                data = link.read()
                stamp_ns, wall_ns = time.monotonic_ns(), time.time_ns()
                if data:
                    self._take(data, stamp_ns, wall_ns, link)
        except CaptureError as error:
            self._give_up(error)
            return False
        except OSError as error:
            self._lose(link, error)
            return False
        return bool(data)

    def count(self) -> None:
        """Record the driver's counts when an error was added to them."""
        if self._count_errors():
            self._counted()

    def write_out(self, *, sync: bool) -> None:
        """Write to disk what was handed on."""
        with self._disk:
            with self._news:
                records, self._unwritten, self._unwritten_bytes = self._unwritten, [], 0
            try:
                if records and self._writer is not None:
                    self._writer.write(b"".join(records))
                    self._unsynced = True
                if sync and self._unsynced and self._writer is not None:
                    self._writer.sync()
                    self._unsynced = False
            except OSError as error:
                remedy = "free some space, then record again"
                self._fail(SerialPortError(f"cannot be recorded: {error.strerror}", where=self.device, remedy=remedy))

    def _take(self, data: bytes, stamp_ns: int, wall_ns: int, link: Link) -> None:
        counts = self.counts
        counts.reads += 1
        counts.bytes += len(data)
        waiting = len(data) + (link.waiting() if len(data) >= FULL_BYTES else 0)
        counts.most_waiting_bytes = max(counts.most_waiting_bytes, waiting)
        counts.late_reads += waiting >= FULL_BYTES
        for stamp, piece in self._stamps.split(data) if self._stamps else [(stamp_ns, data)]:
            entry = Entry(stamp, wall_ns, Kind.RECEIVED, piece)
            self._keep(entry)
            if lines := self._assembler.feed(entry):
                with self._news:
                    self._lines.extend(Line(line.stamp_ns, line.text) for line in lines)
                    self._news.notify_all()

    def _keep(self, entry: Entry) -> None:
        if self._writer is not None:
            record = self._writer.encode(entry.data, stamp_ns=entry.stamp_ns, wall_ns=entry.wall_ns, kind=entry.kind)
            with self._news:
                self._unwritten.append(record)
                self._unwritten_bytes += len(record)
                self.counts.most_unwritten_bytes = max(self.counts.most_unwritten_bytes, self._unwritten_bytes)
            self._reader.wake_writer()
        if self._listener is not None:
            self._listener.put((self.node, entry))

    def _note(self, kind: Kind, data: bytes) -> Entry:
        """Keep what we did or learned now."""
        with self._order:
            stamp_ns = self._stamps.last_ns if self._stamps else time.monotonic_ns()
            entry = Entry(stamp_ns, time.time_ns(), kind, data)
            self._keep(entry)
            return entry

    def _opened(self, link: Link) -> None:
        self._note(Kind.OPENED, json.dumps(link.settings).encode())

    def _counted(self) -> None:
        self._note(Kind.COUNTED, json.dumps(asdict(self.counts)).encode())

    def _count_errors(self) -> bool:
        found = self._link.errors() if self._link is not None else {}
        new = {name: count - self._errors_before.get(name, 0) for name, count in found.items()}
        changed = bool(new) and new != self.counts.driver and any(new.values())
        if new:
            self.counts.driver = new
        return changed

    def _lose(self, link: Link, error: OSError) -> None:
        """The port is gone: give up, or open it again as soon as it is back."""
        why = error.strerror or str(error)
        self._assembler.feed(self._note(Kind.LOST, why.encode()))
        self.counts.losses += 1
        self._reader.leave(self)
        self._link = None
        link.close()
        if self._reconnect:
            with self._reopening:
                self._reopener = threading.Thread(target=self._reopen, name=f"serial reopen {self.node}", daemon=True)
                self._reopener.start()
        else:
            remedy = "check the cable and the adapter, then record again"
            self._fail(SerialPortError(f"the port is gone: {why}", where=self.device, remedy=remedy))

    def _give_up(self, error: CaptureError) -> None:
        self._reader.leave(self)
        self._fail(error)

    def _fail(self, error: CaptureError) -> None:
        with self._news:
            self._error = error
            self._news.notify_all()

    def _reopen(self) -> None:
        while not self._closing:
            time.sleep(REOPEN_S)
            with contextlib.suppress(SerialPortError):
                self._link = link = open_link(self.device, self._baudrate)
                self._errors_before = link.errors()
                self._opened(link)
                self._reader.watch(self)
                return
