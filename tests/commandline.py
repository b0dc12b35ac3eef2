"""Running the command line in tests, as a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished `gpiorig` command."""

    status: int
    stdout: str
    stderr: str

    @property
    def numbers(self) -> dict[str, Any]:
        """Its output as the one JSON object it should be."""
        found = json.loads(self.stdout)
        assert isinstance(found, dict)
        return found


def gpiorig(*words: str | Path, path: str | None = None, deadline_s: float = 120) -> Finished:
    """Run the command line in a process of its own, as a user does."""
    environment = dict(os.environ) if path is None else os.environ | {"PATH": path}
    done = subprocess.run(
        [sys.executable, "-m", "gpiorig.rig.cli", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=deadline_s,
        env=environment,
        check=False,
    )
    return Finished(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True, slots=True)
class Demo:
    """A demo recording and what the command printed."""

    folder: Path
    numbers: dict[str, Any]


def record_demo(folder: Path, *words: str) -> Demo:
    """`gpiorig demo` into a folder, successfully."""
    done = gpiorig("demo", "-o", folder, "--json", *words)
    assert (0, "") == (done.status, done.stderr)
    return Demo(folder, done.numbers)
