"""A board's serial adapter over the network, by RFC 2217: unlike a pty it carries the modem lines.

On a TelosB they lead, through a switch, to the processor's reset and thus to its bootstrap loader. Programs open it
with pyserial as `rfc2217://127.0.0.1:PORT`. While one is there it has the console, and the pty gets nothing.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from typing import Any

from serial import rfc2217

from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.ends.listener import accepted, listening
from gpiorig.vbench.ends.outgoing import Outgoing
from gpiorig.vbench.ends.uart import VirtualUart

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
    """A TCP port for one client at a time, as `DebugPort` is; others wait until it has gone."""

    def __init__(self, boards: VirtualBoards, board: int, uart: VirtualUart) -> None:
        self._boards, self._board, self._uart = boards, board, uart
        self.client: socket.socket | None = None
        self._outgoing: Outgoing | None = None
        self._manager: Any = None
        self.listener = listening(0, name="virtual serial port", remedy="Close other programs.")

    @property
    def url(self) -> str:
        """What pyserial opens."""
        host, port = self.listener.getsockname()
        return f"rfc2217://{host}:{port}"

    @property
    def has_pending(self) -> bool:
        """True while bytes wait for the client."""
        return self._outgoing is not None and self._outgoing.waits

    def accept(self) -> socket.socket | None:
        """Take the waiting connection, if it is still there, and the console from the pty."""
        client = accepted(self.listener)
        if client is not None:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.client, self._outgoing = client, Outgoing(client)
            line: Any = _Line(self._boards, self._board)
            connection: Any = self  # `PortManager` calls its `write`
            self._manager = rfc2217.PortManager(line, connection)
            self._uart.reader = self._hand_over
        return client

    def write(self, data: bytes) -> None:
        """Send bytes to the client unchanged; a client that does not take them is disconnected."""
        assert self.client is not None
        assert self._outgoing is not None
        try:
            self._outgoing.send(data)
        except OSError:
            with contextlib.suppress(OSError):
                self.client.shutdown(socket.SHUT_RDWR)  # `receive` finds its end

    def _hand_over(self, data: bytes) -> None:
        self.write(b"".join(self._manager.escape(data)))

    def receive(self) -> bool:
        """Hand the board what the client has sent; false once it has gone, or speaks no RFC 2217."""
        assert self.client is not None
        self.write(b"")  # what waits
        try:
            data = self.client.recv(_BLOCK)
            content = b"".join(self._manager.filter(data))
        except BlockingIOError:
            return True
        except (OSError, struct.error, KeyError, TypeError):  # the latter three: pyserial at malformed options
            data = b""
        if not data:
            self.drop_client()
            return False
        if content:
            self._uart.feed(content)
        return True

    def drop_client(self) -> None:
        """End the connection; the pty has the console again."""
        if self.client is not None:
            self._uart.reader = None
            self.client.close()
            self.client = self._outgoing = None

    def close(self) -> None:
        """Free the port."""
        self.drop_client()
        self.listener.close()
