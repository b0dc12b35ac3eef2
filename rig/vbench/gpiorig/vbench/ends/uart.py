"""A virtual serial adapter: a pty whose other end is a board's UART, and a file with the virtual time of its bytes.

The host sees an ordinary serial port. At the fast pace a host-side stamp would mean nothing; for each chunk of bytes
the bench first appends the virtual instant at which the host's program has them, by the model of the serial path
(rig/vbench/vboards/src/hostpath), then writes the bytes to the pty; records of no bytes report the virtual time. The
file has no name but that in /proc, so nothing is left of a bench that is killed. At the real-time pace there is no such
file: the host's own clock is the one to stamp with.
"""

from __future__ import annotations

import os
import pty
import struct
import tempfile
import tty
from collections.abc import Callable

from gpiorig.vbench.boards.vboards import VirtualBoards

STAMP = struct.Struct("<QI")  # virtual ns at which the host's program has the chunk, bytes in the chunk
CONSOLE_USART = 0  # whichever the board's serial adapter hangs on
_PS_PER_NS = 1000
_REPORT_PERIOD_PS = 100_000_000_000  # interval of the records of virtual time


class VirtualUart:
    """The pty of one board's UART; `stamps_path` is None at the real-time pace, which is without `stamps`."""

    def __init__(self, boards: VirtualBoards, board: int, *, stamps: bool) -> None:
        self._boards, self._board = boards, board
        # The slave end is held open, so that the master does not see a hang-up while no reader is there.
        self.master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(self._slave)
        self._stamps = tempfile.TemporaryFile(buffering=0) if stamps else None
        self.stamps_path = f"/proc/{os.getpid()}/fd/{self._stamps.fileno()}" if self._stamps else None
        self._reported_ps = 0
        self._pending = bytearray()
        self._input = b""
        # Has the console instead of the pty while it is set.
        self.reader: Callable[[bytes], None] | None = None
        self.lost = 0

    @property
    def has_pending(self) -> bool:
        """True while bytes wait for the host to read."""
        return len(self._pending) > 0

    @property
    def has_line(self) -> bool:
        """True while a complete line from the host waits."""
        return b"\n" in self._input

    def drain_board(self) -> None:
        """Take what the host's program has got by now, and write it to the pty or give it to the reader."""
        self._report_time()
        for stamp_ps, data in self._boards.host_read(self._board):
            if self.reader:
                self.reader(data)
                continue
            if self._stamps:
                self._stamps.write(STAMP.pack(stamp_ps // _PS_PER_NS, len(data)))
            self._pending += data
        self.flush()

    def _report_time(self) -> None:
        """A record of no bytes: the host counts its deadlines in virtual time, also of a node that is silent."""
        now_ps = self._boards.now_ps
        if self._stamps and now_ps - self._reported_ps >= _REPORT_PERIOD_PS:
            self._stamps.write(STAMP.pack(now_ps // _PS_PER_NS, 0))
            self._reported_ps = now_ps

    def flush(self) -> None:
        """Write pending bytes to the pty, as far as it takes them; at the real-time pace the rest is lost."""
        while self._pending:
            try:
                sent = os.write(self.master, self._pending)
            except BlockingIOError:
                if self._stamps is None:
                    self.lost += len(self._pending)
                    self._pending.clear()
                return
            del self._pending[:sent]

    def receive(self) -> None:
        """Read what the host has written."""
        try:
            self._input += os.read(self.master, 4096)
        except BlockingIOError:
            return

    def take_line(self) -> bytes:
        """The next complete line the host has written, or nothing: at the fast pace, input enters a line at a time."""
        line, newline, rest = self._input.partition(b"\n")
        if not newline:
            return b""
        self._input = rest
        return line + newline

    def take_all(self) -> bytes:
        """Everything the host has written."""
        data, self._input = self._input, b""
        return data

    def feed(self, data: bytes) -> None:
        """Send bytes to the board at the present virtual instant."""
        if data:
            self._boards.uart_feed(self._board, CONSOLE_USART, data)

    def close(self) -> None:
        """Free the pty and the stamps file."""
        os.close(self.master)
        os.close(self._slave)
        if self._stamps:
            self._stamps.close()
