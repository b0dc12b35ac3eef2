"""What the fuzzer finds: known by its place, made smaller."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from pathlib import Path

SMALLER_S = 10


def place(error: BaseException) -> str:
    """What tells a finding from others: its kind, and file and line where it was raised."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = str(error)[:40] if type(error).__name__ == "Broken" else f"{Path(frame.filename).name}:{frame.lineno}"
    return f"{type(error).__name__} {text}"


def smaller(data: bytes, fails: Callable[[bytes], bool], *, seconds: float = SMALLER_S) -> bytes:
    """Delete slices, large ones first, while it still fails."""
    until, size = time.monotonic() + seconds, max(1, len(data) // 2)
    while size and time.monotonic() < until:
        at = 0
        while at < len(data) and time.monotonic() < until:
            candidate = data[:at] + data[at + size :]
            if fails(candidate):
                data = candidate
            else:
                at += size
        size //= 2
    return data
