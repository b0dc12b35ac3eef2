"""The virtual bench is a distribution of its own, gpiorig-vbench: its parts are entry points, loaded on demand.

Whoever needs a part states as a protocol what it has. Without the distribution there is one error.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from gpiorig.rig import resources
from gpiorig.rig.errors import BenchError

GROUP = "gpiorig.virtual"


def load(part: str, *, needed_by: str) -> Any:
    """A part of the virtual bench; raises `BenchError` if it is not installed."""
    if (entry := _parts().get(part)) is None:
        raise BenchError(f"{needed_by}: virtual boards are in the distribution gpiorig-vbench. {remedy()}")
    return entry.load()


def are_installed() -> bool:
    """Whether the distribution is there."""
    return bool(_parts())


def remedy() -> str:
    """What installs the distribution."""
    return "Run `make setup`." if resources.checkout() else "Run `pip install 'gpiorig[virtual]'`."


@cache
def _parts() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}
