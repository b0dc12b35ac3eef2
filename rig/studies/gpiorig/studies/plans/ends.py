"""How a point is recorded on a bench: by `gpiorig run` on this machine, or on another one."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from pathlib import Path

import msgspec
import tomli_w

from gpiorig.capture.atomic_file import replacing
from gpiorig.rig.bench import checks
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import convert
from gpiorig.studies.plans import attempt, outcome
from gpiorig.studies.plans.attempt import Watch
from gpiorig.studies.plans.folders import Folders
from gpiorig.studies.plans.outcome import Outcome
from gpiorig.studies.points import given_bench, keys
from gpiorig.studies.points.folder import BENCH, EXPERIMENT, PointFolder
from gpiorig.studies.points.points import Point
from gpiorig.studies.points.work import Task

GPIORIG = (sys.executable, "-m", "gpiorig.rig")
OPTIONS = ("--json", "--no-report")  # the recording is analysed here


class End(ABC):
    """A bench of a plan.

    Parameters
    ----------
    bench, file
        The bench, and its file on this machine.
    """

    takes_changes = True  # whether points may need other keys of the bench than its file has

    def __init__(self, bench: Bench, file: Path) -> None:
        self._file = file
        tree = given_bench.tree(bench, file, list(bench.nodes))
        self._unchanged = checks.check(convert(tree, Bench, what=str(file)), what=str(file))

    def is_of(self, point: Point) -> bool:
        """Whether a point needs the bench as its file has it: all nodes, and nothing changed."""
        return point.bench == self._unchanged

    def check(self, point: Point) -> None:
        """Raise `BenchError` for a point that cannot be recorded here."""
        if not self.takes_changes and not self.is_of(point):
            raise BenchError(
                f"study {point.study}: needs other nodes or keys than the bench of another machine has; start it there."
            )

    def remote_folder(self, task: Task, attempt_number: int) -> str:
        """A new name for the folder in which an attempt records on another machine; empty on this one."""
        return ""

    @abstractmethod
    def run(self, task: Task, attempt_number: int, remote_folder: str, folders: Folders, watch: Watch) -> Outcome:
        """One attempt; its recording is in the folder of its point afterwards, as far as there is one."""

    def fetch(self, remote_folder: str, recording: Path) -> bool:
        """Copy what an earlier attempt left on another machine and delete it there; False if that is not possible."""
        return False

    @abstractmethod
    def sign(self, folder: Path, log: Path) -> object:
        """Changes while a point is recorded."""


class Local(End):
    """A bench of this machine."""

    def run(self, task: Task, attempt_number: int, remote_folder: str, folders: Folders, watch: Watch) -> Outcome:
        """Run `gpiorig run` in a process, with the file of the bench, or with what the point needs of it."""
        folder, digest = PointFolder(task.folder), task.point.digest
        folder.path.mkdir(parents=True, exist_ok=True)
        bench = self._file
        if not self.is_of(task.point):
            bench = _written(folder.path / BENCH, msgspec.to_builtins(task.point.bench))
        experiment = _written(folder.path / EXPERIMENT, experiment_tree(task.point))
        command = [*GPIORIG, "run", str(bench), str(experiment), *OPTIONS, "-o", str(folder.recording)]
        ended = attempt.run(command, watch, output=folders.output, log=folders.log(digest, attempt_number))
        if ended.ended_by is not None:
            return ended.ended_by
        return outcome.of_experiment(ended.status, ended.stdout, ended.stderr, folder.recording)

    def sign(self, folder: Path, log: Path) -> object:
        """The files of the point."""
        return attempt.folder_sign(folder)


def experiment_tree(point: Point) -> dict[str, object]:
    """The experiment of a point, as tables."""
    tree: dict[str, object] = keys.given(msgspec.to_builtins(point.experiment, str_keys=True))
    return tree


def _written(path: Path, tree: dict[str, object]) -> Path:
    with replacing(path) as new:
        new.write_text(tomli_w.dumps(keys.given(tree)), encoding="utf-8")
    return path
