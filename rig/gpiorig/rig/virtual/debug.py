"""A virtual debug adapter: a TCP server that speaks OpenOCD's `remote_bitbang` to the JTAG connector of a board.

OpenOCD's manual, "remote_bitbang": one octet sets the levels of TCK, TMS and TDI, `R` asks for the level of TDO. Time
passes in the virtual world with every TCK (1 us) and with the host's clock between two messages, as OpenOCD sleeps
between two looks at a busy flash.
"""

from __future__ import annotations

import socket

from gpiorig.rig.errors import VirtualBenchError
from gpiorig.rig.virtual.pace import HostClock
from gpiorig.rig.virtual.vboards import VirtualBoards

_BLOCK_BYTES = 1 << 16


class DebugPort:
    """The debug adapter of one board. Nothing here blocks but the answer to a message, which OpenOCD waits for."""

    def __init__(self, boards: VirtualBoards, board: int, *, port: int = 0) -> None:
        self._boards, self._board = boards, board
        self._host_clock = HostClock()
        self.client: socket.socket | None = None
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.listener.bind(("127.0.0.1", port))
            self.listener.listen()
        except OSError as error:
            self.listener.close()
            raise VirtualBenchError(
                f"virtual debug port: port {port} on 127.0.0.1 cannot be used: {error.strerror}. Choose another."
            ) from error
        self.listener.setblocking(False)

    @property
    def port(self) -> int:
        """TCP port that OpenOCD connects to."""
        return int(self.listener.getsockname()[1])

    @property
    def openocd(self) -> str:
        """OpenOCD's commands for this adapter."""
        return (
            "adapter driver remote_bitbang; remote_bitbang host 127.0.0.1; "
            f"remote_bitbang port {self.port}; transport select jtag"
        )

    def accept(self) -> socket.socket:
        """Take the waiting connection; others wait until it has gone."""
        self.client, _ = self.listener.accept()
        self.client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._host_clock.pause_ps()
        return self.client

    def drop_client(self) -> None:
        """End the connection."""
        if self.client is not None:
            self.client.close()
            self.client = None

    def receive(self, *, time_passes: bool) -> bool:
        """Carry out what OpenOCD sent; false once it has gone.

        `time_passes`: the virtual world goes on with the host's clock between messages, because nothing else drives it.
        """
        assert self.client is not None
        pause_ps = self._host_clock.pause_ps()
        try:
            octets = self.client.recv(_BLOCK_BYTES)
            if octets:
                answers = self._boards.jtag(self._board, octets, pause_ps=pause_ps if time_passes else 0)
                self.client.sendall(answers)
        except ConnectionError:
            octets = b""
        if not octets:
            self.drop_client()
        return bool(octets)

    def close(self) -> None:
        """Free the sockets."""
        self.drop_client()
        self.listener.close()
