"""One thread that reads all serial ports of a bench, and one that writes what was read to disk.

The reader does nothing but wait, read, timestamp and hand on, so that no kernel buffer fills up while a disk or a
program is slow: a Linux tty holds 4095 bytes for the reader (n_tty.c, N_TTY_BUF_SIZE) and 64 KiB or more after them
(tty_buffer.c, TTYB_DEFAULT_MEM_LIMIT), which is 82 ms and 1.3 s at 500 kbaud.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

SYNC_S = 1.0
COUNT_S = 1.0
ALIVE_S = 1.0
LAST_READS = 64  # at the end, of a port on which a node continues sending
WRITE_S = 0.02  # how long what was read may wait for company before it is written


class Port(Protocol):
    """A port as the reader needs it."""

    def fileno(self) -> int:
        """Descriptor to wait on."""

    def receive(self) -> bool:
        """Read what is there, timestamp it and hand it on; False when there was nothing. Raises nothing."""

    def count(self) -> None:
        """Look after the driver's counters."""

    def write_out(self, *, sync: bool) -> None:
        """Write to disk what was handed on. Raises nothing."""


class SerialReader:
    """Reads any number of ports, until `close`."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)
        self._selector.register(self._wake_read, selectors.EVENT_READ)
        self._actions: deque[Callable[[], None]] = deque()
        self._ports: tuple[Port, ...] = ()
        self._lock = threading.Lock()
        self._open = True
        self._news = threading.Event()
        self._threads = [
            threading.Thread(target=self._read, name="serial reader", daemon=True),
            threading.Thread(target=self._write, name="serial writer", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def add(self, port: Port) -> None:
        """Begin to read a port; any thread may call this."""
        with self._lock:
            self._ports = (*self._ports, port)
        self.watch(port)

    def watch(self, port: Port) -> None:
        """Read a port that was added and has a descriptor again."""

        def begin() -> None:
            self._selector.register(port.fileno(), selectors.EVENT_READ, port)

        self._do(begin)

    def leave(self, port: Port) -> None:
        """Leave a port alone that is about to lose its descriptor; called by `Port.receive`."""
        self._selector.unregister(port.fileno())

    def remove(self, port: Port) -> None:
        """Read what had arrived, and stop reading the port."""
        done = threading.Event()

        def end() -> None:
            for _ in range(LAST_READS):
                if not port.receive():
                    break
            if port.fileno() >= 0:
                with contextlib.suppress(KeyError):
                    self._selector.unregister(port.fileno())
            self._forget(port)  # here, so that this thread counts nothing on a port that is being closed
            done.set()

        self._do(end)
        while not done.wait(ALIVE_S):
            if not self._threads[0].is_alive():
                break
        self._forget(port)

    def _forget(self, port: Port) -> None:
        with self._lock:
            self._ports = tuple(known for known in self._ports if known is not port)

    def wake_writer(self) -> None:
        """Tell that there is something to write."""
        self._news.set()

    def close(self) -> None:
        """Stop both threads; ports must be removed before."""
        if not self._open:
            return
        self._open = False
        self._do(lambda: None)
        self._news.set()
        for thread in self._threads:
            thread.join()
        self._selector.close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def __enter__(self) -> SerialReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _do(self, action: Callable[[], None]) -> None:
        self._actions.append(action)
        with contextlib.suppress(BlockingIOError):  # then it wakes up anyway
            os.write(self._wake_write, b"x")

    def _read(self) -> None:
        counted_s = time.monotonic()
        while self._open:
            for key, _ in self._selector.select(COUNT_S):
                if key.data is not None:
                    key.data.receive()
                else:
                    os.read(self._wake_read, 4096)
            while self._actions:
                self._actions.popleft()()
            if time.monotonic() - counted_s >= COUNT_S:
                counted_s = time.monotonic()
                for port in self._ports:
                    port.count()

    def _write(self) -> None:
        synced_s = time.monotonic()
        while self._open:
            self._news.wait(SYNC_S)
            self._news.clear()
            sync = time.monotonic() - synced_s >= SYNC_S
            for port in self._ports:
                port.write_out(sync=sync)
            if sync:
                synced_s = time.monotonic()
            else:
                time.sleep(WRITE_S)
