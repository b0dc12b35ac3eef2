"""The virtual bench's servers against rude clients: whatever one does, the next one is answered."""

from __future__ import annotations

import contextlib
import re
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from patience import PATIENCE_S
from virtualbench import bench_text, served

from gpiorig.vbench.ends.outgoing import MAX_BYTES, Outgoing

ANSWER_S = 1.0
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing resets the connection


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)


def analyzer_answers(port: int, command: bytes = b"version\n") -> bytes:
    """The answer of an analyzer to a new client, which has to come soon."""
    with connected(port) as client:
        client.settimeout(ANSWER_S)
        client.sendall(command)
        return client.recv(4096)


def number_in_pieces(port: int) -> None:
    """A samplerate of thousands of digits, in two parts."""
    with connected(port) as client:
        client.sendall(b"samplerate " + b"1" * 250)
        time.sleep(0.4)
        client.sendall(b"1" * 4090 + b"\n")
        assert client.recv(4096) == b"error\n"


def long_number(port: int) -> None:
    """One of 200 digits, and digits of other scripts."""
    with connected(port) as client:
        client.sendall(b"memalloc " + b"9" * 200 + b"\n" + "samplerate ٢٤٠٠٠٠٠٠\n".encode())
        assert client.recv(4096) == b"error\nerror\n"


def reset_at_once(port: int) -> None:
    """Connections that are gone before they are accepted."""
    for _ in range(20):
        with connected(port) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


def reads_nothing(port: int) -> None:
    """Starts sampling, and never reads."""
    client = connected(port)
    client.sendall(b"get\n" + b"version\n" * 1000)
    time.sleep(0.2)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    client.close()


@pytest.mark.slow
def test_the_analyzer_answers_after_any_client(tmp_path: Path, tick: Path) -> None:
    """One after the other, on one bench."""
    rude: list[Callable[[int], None]] = [number_in_pieces, long_number, reset_at_once, reads_nothing]
    with served(tmp_path, bench_text(), tick) as process:
        port = int(process.endpoints["analyzers"]["la"].rpartition("/")[2])
        for behave in rude:
            behave(port)

            assert b"BeagleLogic 1.0\n" == analyzer_answers(port), behave.__doc__


@pytest.mark.slow
@pytest.mark.parametrize("end", ["debug", "serial"])
def test_a_client_that_never_reads_holds_up_only_itself(tmp_path: Path, tick: Path, end: str) -> None:
    """A debugger that asks without end; a flashing tool on a board that talks. The analyzer answers meanwhile."""
    board = {"debug": "iotlab-m3", "serial": "telosb"}[end]
    text = bench_text(virtual='pace = "real-time"' if end == "serial" else "").replace('"iotlab-m3"', f'"{board}"')
    if end == "serial":
        text = text.replace("uart_tx =", 'd2 = "P8_44"\nd3 = "P8_41"\nuart_tx =')
    image = tick if end == "debug" else Path("/dev/null")
    with served(tmp_path, text, image) as process:
        endpoint = process.endpoints[end]["node"]
        port = int(re.findall(r":(\d+)", endpoint["rfc2217"])[-1]) if end == "serial" else endpoint["port"]
        analyzer = int(process.endpoints["analyzers"]["la"].rpartition("/")[2])
        with connected(port) as client:
            client.settimeout(0.2)
            with contextlib.suppress(TimeoutError, ConnectionError):
                for _ in range(100):
                    client.sendall((b"R" if end == "debug" else b"\xff\xfa\x2c\x01\0\0\0\0\xff\xf0") * 100_000)

            assert b"BeagleLogic 1.0\n" == analyzer_answers(analyzer)
        with connected(port) as client:
            client.settimeout(PATIENCE_S)
            client.sendall(b"R" if end == "debug" else b"\xff\xfa\x2c\x01\0\0\0\0\xff\xf0")

            assert client.recv(100)


def test_what_waits_for_a_client_comes_in_order_and_is_bounded() -> None:
    """It is sent as the client reads; one that never reads is an error, once too much waits for it."""
    ours, peer = socket.socketpair()
    with ours, peer:
        outgoing = Outgoing(ours)
        sent, got = bytearray(), bytearray()
        while not outgoing.waits:
            piece = bytes([len(sent) // 1000 % 251]) * 1000
            sent += piece
            outgoing.send(piece)
        while len(got) < len(sent):
            got += peer.recv(1 << 16)
            outgoing.flush()

        assert sent == got
        assert not outgoing.waits
        with pytest.raises(TimeoutError, match="does not read"):
            for _ in range(100):
                outgoing.send(bytes(MAX_BYTES // 10))
        peer.close()
        with pytest.raises(OSError, match=r"Broken pipe|Connection reset"):
            outgoing.flush()
