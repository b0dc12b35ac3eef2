"""A second process that works with this one, on the same data; it ends with this one, however that ends."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
KILLED_S = 10.0  # a process that is killed is gone within this
_PR_SET_PDEATHSIG = 1  # prctl(2), linux/prctl.h


@contextmanager
def running(work: Callable[[Connection], None]) -> Iterator[Connection]:
    """Let a fork of this process work meanwhile; it is gone at the end of the block.

    A signal ends it at once and silently, and the kernel kills it when this process dies, so nothing of it is left.

    Parameters
    ----------
    work
        What it does: what it sends to the connection is received here. An error ends it; end of file is all that comes
        of that.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(work, receiver, sender, os.getpid()), daemon=True)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # until the fork has handlers of its own
    try:
        with sender:
            process.start()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        yield receiver
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if process.pid is not None:
            process.kill()
            process.join(KILLED_S)
        receiver.close()


def end_with_parent(number: signal.Signals) -> None:
    """Have the kernel send this process a signal when its parent dies, however that ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)


def _work(work: Callable[[Connection], None], receiver: Connection, sender: Connection, parent: int) -> None:
    """In the fork: leave what is the parent's to it, and work."""
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    end_with_parent(signal.SIGKILL)
    receiver.close()  # else a parent that has gone would still be there to send to
    if os.getppid() == parent:  # it has not died before it could be watched
        with contextlib.suppress(Exception), sender:
            work(sender)
