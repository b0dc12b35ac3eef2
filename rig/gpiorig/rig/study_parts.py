"""Many runs are a distribution of their own, gpiorig-studies: its parts are entry points, loaded on demand."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from gpiorig.rig import resources
from gpiorig.rig.errors import RigError

GROUP = "gpiorig.studies"
VERBS = ("study", "batch")  # whose options and work are there


def load(part: str, *, needed_by: str) -> Any:
    """A part of the studies; raises `RigError` if they are not installed, which `needed_by` needs."""
    if not are_installed():
        raise RigError(f"{needed_by}: studies and batches are in the distribution gpiorig-studies. {remedy()}")
    return _parts()[part].load()


def are_installed() -> bool:
    """Whether the distribution is there."""
    return bool(_parts())


def remedy() -> str:
    """What installs the distribution."""
    return "Run `make setup`." if resources.checkout() else "Run `pip install 'gpiorig[studies]'`."


@cache
def _parts() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}
