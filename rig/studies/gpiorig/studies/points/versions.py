"""Versions of the programs whose work is kept in a point."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version

from gpiorig.rig import code_version


def programs() -> dict[str, str]:
    """Versions to be kept with a point."""
    return {"gpiorig": version("gpiorig"), "python": platform.python_version()}


@cache
def analysis_version() -> str:
    """Of the code that makes numbers of a recording: other code may give other numbers."""
    return code_version.of("gpiorig.studies.points.analysed")


@cache
def boards_version() -> str:
    """Of the virtual boards, native code included: others may give another recording; empty if none are installed."""
    try:
        return code_version.of("gpiorig.vbench.boards.vboards")
    except ModuleNotFoundError:
        return ""
