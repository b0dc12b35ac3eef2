"""What was flushed: files of recordings as they were at some moments, to be found again when all is over."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass
from pathlib import Path

from gpiorig.capture.recording.recording import EDGES, SERIAL
from gpiorig.studies.plans.folders import DIGITS, KEPT
from gpiorig.studies.points.folder import POINTS, RECORDING


@dataclass(frozen=True, slots=True)
class Seen:
    """The files of one recording at a moment.

    Attributes
    ----------
    digest
        Its point.
    files
        Size and sha256 by path, relative to the recording.
    """

    digest: str
    files: dict[str, tuple[int, str]]

    @property
    def has_samples(self) -> bool:
        """Whether an edge or a watermark was on the disk; a recording without any is deleted."""
        return any(size for name, (size, _) in self.files.items() if name.endswith(".seg"))

    def is_in(self, recording: Path) -> bool:
        """Whether a recording begins with all this."""
        return all(
            (recording / name).is_file() and _begin(recording / name, size) == (size, digest)
            for name, (size, digest) in self.files.items()
        )


class Flushed:
    """Looks at the recordings of the points of a plan."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self.seen: list[Seen] = []

    def look(self) -> None:
        """Remember what is on the disk now of the points that are recorded."""
        for folder in (self._output / POINTS).glob(f"*/{RECORDING}"):
            paths = [path for part in (EDGES, SERIAL) for path in (folder / part).glob("*.*")]
            with contextlib.suppress(OSError):  # it is moved or deleted just now
                self.seen.append(
                    Seen(folder.parent.name, {str(path.relative_to(folder)): _begin(path) for path in paths})
                )

    def lost(self) -> list[str]:
        """What is not in any recording of its point any more, a line each."""
        faults = []
        for seen in self.seen:
            places = [self._output / POINTS / seen.digest / RECORDING]
            places += (self._output / KEPT).glob(f"{seen.digest[:DIGITS]}-attempt-*")
            if seen.has_samples and not any(seen.is_in(place) for place in places):
                faults.append(f"{seen.digest}: what was flushed is lost: {seen.files}")
        return faults


def _begin(path: Path, size: int | None = None) -> tuple[int, str]:
    """Size and sha256 of the beginning of a file."""
    with path.open("rb") as file:
        data = file.read() if size is None else file.read(size)
    return len(data), hashlib.sha256(data).hexdigest()
