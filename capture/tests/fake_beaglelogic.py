"""A logic analyzer on a TCP port, as libsigrok's `beaglelogic` driver sees it (docs/evidence/sigrok-notes.md)."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType

CHANNELS: tuple[str, ...] = ("P8_45", "P8_46", "P8_43", "P8_44", "P8_41", "P8_42", "P8_39", "P8_40")
CHANNELS += ("P8_27", "P8_29", "P8_28", "P8_30", "P8_21", "P8_20")


class FakeBeagleLogic:
    """Serves one pattern per `get`, then keeps the socket open until the client leaves.

    Parameters
    ----------
    pattern
        Called with the sample unit in bytes, returns the chunks to send (float items are pauses in seconds).
    die
        Close the connection when the pattern is over, as a server that crashes does.
    once
        Listen no more when the pattern begins.
    refuse_rate
        Answer a samplerate command with an error.
    mute
        Accept connections and never answer, as a server that is busy with another client does.
    """

    def __init__(
        self,
        pattern: Callable[[int], Iterable[bytes | float]],
        *,
        die: bool = False,
        once: bool = False,
        refuse_rate: bool = False,
        mute: bool = False,
        flood_after_close: bool = False,
    ) -> None:
        self.pattern, self.die, self.refuse_rate, self.mute = pattern, die, refuse_rate, mute
        self.once, self.flood_after_close = once, flood_after_close
        self.commands: list[tuple[float, str]] = []
        self.settings = {"samplerate": 1_000_000, "sampleunit": 0, "memalloc": 2**31 - 1}
        self.settings |= {"bufunitsize": 131072, "triggerflags": 0}
        self.sent = 0
        self.pattern_done = threading.Event()
        self._stop = threading.Event()
        self._listener = socket.socket()
        self._listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 16384)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(4)
        self.port: int = self._listener.getsockname()[1]
        self.driver = f"beaglelogic:conn=tcp-raw/127.0.0.1/{self.port}"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def __enter__(self) -> FakeBeagleLogic:
        """Return the server, which already listens."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop serving."""
        self._stop.set()
        self._close_listener()
        for thread in self._threads:
            thread.join(5)

    def _close_listener(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while not self._stop.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            client.settimeout(0.1)
            closed = threading.Event()
            sender: threading.Thread | None = None
            for line in self._lines(client):
                self.commands.append((time.monotonic(), line))
                if self.mute:
                    continue
                if line == "get":
                    closed.clear()
                    sender = threading.Thread(target=self._send, args=(client, closed), daemon=True)
                    sender.start()
                elif line == "close":
                    if not self.flood_after_close:
                        closed.set()
                else:
                    client.sendall(self._answer(line).encode() + b"\n")
            closed.set()
            if sender is not None:
                sender.join(5)

    def _lines(self, client: socket.socket) -> Iterator[str]:
        buffer = b""
        while not self._stop.is_set():
            try:
                got = client.recv(4096)
            except TimeoutError:
                continue
            except OSError:
                return
            if not got:
                return
            buffer += got
            while b"\n" in buffer:
                line, buffer = buffer.split(b"\n", 1)
                yield line.decode().strip("\0 \r")

    def _answer(self, line: str) -> str:
        words = line.split()
        if words == ["version"]:
            return "BeagleLogic 1.0"
        if len(words) == 1 and words[0] in self.settings:
            return str(self.settings[words[0]])
        if len(words) == 2 and words[0] in self.settings:
            if words[0] == "samplerate" and self.refuse_rate:
                return "error: no such rate"
            self.settings[words[0]] = int(words[1])
            return "ok"
        return "error"

    def _send(self, client: socket.socket, closed: threading.Event) -> None:
        unit = 1 if self.settings["sampleunit"] == 1 else 2
        if self.once:
            self._close_listener()
        try:
            for chunk in self.pattern(unit):
                if isinstance(chunk, float):
                    time.sleep(chunk)
                    continue
                view = memoryview(chunk)
                while len(view):
                    if closed.is_set() or self._stop.is_set():
                        return
                    with contextlib.suppress(TimeoutError):
                        sent = client.send(view)
                        self.sent += sent
                        view = view[sent:]
        except OSError:
            return
        finally:
            self.pattern_done.set()
        if self.die:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
                client.close()
