"""A virtual logic analyzer: a TCP server that speaks the protocol of libsigrok's `beaglelogic` driver.

Text lines ask and set (`version`, `samplerate`, `sampleunit`, `memalloc`, `bufunitsize`, `triggerflags`); `get` starts
raw samples on the same connection, `close` ends them (libsigrok 0.5.2, src/hardware/beaglelogic/beaglelogic_tcp.c).
"""

from __future__ import annotations

import socket
from collections.abc import Callable

from gpiorig.rig.bench import BEAGLELOGIC_CHANNELS
from gpiorig.rig.bench_virtual import VirtualAnalyzer
from gpiorig.rig.errors import VirtualBenchError
from gpiorig.rig.virtual.vboards import VirtualBoards

# Loopback's segment size is odd, and libsigrok then cuts 16-bit samples in half in live decoding; an even one does not.
_SEGMENT_BYTES = 16_384
# What `memalloc` answers: the most that libsigrok's 32-bit int takes, so that one-shot captures are not cut short.
_MEMALLOC_BYTES = 2**31 - 1
_BLOCK_BYTES = 1 << 20
_LONGEST_COMMAND = 256
_EIGHT_BITS = 1  # `sampleunit 1`; 0 is 16 bits (beaglelogic.h)


class AnalyzerServer:
    """One virtual analyzer: listens, answers, and hands out samples of the boards' lines when told to.

    `wires` maps channel names to (board index, pin). Nothing here blocks; the caller polls the sockets.
    """

    def __init__(
        self, name: str, config: VirtualAnalyzer, wires: dict[str, tuple[int, str]], boards: VirtualBoards
    ) -> None:
        self.name = name
        self._config = config
        self._wires = wires
        self._boards = boards
        self._settings = {
            "samplerate": 1_000_000,
            "sampleunit": _EIGHT_BITS,
            "memalloc": _MEMALLOC_BYTES,
            "bufunitsize": _BLOCK_BYTES,
            "triggerflags": 0,
        }
        self._analyzer: int | None = None
        self._buffer = bytearray(_BLOCK_BYTES)
        self._pending = memoryview(b"")
        self._line = b""
        self.client: socket.socket | None = None
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, _SEGMENT_BYTES)
        try:
            self.listener.bind(("127.0.0.1", config.port))
            self.listener.listen()
        except OSError as error:
            self.listener.close()
            raise VirtualBenchError(
                f"virtual analyzer {name}: port {config.port} on 127.0.0.1 cannot be used: {error.strerror}. "
                "Choose another, or 0 for any free one (`port` in the bench file)."
            ) from error
        self.listener.setblocking(False)

    @property
    def driver(self) -> str:
        """How sigrok-cli names this analyzer."""
        return f"beaglelogic:conn=tcp-raw/127.0.0.1/{self.listener.getsockname()[1]}"

    @property
    def capturing(self) -> bool:
        """True between `get` and `close`."""
        return self._analyzer is not None

    @property
    def has_pending(self) -> bool:
        """True while samples wait for the socket: virtual time must not go on."""
        return len(self._pending) > 0

    def accept(self) -> socket.socket:
        """Take the waiting connection; a later one replaces an earlier."""
        self.drop_client()
        self._line = b""
        self.client, _ = self.listener.accept()
        self.client.setblocking(False)
        return self.client

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
        except ConnectionError:
            data = b""
        if not data:
            self.drop_client()
            return False
        *lines, rest = (self._line + data).split(b"\n")
        self._line = rest[:_LONGEST_COMMAND]
        answers = [self._command(line.decode(errors="replace").strip()) for line in lines]
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
                    return
                self._pending = memoryview(self._buffer)[:count]
            try:
                sent = self.client.send(self._pending)
            except BlockingIOError:
                return
            except ConnectionError:
                self.drop_client()
                return
            self._pending = self._pending[sent:]

    def close(self) -> None:
        """Free the sockets."""
        self.drop_client()
        self.listener.close()

    def _command(self, line: str) -> str | None:
        word, _, value = line.partition(" ")
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
        if not value.isdecimal() or (word == "samplerate" and int(value) == 0):
            return "error"
        self._settings[word] = int(value)
        return "ok"

    def _start(self) -> None:
        self._stop()
        unitsize = 1 if self._settings["sampleunit"] == _EIGHT_BITS else 2
        self._analyzer = self._boards.add_analyzer(
            samplerate_hz=self._settings["samplerate"],
            unitsize=unitsize,
            clock_ppb=self._config.clock_ppb,
            phase_ps=self._config.phase_ps,
        )
        for channel, (board, pin) in self._wires.items():
            index = BEAGLELOGIC_CHANNELS.index(channel)
            if index < 8 * unitsize:
                self._boards.probe(self._analyzer, index, board, pin)

    def _stop(self) -> None:
        if self._analyzer is not None:
            self._boards.stop_analyzer(self._analyzer)
        self._analyzer = None
        self._pending = memoryview(b"")
