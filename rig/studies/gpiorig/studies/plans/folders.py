"""The folders of a plan: points, what is kept of attempts that failed or were cut, and what their programs printed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gpiorig.capture import confined
from gpiorig.studies.plans import outcome
from gpiorig.studies.points.folder import PointFolder, size_of

KEPT, LOGS, BENCHES, ALIVE = "kept", "logs", "benches", "alive"
DIGITS = 16  # of a digest, in the names of what is kept


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders below the output folder of a plan."""

    output: Path

    def point(self, digest: str) -> PointFolder:
        """The folder of a point."""
        return PointFolder.of(self.output, digest)

    def leftover(self, digest: str, attempt: int) -> Path:
        """Where the recording of an attempt is moved that does not count."""
        return confined.inside(self.output, f"{KEPT}/{digest[:DIGITS]}-attempt-{attempt}")

    def log(self, digest: str, attempt: int) -> Path:
        """The start of the names of what an attempt printed."""
        return confined.inside(self.output, f"{LOGS}/{digest[:DIGITS]}-attempt-{attempt}")

    def relative(self, path: Path) -> str:
        """As the journal has it; empty for a folder that is not there."""
        return str(path.relative_to(self.output)) if path.exists() else ""

    def described(self, recording: Path) -> dict[str, object]:
        """Place, state and size of a recording, as records of the journal have them."""
        return {
            "folder": self.relative(recording),
            "state": outcome.state_of(recording),
            "bytes": size_of(recording),
        }

    def keep(self, digest: str, attempt: int) -> Path:
        """Move the recording of an attempt away, so that the next one has a free place; returns where it is then."""
        leftover, folder = self.leftover(digest, attempt), self.point(digest)
        if folder.recording.exists() and not leftover.exists():
            folder.unread()
            leftover.parent.mkdir(parents=True, exist_ok=True)
            folder.recording.replace(leftover)
        return leftover

    def count(self, digest: str, attempt: int) -> Path:
        """Move what `leftover` has to where the recording of the point belongs, and return that."""
        folder = self.point(digest)
        folder.unread()
        folder.path.mkdir(parents=True, exist_ok=True)
        return self.leftover(digest, attempt).replace(folder.recording)

    def is_complete(self, digest: str) -> bool:
        """Whether the recording of a point is there and complete."""
        return outcome.state_of(self.point(digest).recording) == "complete"
