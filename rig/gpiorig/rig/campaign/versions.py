"""Versions of the programs whose work is kept in a point."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

# Rooms whose code makes the numbers of a point; pages and figures do not.
_ANALYSIS = (
    "events",
    "logs",
    "radio",
    "packets",
    "delays",
    "processor",
    "attribution",
    "study",
    "quantities",
    "compare",
)
_RIG = ("bench", "recordings", "results")
_OWN = ("analysed.py", "warmup.py")


def programs() -> dict[str, str]:
    """Versions to be kept with a point."""
    return {"gpiorig": version("gpiorig"), "python": platform.python_version()}


@cache
def analysis_version() -> str:
    """The fingerprint of the code that makes numbers of a recording: other code may give other numbers."""
    analysis, rig = (Path(str(files(f"gpiorig.{component}"))) for component in ("analysis", "rig"))
    paths = [*analysis.glob("*.py"), *(path for room in _ANALYSIS for path in (analysis / room).rglob("*.py"))]
    paths += [path for room in _RIG for path in (rig / room).rglob("*.py")]
    paths += [rig / "campaign" / name for name in _OWN]
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
