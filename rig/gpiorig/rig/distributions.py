"""Distributions that add to gpiorig: their parts are entry points, loaded on demand.

Whoever needs a part states as a protocol what it has. Without the distribution there is one error.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gpiorig.rig import resources
from gpiorig.rig.errors import BenchError, RigError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution that may be absent.

    Parameters
    ----------
    name, extra, group
        Its name, the extra of gpiorig that installs it, and the group of its entry points.
    contents
        What is in it, as the error names it.
    error
        What is raised without it.
    """

    name: str
    extra: str
    group: str
    contents: str
    error: type[RigError]

    def load(self, part: str, *, needed_by: str) -> Any:
        """A part; raises `error` if the distribution is not installed."""
        if (entry := parts(self.group).get(part)) is None:
            raise self._absent(needed_by)
        return entry.load()

    def module(self, name: str, *, needed_by: str) -> ModuleType:
        """A module of its package, if that is named as the group; raises `error` if the distribution is not there."""
        if not self.is_installed:
            raise self._absent(needed_by)
        return importlib.import_module(f"{self.group}.{name}")

    @property
    def is_installed(self) -> bool:
        """Whether it is there."""
        return bool(parts(self.group))

    def _absent(self, needed_by: str) -> RigError:
        return self.error(f"{needed_by}: {self.contents} are in the distribution {self.name}. {self.remedy}")

    @property
    def remedy(self) -> str:
        """What installs it."""
        return "Run `make setup`." if resources.checkout() else f"Run `pip install 'gpiorig[{self.extra}]'`."


@cache
def parts(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by their names."""
    from importlib.metadata import (
        entry_points,  # takes longer to import than all of this program that every command needs
    )

    return {entry.name: entry for entry in entry_points(group=group)}


VBENCH = Distribution("gpiorig-vbench", "virtual", "gpiorig.virtual", "virtual boards", BenchError)
STUDIES = Distribution("gpiorig-studies", "studies", "gpiorig.studies", "studies and batches", RigError)
