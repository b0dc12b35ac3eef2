"""Links of serial ports: a device of this host, or a TCP server that passes on a distant one."""

from __future__ import annotations

import array
import contextlib
import errno
import fcntl
import os
import select
import socket
import struct
import termios
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import serial

from gpiorig.capture.errors import SerialPortError

READ_BYTES = 1 << 16
WRITE_DEADLINE_S = 5.0
CONNECT_DEADLINE_S = 2.0
TCP_SCHEMES = ("socket", "tcp")  # pyserial's name, and the plain one
IOTLAB_PORT = 20000  # of the serial line of an IoT-LAB node: iotlabaggregator/connections.py, `Connection.port`
RECEIVE_BUFFER_BYTES = 1 << 20  # asked of TCP: 20 s at 500 kbaud
TIOCGICOUNT = 0x545D  # asm-generic/ioctls.h
# linux/serial.h, struct serial_icounter_struct: cts dsr rng dcd rx tx frame overrun parity brk buf_overrun reserved[9].
ICOUNTER = struct.Struct("20i")
ERROR_COUNTERS = {"frame": 6, "overrun": 7, "parity": 8, "break": 9, "buffer_overrun": 10}

Settings = dict[str, str | int | bool | None]


class Link(Protocol):
    """An open port, which raises OSError when it is gone."""

    @property
    def settings(self) -> Settings:
        """How it is set, for the record."""

    def fileno(self) -> int:
        """Descriptor to wait on."""

    def read(self) -> bytes:
        """Take what has arrived, b"" when nothing has."""

    def write(self, data: bytes) -> None:
        """Send, within a deadline."""

    def waiting(self) -> int:
        """Return the number of bytes that wait in the kernel."""

    def errors(self) -> dict[str, int]:
        """Return what the driver has counted since it was loaded; empty when it does not count."""

    def close(self) -> None:
        """Give it back."""


class DeviceLink:
    """A serial device of this host, for us alone and with the shortest latency that it offers, 8N1."""

    def __init__(self, device: str, baudrate: int) -> None:
        try:
            self._port = serial.Serial(device, baudrate, timeout=0, write_timeout=WRITE_DEADLINE_S, exclusive=True)
        except (serial.SerialException, OSError, ValueError) as error:
            raise _explain(error, device, baudrate) from error
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._port.fileno(), termios.TIOCEXCL)  # keeps out programs that do not look for locks
        self._low_latency = False
        # A pty or an adapter without the option refuses. ftdi_sio sets its latency timer to 1 ms for it.
        with contextlib.suppress(OSError, ValueError, NotImplementedError):
            self._port.set_low_latency_mode(True)
            self._low_latency = True
        if latency_timer_ms(device) not in (None, 1):
            with contextlib.suppress(OSError):
                _latency_timer(device).write_text("1")  # root may
        self._device, self._baudrate = device, baudrate

    @property
    def settings(self) -> Settings:
        """How it is set, for the record."""
        return {
            "port": self._device,
            "baudrate": self._baudrate,
            "low_latency": self._low_latency,
            "latency_timer_ms": latency_timer_ms(self._device),
            "driver": _driver(self._device),
        }

    def fileno(self) -> int:
        """Descriptor to wait on."""
        return int(self._port.fileno())

    def read(self) -> bytes:
        """Take what has arrived, b"" when nothing has."""
        data = self._read()
        if not data and select.select([self._port.fileno()], [], [], 0)[0]:
            data = self._read()  # what came in between
            if not data:
                raise OSError(errno.ENODEV, "it was unplugged")
        return data

    def _read(self) -> bytes:
        try:
            return os.read(self._port.fileno(), READ_BYTES)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> None:
        """Send, within a deadline."""
        self._port.write(data)

    def waiting(self) -> int:
        """Return the number of bytes that wait in the kernel."""
        return _waiting(self.fileno())

    def errors(self) -> dict[str, int]:
        """Return what the driver has counted since it was loaded; empty when it does not count."""
        counters = bytearray(ICOUNTER.size)
        try:
            fcntl.ioctl(self.fileno(), TIOCGICOUNT, counters)
        except OSError:
            return {}
        counts = ICOUNTER.unpack(counters)
        return {name: counts[index] for name, index in ERROR_COUNTERS.items()}

    def close(self) -> None:
        """Give it back."""
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._port.fileno(), termios.TIOCNXCL)
        with contextlib.suppress(OSError):
            self._port.close()


class TcpLink:
    """A serial line at a TCP server, such as an IoT-LAB node's port 20000 or ser2net's raw mode."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        try:
            host, port = parts.hostname, parts.port or IOTLAB_PORT
        except ValueError as error:
            raise SerialPortError(
                f"is not an address: {error}", where=url, remedy="a valid one: socket://m3-1:20000"
            ) from error
        if not host:
            raise SerialPortError("names no host", where=url, remedy="a valid one: socket://m3-1:20000")
        try:
            self._socket = socket.create_connection((host, port), CONNECT_DEADLINE_S)
        except OSError as error:
            remedy = "check host and port; an IoT-LAB node takes one client, and only while its experiment runs"
            raise SerialPortError(f"no connection: {error.strerror or error}", where=url, remedy=remedy) from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._socket.setblocking(False)
        self._url = url

    @property
    def settings(self) -> Settings:
        """How it is set, for the record."""
        return {
            "port": self._url,
            "receive_buffer_bytes": self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF),
        }

    def fileno(self) -> int:
        """Descriptor to wait on."""
        return self._socket.fileno()

    def read(self) -> bytes:
        """Take what has arrived."""
        try:
            data = self._socket.recv(READ_BYTES)
        except BlockingIOError:
            return b""
        if not data:
            raise OSError(errno.ECONNRESET, "the server closed the connection")
        return data

    def write(self, data: bytes) -> None:
        """Send, within a deadline."""
        left = memoryview(data)
        while left:
            if not select.select([], [self._socket], [], WRITE_DEADLINE_S)[1]:
                raise OSError(errno.ETIMEDOUT, "the server takes no data")
            left = left[self._socket.send(left) :]

    def waiting(self) -> int:
        """Return the number of bytes that wait in the kernel."""
        return _waiting(self.fileno())

    def errors(self) -> dict[str, int]:
        """Return nothing: TCP loses no byte, and a loss before it is not reported."""
        return {}

    def close(self) -> None:
        """Give it back."""
        self._socket.close()


def open_link(port: str, baudrate: int) -> Link:
    """Open a port.

    Parameters
    ----------
    port
        A device such as "/dev/ttyUSB1", or "socket://host:20000".
    baudrate
        Bits per second; a TCP server has its own.
    """
    scheme, has_scheme, _ = port.partition("://")
    if not has_scheme:
        return DeviceLink(port, baudrate)
    if scheme in TCP_SCHEMES:
        return TcpLink(port)
    remedy = "give a device such as /dev/ttyUSB1, or socket://host:20000"
    raise SerialPortError(f"{scheme}:// is not a kind of port that can be recorded", where=port, remedy=remedy)


def latency_timer_ms(device: str) -> int | None:
    """Return how long an FTDI adapter holds bytes back, in ms; None when there is no such adapter."""
    try:
        return int(_latency_timer(device).read_text())
    except (OSError, ValueError):
        return None


def _sysfs(device: str) -> Path:
    return Path("/sys/class/tty") / Path(device).resolve().name / "device"


def _latency_timer(device: str) -> Path:
    return _sysfs(device) / "latency_timer"


def _driver(device: str) -> str | None:
    path = _sysfs(device) / "driver"
    return path.resolve().name if path.exists() else None


def _waiting(descriptor: int) -> int:
    count = array.array("i", [0])
    try:
        fcntl.ioctl(descriptor, termios.FIONREAD, count)
    except OSError:
        return 0
    return count[0]


def _explain(error: Exception, device: str, baudrate: int) -> SerialPortError:
    number = getattr(error, "errno", None)
    if number == errno.ENOENT:
        from serial.tools import list_ports  # slow to import, and rarely needed

        there = ", ".join(sorted(port.device for port in list_ports.comports()))
        remedy = f"{f'there are {there}' if there else 'there is no port at all'}: check the cable and the bench file"
        return SerialPortError("there is no such port", where=device, remedy=remedy)
    if number == errno.EACCES:
        return SerialPortError("no permission", where=device, remedy="add yourself to its group: adduser $USER dialout")
    if number in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in str(error):
        remedy = "close the program that has it (`fuser` names it)"
        return SerialPortError("the port is in use by another program", where=device, remedy=remedy)
    return SerialPortError(f"cannot be opened at {baudrate} baud: {error}", where=device, remedy="check the bench file")
