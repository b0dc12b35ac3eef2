"""A virtual logic analyzer: a TCP server that speaks the protocol of libsigrok's `beaglelogic` driver.

Text lines ask and set (`version`, `samplerate`, `sampleunit`, `memalloc`, `bufunitsize`, `triggerflags`); `get` starts
raw samples on the same connection, `close` ends them (libsigrok 0.5.2, src/hardware/beaglelogic/beaglelogic_tcp.c).
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from typing import Protocol

from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.section import MAX_HZ
from gpiorig.vbench.ends.listener import accepted, listening

# Loopback's segment size is odd, and libsigrok then cuts 16-bit samples in half in live decoding; an even one does not.
_SEGMENT_BYTES = 16_384
# What `memalloc` answers: the most that libsigrok's 32-bit int takes, so that one-shot captures are not cut short.
_MEMALLOC_BYTES = 2**31 - 1
_BLOCK_BYTES = 1 << 20
_LONGEST_COMMAND = 256
_NUMBER = re.compile(r"[0-9]{1,12}")
_EIGHT_BITS = 1  # `sampleunit 1`; 0 is 16 bits (beaglelogic.h)


class Start(Protocol):
    """Starts the sampling of one analyzer: returns its index among those of the virtual boards."""

    def __call__(self, *, samplerate_hz: int, unitsize: int) -> int:
        """Start."""


class AnalyzerServer:
    """One virtual analyzer: listens, answers, and hands out samples of the boards' lines on command.

    `start` is called for each capture. `closes`: the end by a fault closes the connection. Nothing here blocks; the
    caller polls the sockets.
    """

    def __init__(
        self,
        name: str,
        *,
        port: int,
        start: Start,
        closes: bool,
        boards: VirtualBoards,
    ) -> None:
        self.name = name
        self._start_sampling, self._closes, self._boards = start, closes, boards
        self._settings = {
            "samplerate": 1_000_000,
            "sampleunit": _EIGHT_BITS,
            "memalloc": _MEMALLOC_BYTES,
            "bufunitsize": _BLOCK_BYTES,
            "triggerflags": 0,
        }
        self._analyzer: int | None = None
        self._sent_bytes = self._unitsize = 0
        self._buffer = bytearray(_BLOCK_BYTES)
        self._pending = memoryview(b"")
        self._line = b""
        self.client: socket.socket | None = None
        self.listener = listening(
            port,
            name=f"virtual analyzer {name}",
            remedy="Choose another, or 0 for any free one (`port` in the bench file).",
            segment_bytes=_SEGMENT_BYTES,
        )

    @property
    def port(self) -> int:
        """TCP port that it listens at."""
        return int(self.listener.getsockname()[1])

    @property
    def driver(self) -> str:
        """How sigrok-cli names this analyzer."""
        return f"beaglelogic:conn=tcp-raw/127.0.0.1/{self.port}"

    @property
    def capturing(self) -> bool:
        """True between `get` and `close`."""
        return self._analyzer is not None

    @property
    def samples_sent(self) -> int:
        """Complete samples that the socket has taken since the last `get`."""
        return self._sent_bytes // self._unitsize if self._unitsize else 0

    @property
    def has_pending(self) -> bool:
        """True while samples wait for the socket: virtual time must stand still."""
        return len(self._pending) > 0

    def accept(self) -> socket.socket | None:
        """Take the waiting connection, if it is still there; a later one replaces an earlier."""
        client = accepted(self.listener)
        if client is not None:
            self.drop_client()
            self._line = b""
            self.client = client
            client.setblocking(False)
        return client

    def drop_client(self) -> None:
        """End the connection and its capture."""
        self._stop()
        if self.client is not None:
            self.client.close()
            self.client = None

    def receive(self) -> bool:
        """Handle what the client sent; false once it has gone."""
        assert self.client is not None
        try:
            data = self.client.recv(4096)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if not data:
            self.drop_client()
            return False
        *lines, rest = (self._line + data).split(b"\n")
        self._line = rest[: _LONGEST_COMMAND + 1]  # one byte more than a command may have: the line stays too long
        answers = [self._command(line) for line in lines]
        try:
            self.client.send("".join(f"{answer}\n" for answer in answers if answer is not None).encode())
        except OSError:  # a client that does not read its answers, or has gone
            self.drop_client()
            return False
        return True

    def pump(self) -> None:
        """Send samples up to the present virtual instant, as far as the socket takes them."""
        while self.client is not None and self._analyzer is not None:
            if not self._pending:
                count = self._boards.samples(self._analyzer, self._buffer)
                if count == 0:
                    if self._closes and self._boards.ended(self._analyzer):
                        self.drop_client()
                    return
                self._pending = memoryview(self._buffer)[:count]
            try:
                sent = self.client.send(self._pending)
            except BlockingIOError:
                return
            except OSError:
                self.drop_client()
                return
            self._pending = self._pending[sent:]
            self._sent_bytes += sent

    def close(self) -> None:
        """Free the sockets."""
        self.drop_client()
        self.listener.close()

    def _command(self, line: bytes) -> str | None:
        if len(line) > _LONGEST_COMMAND:
            return "error"
        word, _, value = line.decode(errors="replace").strip().partition(" ")
        actions: dict[str, Callable[[], None]] = {"get": self._start, "close": self._stop}
        if word in actions:
            actions[word]()
            return None
        if word == "version":
            return "BeagleLogic 1.0"
        if word not in self._settings:
            return "error"
        if not value:
            return str(self._settings[word])
        if not _NUMBER.fullmatch(value) or (word == "samplerate" and not 1 <= int(value) <= MAX_HZ):
            return "error"
        self._settings[word] = int(value)
        return "ok"

    def _start(self) -> None:
        self._stop()
        unitsize = 1 if self._settings["sampleunit"] == _EIGHT_BITS else 2
        self._sent_bytes, self._unitsize = 0, unitsize
        self._analyzer = self._start_sampling(samplerate_hz=self._settings["samplerate"], unitsize=unitsize)

    def _stop(self) -> None:
        if self._analyzer is not None:
            self._boards.stop_analyzer(self._analyzer)
        self._analyzer = None
        self._pending = memoryview(b"")
