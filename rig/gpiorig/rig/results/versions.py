"""What results depend on: versions of gpiorig and of the libraries that compute and write them."""

from __future__ import annotations

import functools
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from gpiorig.rig import code_version

LIBRARIES = ("numpy", "scipy", "pyarrow", "matplotlib")


@functools.cache
def here(module: str = code_version.PACKAGE) -> dict[str, str]:
    """Versions in this process, by name; that of gpiorig with the version of the code that a module depends on."""
    return {
        "gpiorig": f"{_version('gpiorig')} (code {code_version.of(module)})",
        "Python": platform.python_version(),
    } | {name: _version(name) for name in LIBRARIES}


def differences(ours: Mapping[str, str], recorded: Mapping[str, str]) -> list[str]:
    """Sentences without an end: what differs, with both versions."""
    return [
        f"{name} {recorded.get(name, 'none')} there, {ours[name]} here"
        for name in ours
        if ours[name] != recorded.get(name)
    ]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
