"""How runs are started on a bench: on this machine, or on another one."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from gpiorig.rig import names
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.campaign import study
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.queue import attempt, outcome
from gpiorig.rig.queue.attempt import Watch
from gpiorig.rig.queue.folders import Folders
from gpiorig.rig.queue.outcome import Outcome
from gpiorig.rig.queue.plan import Run
from gpiorig.rig.queue.queue_file import Job

GPIORIG = (sys.executable, "-m", "gpiorig.rig")


class End(ABC):
    """A bench of a queue, or the benches that studies ask for."""

    @abstractmethod
    def check(self, jobs: Sequence[Job]) -> None:
        """Raise `RigError` for jobs that cannot run."""

    def remote_folder(self, run: Run, attempt_number: int) -> str:
        """A new name for the folder in which an attempt records on another machine; empty on this one."""
        return ""

    @abstractmethod
    def run(self, run: Run, attempt_number: int, remote_folder: str, folders: Folders, watch: Watch) -> Outcome:
        """One attempt; its recording is in its folder afterwards, as far as there is one."""

    def fetch(self, remote_folder: str, folder: Path) -> bool:
        """Copy what an earlier attempt left on another machine and delete it there; False if that is not possible."""
        return False

    @abstractmethod
    def sign(self, folder: Path, log: Path) -> object:
        """Changes while a run works."""


class Local(End):
    """A bench of this machine; None: the one that a study asks for.

    Parameters
    ----------
    file
        As the queue file has it.
    base
        Folder of the queue file.
    """

    def __init__(self, file: str, base: Path) -> None:
        self._base = base
        self._file: Path | None = names.bench(self._found(file)) if file else None
        self._bench: Bench | None = benches.load(self._file) if self._file is not None else None

    def check(self, jobs: Sequence[Job]) -> None:
        """Load what the jobs name."""
        for job in jobs:
            if job.study:
                study.load_all([self._found(job.study)])
            else:
                assert self._bench is not None
                experiments.load(self._experiment(job), self._bench, packets=job.packets)

    def run(self, run: Run, attempt_number: int, remote_folder: str, folders: Folders, watch: Watch) -> Outcome:
        """Run `gpiorig` in a process."""
        command = [*GPIORIG, *self._words(run, folders.run(run))]
        ended = attempt.run(command, watch, output=folders.output, log=folders.log(run, attempt_number))
        if ended.ended_by is not None:
            return ended.ended_by
        if run.job.study:
            return outcome.of_study(ended.status, ended.stderr)
        return outcome.of_experiment(ended.status, ended.stdout, ended.stderr, folders.run(run))

    def sign(self, folder: Path, log: Path) -> object:
        """The files of the run."""
        return attempt.folder_sign(folder)

    def _words(self, run: Run, folder: Path) -> list[str]:
        job = run.job
        if job.study:  # points that failed before are recorded again
            bench = ["--bench", str(self._file)] if self._file is not None else []
            quick = ["--quick"] if job.quick else []
            return ["study", "run", str(self._found(job.study)), "-o", str(folder), "--json", "--retry", *bench, *quick]
        return ["run", str(self._file), str(self._experiment(job)), *run_options(job), "-o", str(folder)]

    def _experiment(self, job: Job) -> Path:
        return names.experiment(self._found(job.experiment))

    def _found(self, word: str) -> Path:
        """A file relative to the queue file; else the word, which is a name then."""
        path = self._base / word
        return path if path.exists() else Path(word)


def run_options(job: Job) -> list[str]:
    """The options of `gpiorig run`."""
    packets = ["--packets", str(job.packets)] if job.packets is not None else []
    return ["--json", *([] if job.report else ["--no-report"]), *packets]
