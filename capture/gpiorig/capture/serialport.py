"""Serial ports of a bench: what a node sends is recorded with its time, and the same port is used to talk to it."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import struct
import termios
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import serial

from gpiorig.capture.errors import CaptureError, SerialPortError
from gpiorig.capture.serialrecord import Kind, SerialWriter

READ_BYTES = 1 << 16
SYNC_S = 1.0
WRITE_DEADLINE_S = 5.0
STAMP_DEADLINE_S = 2.0
KEPT_LINES = 100_000  # lines nobody has waited for
STAMP = struct.Struct("<QI")  # virtual ns at which the modelled host has the bytes, and how many

Piece = tuple[int, bytes]


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


class VirtualStamps:
    """The virtual bench's time of each chunk of bytes: the bench appends a record to a file before it sends a chunk.

    Parameters
    ----------
    path
        The file. Records that are there already belong to bytes sent before the port was opened, and are skipped.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("rb", buffering=0)
        except OSError as error:
            remedy = "is the virtual bench running?"
            raise SerialPortError(f"no virtual stamps: {error.strerror}", where=path, remedy=remedy) from error
        size = os.fstat(self._file.fileno()).st_size
        self._file.seek(size - size % STAMP.size)
        self._path = path
        self._stamp_ns = self._left = 0

    def split(self, data: bytes) -> list[Piece]:
        """Cut bytes that were read into (virtual ns, bytes) at the bounds of the bench's chunks."""
        pieces = []
        while data:
            if self._left == 0:
                self._stamp_ns, self._left = self._next()
            taken = min(self._left, len(data))
            pieces.append((self._stamp_ns, data[:taken]))
            self._left -= taken
            data = data[taken:]
        return pieces

    @property
    def last_ns(self) -> int:
        """Stamp of the latest chunk."""
        return self._stamp_ns

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _next(self) -> tuple[int, int]:
        end_s = time.monotonic() + STAMP_DEADLINE_S
        record = b""
        while time.monotonic() < end_s:
            record += self._file.read(STAMP.size - len(record)) or b""
            if len(record) == STAMP.size:
                stamp_ns, count = STAMP.unpack(record)
                if count:
                    return int(stamp_ns), int(count)
                record = b""
            else:
                time.sleep(0.001)
        remedy = "the bench must write a stamp before the bytes"
        raise SerialPortError("bytes came without a virtual stamp", where=self._path, remedy=remedy)


class SerialPort:
    """A serial port that is open and recorded, until `close`.

    Parameters
    ----------
    node
        Name of the node on it.
    device
        For instance "/dev/ttyUSB1".
    baudrate
        Bits per second, 8N1.
    record
        The file to record to (see `serialrecord`).
    stamps
        The virtual bench's stamps; then these are recorded instead of the host's time.
    """

    def __init__(self, node: str, device: str, *, baudrate: int, record: Path, stamps: Path | None = None) -> None:
        self.node, self.device = node, device
        self._port = _open(device, baudrate)
        self._stamps: VirtualStamps | None = None
        try:
            self._stamps = VirtualStamps(stamps) if stamps is not None else None
            self._writer = SerialWriter(record)
        except BaseException:
            self._port.close()
            if self._stamps is not None:
                self._stamps.close()
            raise
        self._lines: deque[Line] = deque(maxlen=KEPT_LINES)
        self._rest = b""
        self._news = threading.Condition()
        self._error: CaptureError | None = None
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._run, name=f"serial {node}", daemon=True)
        self._thread.start()

    @property
    def latency_timer_ms(self) -> int | None:
        """How long an FTDI adapter holds bytes back, in ms; None when there is no such adapter."""
        path = Path("/sys/class/tty") / Path(self.device).resolve().name / "device/latency_timer"
        try:
            return int(path.read_text())
        except (OSError, ValueError):
            return None

    def write_line(self, text: str) -> None:
        """Send a line."""
        data = text.encode() + b"\n"
        self.check()
        try:
            self._port.write(data)
        except (serial.SerialException, OSError) as error:
            remedy = "check the cable and the node"
            raise SerialPortError(f"cannot write: {error}", where=self.device, remedy=remedy) from error
        stamp_ns = self._stamps.last_ns if self._stamps else time.monotonic_ns()
        with self._news:
            self._writer.append(data, stamp_ns=stamp_ns, wall_ns=time.time_ns(), kind=Kind.SENT)

    def wait_line(self, predicate: Callable[[str], bool], *, deadline_s: float) -> Line:
        """Wait for a line; lines before it are passed over and not seen by later waits.

        Parameters
        ----------
        predicate
            Says whether a line is the one.
        deadline_s
            Seconds after which it is an error that it has not come.
        """
        end_s = time.monotonic() + deadline_s
        last = ""
        with self._news:
            while True:
                while self._lines:
                    line = self._lines.popleft()
                    if predicate(line.text):
                        return line
                    last = line.text
                self.check()
                left_s = end_s - time.monotonic()
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
        if self._wake_write < 0:
            return
        os.write(self._wake_write, b"x")
        self._thread.join()
        os.close(self._wake_write)
        os.close(self._wake_read)
        self._wake_write = -1
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._port.fileno(), termios.TIOCNXCL)
        self._port.close()
        self._writer.close()
        if self._stamps is not None:
            self._stamps.close()

    def __enter__(self) -> SerialPort:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self) -> None:
        try:
            self._record()
        except CaptureError as error:
            self._error = error
        except OSError as error:
            remedy = "check the cable and the adapter, then record again"
            self._error = SerialPortError(f"the port is gone: {error.strerror}", where=self.device, remedy=remedy)
        with self._news:
            self._news.notify_all()

    def _record(self) -> None:
        port = self._port.fileno()
        synced_s = time.monotonic()
        while True:
            ready = select.select([port, self._wake_read], [], [], SYNC_S)[0]
            if port in ready:
                data = os.read(port, READ_BYTES)
                stamp_ns, wall_ns = time.monotonic_ns(), time.time_ns()
                if not data:
                    raise OSError(errno.ENODEV, "it was unplugged")
                self._take(self._stamps.split(data) if self._stamps else [(stamp_ns, data)], wall_ns)
            elif self._wake_read in ready:
                return
            if time.monotonic() - synced_s >= SYNC_S:
                self._writer.sync()
                synced_s = time.monotonic()

    def _take(self, pieces: list[Piece], wall_ns: int) -> None:
        with self._news:
            for stamp_ns, data in pieces:
                self._writer.append(data, stamp_ns=stamp_ns, wall_ns=wall_ns)
                *lines, self._rest = (self._rest + data).split(b"\n")
                self._lines.extend(Line(stamp_ns, line.rstrip(b"\r").decode(errors="replace")) for line in lines)
            self._news.notify_all()


def _open(device: str, baudrate: int) -> serial.Serial:
    """Open a port for us alone, with the shortest latency the adapter offers."""
    try:
        port = serial.Serial(device, baudrate, timeout=0, write_timeout=WRITE_DEADLINE_S, exclusive=True)
    except (serial.SerialException, OSError, ValueError) as error:
        raise _explain(error, device, baudrate) from error
    with contextlib.suppress(OSError):
        fcntl.ioctl(port.fileno(), termios.TIOCEXCL)  # keeps out programs that do not look for locks
    with contextlib.suppress(OSError, ValueError, NotImplementedError):  # a pty or an adapter without the option
        port.set_low_latency_mode(True)
    return port


def _explain(error: Exception, device: str, baudrate: int) -> SerialPortError:
    number = getattr(error, "errno", None)
    if number == errno.ENOENT:
        return SerialPortError("there is no such port", where=device, remedy="check the cable and the bench file")
    if number == errno.EACCES:
        return SerialPortError("no permission", where=device, remedy="add yourself to its group: adduser $USER dialout")
    if number in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in str(error):
        remedy = "close the program that has it (`fuser` names it)"
        return SerialPortError("the port is in use by another program", where=device, remedy=remedy)
    return SerialPortError(f"cannot be opened at {baudrate} baud: {error}", where=device, remedy="check the bench file")
