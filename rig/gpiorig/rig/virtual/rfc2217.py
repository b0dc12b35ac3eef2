"""A board's serial adapter over the network, by RFC 2217: unlike a pty it carries the modem lines.

On a TelosB they lead, through a switch, to the processor's reset and thus to its bootstrap loader. Programs open it with
pyserial as `rfc2217://127.0.0.1:PORT`.
"""

from __future__ import annotations

import contextlib
import socket
from typing import Any

from serial.rfc2217 import PortManager

from gpiorig.rig.virtual.vboards import VirtualBoards

_BLOCK = 4096


class _Line:
    """What pyserial's `PortManager` takes for a serial port: settings to keep, and two lines that lead to the board."""

    def __init__(self, boards: VirtualBoards, board: int) -> None:
        self._boards, self._board = boards, board
        self.baudrate, self.bytesize, self.parity, self.stopbits = 9600, 8, "N", 1
        self.rtscts = self.xonxoff = self.break_condition = False
        self.cts = self.dsr = self.cd = True
        self.ri = False
        self._dtr = self._rts = False

    @property
    def dtr(self) -> bool:
        return self._dtr

    @dtr.setter
    def dtr(self, level: bool) -> None:
        self._dtr = level
        self._boards.modem(self._board, dtr=self._dtr, rts=self._rts)

    @property
    def rts(self) -> bool:
        return self._rts

    @rts.setter
    def rts(self, level: bool) -> None:
        self._rts = level
        self._boards.modem(self._board, dtr=self._dtr, rts=self._rts)

    def reset_input_buffer(self) -> None:
        """What the client has not read lies on its side."""

    def reset_output_buffer(self) -> None:
        """Nothing waits on this side."""


class Rfc2217Port:
    """A TCP port for one client at a time. The owner of the boards calls `serve` when `fileno` is readable and at will."""

    def __init__(self, boards: VirtualBoards, board: int, *, usart: int = 0) -> None:
        self._boards, self._board, self._usart = boards, board, usart
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self._client: socket.socket | None = None
        self._manager: Any = None

    @property
    def url(self) -> str:
        """What pyserial opens."""
        host, port = self._listener.getsockname()
        return f"rfc2217://{host}:{port}"

    def fileno(self) -> int:
        """What to wait for: the client's next octets, or the client."""
        return (self._client or self._listener).fileno()

    def write(self, data: bytes) -> None:
        """Send octets to the client as they are (for `PortManager`); a client that has gone away gets none."""
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.sendall(data)

    def serve(self) -> None:
        """Take what the client has sent to the board, and hand it what the board has sent."""
        if self._client is None:
            self._accept()
        else:
            self._receive()
        _, data = self._boards.uart_read(self._board, self._usart)
        if self._manager is not None and data:
            self.write(b"".join(self._manager.escape(data)))

    def _accept(self) -> None:
        try:
            self._client, _ = self._listener.accept()
        except BlockingIOError:
            return
        self._client.setblocking(True)
        self._manager = PortManager(_Line(self._boards, self._board), self)

    def _receive(self) -> None:
        assert self._client is not None
        try:
            data = self._client.recv(_BLOCK, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        if not data:
            self._client.close()
            self._client = self._manager = None
            return
        octets = b"".join(self._manager.filter(data))
        if octets:
            self._boards.uart_feed(self._board, self._usart, octets)

    def close(self) -> None:
        """Free the port."""
        if self._client is not None:
            self._client.close()
        self._listener.close()
