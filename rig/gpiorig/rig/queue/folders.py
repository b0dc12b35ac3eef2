"""The folders of a queue: recordings that are complete, those that are kept although they are not, and outputs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gpiorig.capture import confined
from gpiorig.capture.recording.recording import DESCRIPTION
from gpiorig.rig.campaign import folder as points
from gpiorig.rig.queue import outcome
from gpiorig.rig.queue.plan import Run

RUNS, KEPT, LOGS, BENCHES, ALIVE = "runs", "kept", "logs", "benches", "alive"


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders below that of a queue."""

    output: Path

    def run(self, run: Run) -> Path:
        """The recording of an experiment, or the results of a study."""
        return confined.inside(self.output, f"{RUNS}/{run.name}")

    def leftover(self, run: Run, attempt: int) -> Path:
        """Where what is left of an attempt is moved that did not become complete."""
        return confined.inside(self.output, f"{KEPT}/{run.name}-attempt-{attempt}")

    def log(self, run: Run, attempt: int) -> Path:
        """The start of the names of what an attempt printed."""
        return confined.inside(self.output, f"{LOGS}/{run.name}-attempt-{attempt}")

    def relative(self, path: Path) -> str:
        """As the journal has it; empty for a folder that is not there."""
        return str(path.relative_to(self.output)) if path.exists() else ""

    def keep(self, run: Run, attempt: int) -> Path:
        """Move what is left of an attempt away, so that the next one has a free place; returns where it is then.

        Of a study its complete points stay, and a recording that was cut is moved.
        """
        leftover, folder = self.leftover(run, attempt), self.run(run)
        if run.job.study:
            for recording in _cut_points(folder):
                place = leftover / recording.parent.name
                place.parent.mkdir(parents=True, exist_ok=True)
                recording.replace(place)
        elif folder.exists() and not leftover.exists():
            leftover.parent.mkdir(parents=True, exist_ok=True)
            folder.replace(leftover)
        return leftover

    def count(self, run: Run, attempt: int) -> Path:
        """Move what `leftover` has to where the recording of the run belongs, and return that."""
        folder = self.run(run)
        folder.parent.mkdir(parents=True, exist_ok=True)
        return self.leftover(run, attempt).replace(folder)


def _cut_points(results: Path) -> list[Path]:
    """The recordings of a study that were cut: those without the file that ends the work on a point."""
    recordings = [path.parent for path in results.glob(f"{points.POINTS}/*/{points.RECORDING}/{DESCRIPTION}")]
    return [
        path for path in recordings
        if not (path.parent / points.POINT).exists() and outcome.state_of(path) != "complete"
    ]  # fmt: skip
