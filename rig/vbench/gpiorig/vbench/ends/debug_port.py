"""A virtual debug adapter: a TCP server that speaks OpenOCD's `remote_bitbang` to the JTAG connector of a board.

OpenOCD's manual, "remote_bitbang": one byte sets the levels of TCK, TMS and TDI, `R` asks for the level of TDO. Time
passes in the virtual world with every TCK (1 us) and with the host's clock between two messages, as OpenOCD sleeps
between two looks at a busy flash.
"""

from __future__ import annotations

import socket

from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.ends.listener import accepted, listening
from gpiorig.vbench.ends.outgoing import Outgoing
from gpiorig.vbench.ends.pace import HostClock

_BLOCK_BYTES = 1 << 16


class DebugPort:
    """The debug adapter of one board. Nothing here blocks; a client that does not read its answers is not read."""

    def __init__(self, boards: VirtualBoards, board: int, *, port: int = 0) -> None:
        self._boards, self._board = boards, board
        self._host_clock = HostClock()
        self.client: socket.socket | None = None
        self._answers: Outgoing | None = None
        self.listener = listening(port, name="virtual debug port", remedy="Choose another.")

    @property
    def port(self) -> int:
        """TCP port that OpenOCD connects to."""
        return int(self.listener.getsockname()[1])

    @property
    def endpoint(self) -> dict[str, int | str]:
        """Where the host finds it: its port, OpenOCD's commands, and `debug` of a bench file."""
        commands = (
            "adapter driver remote_bitbang; remote_bitbang host 127.0.0.1; "
            f"remote_bitbang port {self.port}; transport select jtag"
        )
        return {"port": self.port, "openocd": commands, "url": f"remote_bitbang://127.0.0.1:{self.port}"}

    @property
    def has_pending(self) -> bool:
        """True while answers wait for the client."""
        return self._answers is not None and self._answers.waits

    def accept(self) -> socket.socket | None:
        """Take the waiting connection, if it is still there; others wait until it has gone."""
        client = accepted(self.listener)
        if client is not None:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.client, self._answers = client, Outgoing(client)
            self._host_clock.pause_ps()
        return client

    def drop_client(self) -> None:
        """End the connection."""
        if self.client is not None:
            self.client.close()
            self.client = self._answers = None

    def receive(self, *, time_passes: bool) -> bool:
        """Carry out what OpenOCD sent, once it has its answers to what it sent before; false once it has gone.

        `time_passes`: the virtual world advances with the host's clock between messages, as nothing else drives it.
        """
        assert self.client is not None
        assert self._answers is not None
        pause_ps = self._host_clock.pause_ps()
        try:
            self._answers.flush()
            if self._answers.waits:
                return True
            data = self.client.recv(_BLOCK_BYTES)
            if data:
                with self._host_clock.stopped():
                    levels = self._boards.debug(self._board, data, pause_ps=pause_ps if time_passes else 0)
                self._answers.send(levels)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if not data:
            self.drop_client()
        return bool(data)

    def close(self) -> None:
        """Free the sockets."""
        self.drop_client()
        self.listener.close()
