"""Bytes in transit to a client of the virtual bench, which may be slow or never read: nothing here blocks."""

from __future__ import annotations

import socket

MAX_BYTES = 1 << 20  # a client that leaves more unread has hung


class Outgoing:
    """What waits for one client.

    Parameters
    ----------
    connection
        Its socket, which no longer blocks from here on.
    """

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._connection = connection
        self._pending = bytearray()

    @property
    def waits(self) -> bool:
        """True while bytes wait for the client."""
        return bool(self._pending)

    def send(self, data: bytes) -> None:
        """Send after what waits, as far as the client takes it.

        Raises
        ------
        OSError
            It has gone, or takes nothing.
        """
        self._pending += data
        self.flush()
        if len(self._pending) > MAX_BYTES:
            raise TimeoutError("the client does not read")

    def flush(self) -> None:
        """Send what waits, as far as the client takes it; OSError when it has gone."""
        while self._pending:
            try:
                sent = self._connection.send(self._pending)
            except BlockingIOError:
                return
            del self._pending[:sent]
