"""Waiting for a lock on a file, which a process that ends in whatever way gives back."""

from __future__ import annotations

import fcntl
import time


def acquire(file: int, operation: int, *, patience_s: float, waits_s: tuple[float, float]) -> bool:
    """Take a lock; False where another process has held it for `patience_s`.

    Parameters
    ----------
    file
        Descriptor of the file, which holds the lock until it is closed.
    operation
        `fcntl.LOCK_SH` or `fcntl.LOCK_EX`.
    patience_s
        How long to try.
    waits_s
        Between two attempts: at the beginning, and at most; each is twice the one before.
    """
    deadline_s, (wait_s, longest_s) = time.monotonic() + patience_s, waits_s
    while True:
        try:
            fcntl.flock(file, operation | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > deadline_s:
                return False
        time.sleep(wait_s)
        wait_s = min(2 * wait_s, longest_s)
