"""A virtual serial adapter: a pty whose other end is a board's UART, and a file with the virtual time of its bytes.

The host sees an ordinary serial port. The bench may run faster than the wall clock, so a host-side stamp means
nothing there; for each chunk of bytes the bench first appends the virtual instant to the stamps file, then writes the
bytes to the pty.
"""

from __future__ import annotations

import os
import pty
import struct
import tty
from pathlib import Path

from gpiorig.rig.virtual.vboards import VirtualBoards

STAMP = struct.Struct("<QI")  # virtual ns of the end of the chunk's last stop bit, bytes in the chunk
_PS_PER_NS = 1000


class VirtualUart:
    """The pty of one board's UART."""

    def __init__(self, boards: VirtualBoards, board: int, usart: int, stamps: Path) -> None:
        self._boards, self._board, self._usart = boards, board, usart
        # The slave end is held open, so that the master does not see a hang-up while no reader is there.
        self.master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(self._slave)
        self.stamps_path = stamps
        self._stamps = stamps.open("wb", buffering=0)
        self._pending = bytearray()
        self._input = b""

    @property
    def has_pending(self) -> bool:
        """True while bytes wait for the host to read."""
        return len(self._pending) > 0

    def drain_board(self) -> None:
        """Take what the board has sent, and hand it to the host: a chunk ends with a line, or with what there is."""
        while True:
            stamps, data = self._boards.uart_read(self._board, self._usart)
            if not data:
                break
            start = 0
            for chunk in data.splitlines(keepends=True):
                start += len(chunk)
                self._stamps.write(STAMP.pack(int(stamps[start - 1]) // _PS_PER_NS, len(chunk)))
            self._pending += data
        self.flush()

    def flush(self) -> None:
        """Write pending bytes to the pty, as far as it takes them."""
        while self._pending:
            try:
                sent = os.write(self.master, self._pending)
            except BlockingIOError:
                return
            del self._pending[:sent]

    def receive(self) -> None:
        """Read what the host has written."""
        try:
            self._input += os.read(self.master, 4096)
        except BlockingIOError:
            return

    def take_line(self) -> bytes:
        """The next whole line the host has written, or nothing: input enters the virtual world a line at a time."""
        line, newline, rest = self._input.partition(b"\n")
        if not newline:
            return b""
        self._input = rest
        return line + newline

    def feed(self, data: bytes) -> None:
        """Send bytes to the board at the present virtual instant."""
        self._boards.uart_feed(self._board, self._usart, data)

    def close(self) -> None:
        """Free the pty and the stamps file."""
        os.close(self.master)
        os.close(self._slave)
        self._stamps.close()
