"""What an output folder takes on the disk, and what is left."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from gpiorig.studies.plans import plan_file
from gpiorig.studies.plans.plan_file import Disk
from gpiorig.studies.points.folder import size_of

WORDS_BYTES = 4096  # the last words of a program, in the blocks of a file system
UNITS = ("B", "kB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a folder, in bytes."""

    folder: Path
    keep_free: float
    quota: float

    @classmethod
    def of(cls, folder: Path, disk: Disk) -> Limits:
        """As the plan has them."""
        return cls(folder, plan_file.size(disk.keep_free), plan_file.size(disk.quota))

    def is_low(self) -> bool:
        """Whether less is free than has to stay free."""
        return shutil.disk_usage(self.folder).free < self.keep_free

    def is_full(self) -> bool:
        """Whether a program could not even have printed why it failed."""
        return shutil.disk_usage(self.folder).free < WORDS_BYTES

    def lacking(self, wanted_bytes: int) -> str:
        """Why a run of this size does not fit; empty if it does."""
        free, used = shutil.disk_usage(self.folder).free, size_of(self.folder)
        if free - wanted_bytes < self.keep_free:
            return (
                f"{text(free)} are free, a run takes {text(wanted_bytes)}, and {text(self.keep_free)} have to stay "
                "free (disk.keep_free). Free some space."
            )
        if used + wanted_bytes > self.quota:
            return (
                f"the folder has {text(used)}, a run takes {text(wanted_bytes)}, and {text(self.quota)} are allowed "
                "(disk.quota). Move recordings away, or raise the quota."
            )
        return ""


def text(size: float) -> str:
    """Such as ``1.5 GB``."""
    unit = 0
    while size >= 1000 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {UNITS[unit]}"
