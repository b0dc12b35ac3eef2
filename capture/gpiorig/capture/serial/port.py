"""Serial ports of a bench: what a node sends is recorded with its time, and the same port is used to talk to it."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType

import serial

from gpiorig.capture.deadline import LOOK_S, Deadline
from gpiorig.capture.errors import CaptureError, SerialPortError, SilenceError
from gpiorig.capture.serial.counts import Counts
from gpiorig.capture.serial.line_inbox import Line, LineInbox
from gpiorig.capture.serial.lines import LineAssembler
from gpiorig.capture.serial.link import Link, latency_timer_ms
from gpiorig.capture.serial.port_link import PortLink
from gpiorig.capture.serial.reader import SerialReader
from gpiorig.capture.serial.record import Entry, Kind
from gpiorig.capture.serial.record_queue import RecordQueue
from gpiorig.capture.serial.virtual_stamps import VirtualStamps

FULL_BYTES = 4095  # what a Linux tty holds for its reader (n_tty.c, N_TTY_BUF_SIZE); a pty gives no more at once


def silence(node: str, last: str, *, where: str, within: str = "") -> SilenceError:
    """The error that a node has not sent the expected line; `last` is the last one that came, "" for none."""
    seen = f"last: {last!r}" if last else "nothing came"
    remedy = "look at its supply and cable, whether the right image runs, and its baud rate"
    return SilenceError(f"node {node} has not sent the expected line{within} ({seen})", where=where, remedy=remedy)


class SerialPort:
    """A serial port that is open and recorded, until `close`.

    Parameters
    ----------
    node
        Name of the node on it.
    device
        For instance "/dev/ttyUSB1", or "socket://m3-1:20000" for a serial line at a TCP server.
    baudrate
        Bits per second, 8N1; a line at a TCP server has its own.
    record
        The file to record to (see `serialrecord`); None: it is not recorded.
    stamps
        The virtual bench's timestamps; then these are recorded instead of the host's time.
    reconnect
        Whether a port that was unplugged, or a connection that was closed, is opened again when it is back. Otherwise
        it is an error.
    reader
        The reader of all ports; None: this port has its own.
    news
        Gets the node's name and the entry of each read, write and event, at once.
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
        self._reconnect, self._listener = reconnect, news
        self._lines, self._assembler = LineInbox(), LineAssembler(node)
        self._closing = False
        self._order = threading.RLock()  # timestamps increase in the record
        with contextlib.ExitStack() as opened:
            self._link = PortLink(device, baudrate)
            opened.callback(self._link.drop)
            self._stamps = VirtualStamps(stamps) if stamps is not None else None
            if self._stamps is not None:
                opened.callback(self._stamps.close)
            self._records = RecordQueue(record) if record is not None else None
            opened.pop_all()
        self._reader = reader or SerialReader()
        self._owns_reader = reader is None
        self._note_settings()
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
        link = self._link.link
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
            Returns whether a line is the one.
        deadline_s
            Seconds after which it is an error that it has not come; on a virtual bench its seconds (`Deadline`).
        """
        deadline = Deadline(deadline_s, self._stamps.now_ns if self._stamps else None)
        line, last = self._lines.wait(predicate, deadline)
        if line is None:
            raise silence(self.node, last, within=f" within {deadline_s:g} s", where=self.device)
        return line

    def pass_time(self, duration_s: float) -> None:
        """Wait, on a virtual bench for its seconds; lines that come are passed over."""
        now_ns = self._stamps.now_ns if self._stamps else time.monotonic_ns
        end_ns = now_ns() + round(duration_s * 1e9)
        while (left_ns := end_ns - now_ns()) > 0:
            self._lines.wait(lambda text: False, Deadline(min(left_ns / 1e9, LOOK_S)))

    @property
    def bench_ns(self) -> int | None:
        """The virtual time of its bench, some 0.1 s old at most; None: a real port."""
        return self._stamps.now_ns() if self._stamps else None

    def check(self) -> None:
        """Raise the error that ended the port, if one did."""
        self._lines.check()

    def close(self) -> None:
        """Stop recording and close the port; what had arrived is in the record."""
        if self._closing:
            return
        self._closing = True
        self._link.stop()
        self._reader.remove(self)
        if self._owns_reader:
            self._reader.close()
        self._count_errors()
        self._note_counts()
        self.write_out(sync=False)
        self._link.drop()
        if self._records is not None:
            self._records.close()
        if self._stamps is not None:
            self._stamps.close()

    def __enter__(self) -> SerialPort:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # The reader calls the functions below.

    def fileno(self) -> int:
        """Descriptor to wait on."""
        return self._link.fileno()

    def receive(self) -> bool:
        """Read what has arrived, timestamp it and hand it on; False when nothing had."""
        link = self._link.link
        if link is None or self._lines.has_failed:
            return False
        try:
            with self._order:
                data = link.read()
                stamp_ns, wall_ns = time.monotonic_ns(), time.time_ns()
                if data:
                    self._receive(data, stamp_ns, wall_ns, link)
        except CaptureError as error:
            self._reader.leave(self)
            self._lines.fail(error)
            return False
        except OSError as error:
            self._lose(error)
            return False
        return bool(data)

    def count(self) -> None:
        """Record the driver's counts when an error was added to them."""
        if self._count_errors():
            self._note_counts()

    def write_out(self, *, sync: bool) -> None:
        """Write to disk what was handed on."""
        try:
            if self._records is not None:
                self._records.write_out(sync=sync)
        except OSError as error:
            what, remedy = f"cannot be recorded: {error.strerror}", "free some space, then record again"
            self._lines.fail(SerialPortError(what, where=self.device, remedy=remedy))

    def _receive(self, data: bytes, stamp_ns: int, wall_ns: int, link: Link) -> None:
        counts = self.counts
        counts.reads += 1
        counts.bytes += len(data)
        waiting = len(data) + (link.waiting() if len(data) >= FULL_BYTES else 0)
        counts.most_waiting_bytes = max(counts.most_waiting_bytes, waiting)
        counts.late_reads += waiting >= FULL_BYTES
        for timestamp_ns, part in self._stamps.split(data) if self._stamps else [(stamp_ns, data)]:
            entry = Entry(timestamp_ns, wall_ns, Kind.RECEIVED, part)
            self._record(entry)
            if lines := self._assembler.feed(entry):
                self._lines.put(Line(line.stamp_ns, line.text) for line in lines)

    def _record(self, entry: Entry) -> None:
        if self._records is not None:
            self._records.append(entry)
            self.counts.most_unwritten_bytes = self._records.most_bytes
            self._reader.wake_writer()
        if self._listener is not None:
            self._listener.put((self.node, entry))

    def _note(self, kind: Kind, data: bytes) -> Entry:
        """Record what was done or learned now."""
        with self._order:
            stamp_ns = self._stamps.last_ns if self._stamps else time.monotonic_ns()
            entry = Entry(stamp_ns, time.time_ns(), kind, data)
            self._record(entry)
            return entry

    def _note_settings(self) -> None:
        link = self._link.link
        assert link is not None
        self._note(Kind.OPENED, json.dumps(link.settings).encode())

    def _note_counts(self) -> None:
        self._note(Kind.COUNTED, json.dumps(asdict(self.counts)).encode())

    def _count_errors(self) -> bool:
        new = self._link.errors()
        changed = bool(new) and new != self.counts.driver and any(new.values())
        if new:
            self.counts.driver = new
        return changed

    def _lose(self, error: OSError) -> None:
        """The port is gone: end with an error, or open it again as soon as it is back."""
        why = error.strerror or str(error)
        self._assembler.feed(self._note(Kind.LOST, why.encode()))
        self.counts.losses += 1
        self._reader.leave(self)
        self._link.drop()
        if self._reconnect:
            self._link.reopen(self.node, self._continue)
        else:
            remedy = "check the cable and the adapter, then record again"
            self._lines.fail(SerialPortError(f"the port is gone: {why}", where=self.device, remedy=remedy))

    def _continue(self) -> None:
        self._note_settings()
        self._reader.watch(self)
