"""A stub for sigrok-cli that prints given messages, as of analyzers that are not at hand."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

# A first line that names an interpreter takes no blank in its path, so a shell starts it.
SCRIPT = """#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
import sys, time
words = sys.argv[1:]
if "--scan" in words:
    print("fx2lafw:conn=1.5 - Saleae Logic with 8 channels: D0 D1 D2 D3 D4 D5 D6 D7")
elif "--get" in words:
    print("{driver_hz}")
else:
    for line in {before!r}:
        print(line, file=sys.stderr, flush=True)
    print("cli: Received SR_DF_HEADER.", file=sys.stderr)
    print("cli: Received SR_DF_LOGIC (10 bytes, unitsize = 1).", file=sys.stderr, flush=True)
    sys.stdout.buffer.write(bytes({samples}))
    sys.stdout.buffer.flush()
    for line in {after!r}:
        print(line, file=sys.stderr, flush=True)
    if {status} is None:
        sys.stdin.read(1)
    else:
        time.sleep(0.5)  # the start of the capture is over by then
    print("cli: Received SR_DF_END.", file=sys.stderr, flush=True)
    sys.exit({status} or 0)
"""


def install(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    *,
    samples: int = 1000,
    before: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
    status: int | None = None,
    driver_hz: int = 24_000_000,
) -> None:
    """Put it where sigrok-cli is looked for.

    It prints `before`, sends `samples` of one byte, prints `after`, and ends in order: with `status`, or when asked.
    """
    folder.mkdir(exist_ok=True)
    path = folder / "sigrok-cli"
    path.write_text(
        SCRIPT.format(
            python=sys.executable, samples=samples, before=before, after=after, status=status, driver_hz=driver_hz
        )
    )
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
