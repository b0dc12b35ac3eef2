"""Points of studies for a store: those that are worked on, and those of a folder that `gpiorig study run` wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpiorig.rig.store.outcomes import Added
from gpiorig.rig.store.store import Store
from gpiorig.studies.pages.results import State
from gpiorig.studies.points import table
from gpiorig.studies.points.folder import POINT, POINTS, PointFolder

RESULTS = ("done", "failed", "refused")  # states of points that a store takes


@dataclass(frozen=True, slots=True)
class Ended:
    """A point of a study that was worked on.

    Parameters
    ----------
    study, digest, coordinates, repeat
        As in `Point`.
    state, reason
        Its state for this study.
    folder
        Its folder.
    """

    study: str
    digest: str
    coordinates: Mapping[str, Any]
    repeat: int
    state: State
    reason: str
    folder: PointFolder

    @property
    def has_ended(self) -> bool:
        """Whether a store takes it."""
        return self.state in RESULTS

    @property
    def recording(self) -> Path:
        """Its recording."""
        return self.folder.recording

    def add(self, store: Store) -> Added:
        """Add it to a store, in place of an earlier one."""
        return store.add_point(
            self.study,
            self.digest,
            self.coordinates,
            self.repeat,
            self.state,
            self.folder.quantities if self.folder.quantities.is_file() else None,
            self.folder.recording if self.folder.open() is not None else None,
            reason=self.reason,
        )


def points_in(folder: Path) -> list[Ended]:
    """The points of an output folder, or else of a folder of points or the folder of one; empty if it is none.

    An output folder has a table of its points by study, written at the end of a run or report. In a folder of points
    each is of the study that recorded it, with all quantities and assertions that were asked for.
    """
    if (folder / table.TABLE).is_file():
        return [
            Ended(
                study=row["study"],
                digest=row["digest"],
                coordinates=json.loads(row["coordinates"]),
                repeat=row["repeat"],
                state=row["state"],
                reason=row["reason"],
                folder=PointFolder.of(folder, row["digest"]),
            )
            for row in table.read(folder)
        ]
    parent = folder / POINTS if (folder / POINTS).is_dir() else folder
    paths = [parent / POINT] if (parent / POINT).is_file() else sorted(parent.glob(f"*/{POINT}"))
    return [point for path in paths if (point := _of_folder(PointFolder(path.parent))) is not None]


def _of_folder(folder: PointFolder) -> Ended | None:
    file = folder.read()
    if file is None:
        return None
    state, reason = folder.state(tuple(file.quantities), tuple(file.verdicts))
    return Ended(file.study, folder.path.resolve().name, file.coordinates, file.repeat, state, reason, folder)
