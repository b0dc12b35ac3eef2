"""What results depend on: versions of gpiorig and of the libraries that compute and write them."""

from __future__ import annotations

import functools
import hashlib
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import gpiorig

LIBRARIES = ("numpy", "scipy", "pyarrow", "matplotlib")
DIGITS = 12  # of a sum, as git shows those of commits


@functools.cache
def here() -> dict[str, str]:
    """Versions in this process, by name; that of gpiorig with a sum of its modules, which a checkout may change."""
    return {"gpiorig": f"{_version('gpiorig')} (modules {_sum()})", "Python": platform.python_version()} | {
        name: _version(name) for name in LIBRARIES
    }


def differences(ours: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """Sentences without an end: what differs, with both versions."""
    return [
        f"{name} {other.get(name, 'none')} there, {ours[name]} here" for name in ours if ours[name] != other.get(name)
    ]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _sum() -> str:
    """The sum of the names and contents of all modules of gpiorig."""
    files = {
        path.relative_to(portion).as_posix(): path
        for portion in reversed([*gpiorig.__path__])  # of two with a name the first is imported
        for path in Path(portion).rglob("*.py")
    }
    total = hashlib.sha256()
    for name, path in sorted(files.items()):
        total.update(f"{name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:DIGITS]
