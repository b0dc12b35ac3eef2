"""Wall time and memory of a program, start and end included."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SAMPLE_S = 0.01
KIB_PER_MIB = 1024


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that has ended: its status, how long it ran, the largest memory that it was seen with, its output."""

    status: int
    seconds: float
    mib: float
    output: bytes


def run(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> Finished:
    """Run a program; what it prints to stderr is dropped."""
    mib = 0.0
    with tempfile.TemporaryFile() as output:
        start_s = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.DEVNULL, env=os.environ | dict(environment or {})
        )
        while True:
            mib = max(mib, peak_mib(process.pid))
            try:
                process.wait(SAMPLE_S)
                break
            except subprocess.TimeoutExpired:
                continue
        seconds = time.perf_counter() - start_s
        output.seek(0)
        return Finished(process.returncode, seconds, mib, output.read())


def peak_mib(pid: int | str = "self") -> float:
    """The largest memory of a process so far; `ru_maxrss` of a child would begin with that of its parent."""
    try:
        match = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:  # it has ended
        match = None
    return int(match[1]) / KIB_PER_MIB if match else 0.0
