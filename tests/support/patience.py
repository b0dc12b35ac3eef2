"""How long tests wait for what must come: no result depends on it, so it is long enough for a loaded machine."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 90.0


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until something is so; fail if it does not become so."""
    end_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end_s, f"not so after {PATIENCE_S:g} s"
        time.sleep(0.01)
