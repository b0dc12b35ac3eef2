"""A TCP socket of this machine on which an end of the virtual bench waits for its client."""

from __future__ import annotations

import socket

from gpiorig.rig.errors import VirtualBenchError

ADDRESS = "127.0.0.1"


def listening(port: int, *, name: str, remedy: str, segment_bytes: int | None = None) -> socket.socket:
    """A socket that listens and does not block.

    Parameters
    ----------
    port
        0: any free one.
    name, remedy
        For the error: the name of the end, and what to do.
    segment_bytes
        The largest TCP segment; None: the system's.

    Raises
    ------
    VirtualBenchError
        The port cannot be used.
    """
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if segment_bytes is not None:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, segment_bytes)
    try:
        listener.bind((ADDRESS, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise VirtualBenchError(
            f"{name}: port {port} on {ADDRESS} cannot be used: {error.strerror}. {remedy}"
        ) from error
    listener.setblocking(False)
    return listener


def accepted(listener: socket.socket) -> socket.socket | None:
    """The connection that waits, or None: its client may have gone meanwhile, or we have no descriptor left."""
    try:
        return listener.accept()[0]
    except OSError:
        return None
