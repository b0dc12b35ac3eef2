"""Signals that end a command: Ctrl-C, SIGTERM, and SIGHUP of a terminal that closes.

While modules are imported there is nothing to put in order: a signal ends the process as the system does it. While a
command works, a signal is an exception in its main thread, `Interrupted`, which ends it in order; `cli` gives the exit
status.
"""

from __future__ import annotations

import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from gpiorig.rig.errors import Interrupted

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SAME_S = 1.0  # a terminal that closes, or a service manager, sends two: within this they are one
CONVERTED_S = 5.0  # a library that makes another error of a signal does it within this
NEVER_S = float("-inf")
JOIN_S = 1.0
AGAIN_S = 0.02  # after a signal whose exception was ignored


@dataclass(slots=True)
class _Received:
    """The last signal: its number, when it came (monotonic), and whether one may still raise."""

    number: int = 0
    at_s: float = NEVER_S
    may_raise: bool = False


_last = _Received()


def end_at_once() -> None:
    """Let them end the process, as they do in a program that knows nothing of them; one that is ignored stays so."""
    _last.may_raise = False
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:  # in the background, or under nohup
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def raised() -> Iterator[None]:
    """Let them raise `Interrupted` meanwhile; afterwards they do what they did before."""
    ignored = sys.unraisablehook
    before = {number: signal.getsignal(number) for number in ENDING}
    _last.may_raise, _last.at_s = True, NEVER_S
    sys.unraisablehook = _raise_again
    try:
        for number, handler in before.items():
            if handler != signal.SIG_IGN:
                signal.signal(number, _raise)
        yield
    finally:
        _last.may_raise = False
        sys.unraisablehook = ignored
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def calling(interrupt: Callable[[], object]) -> Iterator[None]:
    """Call `interrupt`, in another thread, when one comes: for a library that works for long without returning.

    In the main thread of Python, which alone gets signals; elsewhere nothing is called.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = socket.socketpair()
    writer.setblocking(False)

    def listen() -> None:
        while data := reader.recv(1):  # the number of a signal, from the handler in C
            if data[0] in ENDING:
                interrupt()

    before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    thread = threading.Thread(target=listen, name="signals", daemon=True)
    try:
        thread.start()
        yield
    finally:
        signal.set_wakeup_fd(before)
        writer.close()
        thread.join(JOIN_S)
        reader.close()


def converted() -> Interrupted | None:
    """The signal that an unexpected error, which has just come, was made of by a library, such as DuckDB in a query."""
    return Interrupted(_last.number) if time.monotonic() - _last.at_s < CONVERTED_S else None


def _raise(number: int, frame: object) -> None:
    now_s = time.monotonic()
    if _last.may_raise and now_s - _last.at_s >= SAME_S:
        _last.number, _last.at_s = number, now_s
        raise Interrupted(number)


def _raise_again(unraisable: Any) -> None:
    """In a destructor or a callback of C an exception has no one to go to: send the signal again, shortly after."""
    if not isinstance(unraisable.exc_value, Interrupted):
        sys.__unraisablehook__(unraisable)
        return
    _last.at_s = NEVER_S
    main = threading.main_thread().ident
    assert main is not None
    again = threading.Timer(AGAIN_S, signal.pthread_kill, (main, unraisable.exc_value.number))
    again.daemon = True
    again.start()
