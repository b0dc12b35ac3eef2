"""Cables between a served virtual bench and the host, which can be pulled and plugged in again.

What a host sees is what a USB adapter that is unplugged shows it, or an analyzer that dies: a hang-up of the port and a
name that is gone, a connection that is closed and then refused, or one that sends nothing.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
import time
import tty
from pathlib import Path

LOOK_S = 0.02
READ_BYTES = 1 << 16
SEGMENT_BYTES = 16_384  # as of the virtual analyzer: libsigrok cuts samples in half with an odd one


class SerialCable:
    """Passes on what a board's port and a pty of our own have; the pty is reached by a symbolic link.

    Parameters
    ----------
    link
        The name of the port for the host.
    """

    def __init__(self, link: Path) -> None:
        self.link = link
        self._board = self._host = -1
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._pass_on, daemon=True)
        self._thread.start()

    def connect(self, device: str) -> None:
        """Join the board's end."""
        with self._lock:
            self._board = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            tty.setraw(self._board)

    def plug(self) -> None:
        """Give the host a port."""
        with self._lock:
            self._host, slave = os.openpty()
            tty.setraw(slave)
            os.set_blocking(self._host, False)
            self.link.symlink_to(os.ttyname(slave))
            os.close(slave)

    def pull(self) -> None:
        """Take the port away; what the board sends is lost."""
        with self._lock:
            self.link.unlink()
            self._host = _closed(self._host)

    def close(self) -> None:
        """End it."""
        self._ending.set()
        self._thread.join()
        self._board, self._host = _closed(self._board), _closed(self._host)
        self.link.unlink(missing_ok=True)

    def _pass_on(self) -> None:
        while not self._ending.is_set():
            with self._lock:
                ends = [end for end in (self._board, self._host) if end >= 0]
                ready = select.select(ends, [], [], LOOK_S)[0] if ends else []
                idle = not [end for end in ready if self._passed(end)]
            time.sleep(LOOK_S if idle else 0.0005)

    def _passed(self, end: int) -> bool:
        """Pass on what is there; False if there is nothing: no program has the port, or the board has no power."""
        other = self._host if end == self._board else self._board
        try:
            data = os.read(end, READ_BYTES)
        except OSError:
            data = b""
        if not data and end == self._board:
            self._board = _closed(self._board)
        if data and other >= 0:
            with contextlib.suppress(OSError):
                os.write(other, data)
        return bool(data)


class AnalyzerCable:
    """Passes on connections to the analyzer, at a port of its own that stays the same.

    Attributes
    ----------
    port
        Its own.
    analyzer
        The analyzer's port.
    """

    def __init__(self) -> None:
        self.port = self.analyzer = 0
        self._listener: socket.socket | None = None
        self._connections: list[socket.socket] = []
        self._flows = threading.Event()
        self._flows.set()
        self.plug()

    @property
    def driver(self) -> str:
        """How sigrok-cli names the analyzer through it."""
        return f"beaglelogic:conn=tcp-raw/127.0.0.1/{self.port}"

    def plug(self) -> None:
        """Take connections."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT_BYTES)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def pull(self) -> None:
        """Close all connections, and refuse others."""
        sockets, self._connections = self._connections, []
        for one in [*([self._listener] if self._listener else []), *sockets]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._listener = None

    def hold(self) -> None:
        """Pass nothing on, without an end of the connection."""
        self._flows.clear()

    def release(self) -> None:
        """Pass on again."""
        self._flows.set()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):  # it was pulled
            while True:
                host = listener.accept()[0]
                try:
                    analyzer = socket.create_connection(("127.0.0.1", self.analyzer))
                except OSError:  # it has no power
                    host.close()
                    continue
                self._connections += [host, analyzer]
                for source, target in ((host, analyzer), (analyzer, host)):
                    threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(READ_BYTES):
                self._flows.wait()
                target.sendall(data)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


def _closed(file: int) -> int:
    if file >= 0:
        os.close(file)
    return -1
