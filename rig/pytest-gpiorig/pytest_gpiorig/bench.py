"""Benches as tests use them: new recordings of experiments and of bare lines."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gpiorig import Recording, WaitTimeout, start_capture, start_run
from gpiorig.capture.recording.recording import DESCRIPTION
from gpiorig.rig.bench import bench as descriptions
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import RigError
from pytest_gpiorig import lock
from pytest_gpiorig.run import Run


class RunError(RigError):
    """A run that no test should pass on: not complete, with failed checks, or not finished in time."""


@dataclass(frozen=True)
class Bench:
    """A bench that is there.

    Parameters
    ----------
    file
        Its file.
    place
        A folder for recordings, each in a new folder of it.
    flashes
        Whether boards get the images of an experiment before it runs.
    patience_s
        How long another process is waited for that uses the bench.
    runs
        What it has recorded for the test.
    """

    file: Path
    place: Path
    flashes: bool = False
    patience_s: float = 0.0
    runs: list[Run] = field(default_factory=list)
    description: descriptions.Bench = field(init=False)
    _numbers: Iterator[int] = field(init=False, default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        object.__setattr__(self, "description", benches.load(self.file))

    @property
    def name(self) -> str:
        """As its file has it."""
        return self.description.name

    @property
    def virtual(self) -> bool:
        """Whether it is a virtual bench, which each run starts for itself."""
        return self.description.virtual is not None

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of its nodes."""
        return tuple(self.description.nodes)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes from a bench of boards; of a virtual bench each run has its own."""
        if self.virtual:
            yield
            return
        with lock.held(self.file, patience_s=self.patience_s):
            yield

    def run(
        self,
        experiment: str | os.PathLike[str],
        *,
        packets: int | None = None,
        timeout_s: float | None = None,
        unchecked: bool = False,
        output: Path | None = None,
    ) -> Run:
        """Run an experiment, as `gpiorig run` does; the recording is new each time.

        Parameters
        ----------
        experiment
            A file, or the name of one that comes with gpiorig.
        packets
            In place of the experiment's number.
        timeout_s
            After which the run is ended, and fails; its recording stays, as interrupted.
        unchecked
            Return a run that is not complete, or whose checks failed.
        output
            Folder of the recording, which replaces one of an earlier session; None: one of `place`.

        Raises
        ------
        RunError
            `gpiorig run` would end with status 1.
        """
        folder = output or self.place / f"{Path(experiment).stem}-run{next(self._numbers)}"
        clear(folder)
        flash = self.flashes and not self.virtual
        with start_run(self.file, experiment, folder, packets=packets, flash=flash) as session:
            try:
                recording = session.wait(timeout_s)
            except WaitTimeout as error:
                session.stop()
                raise RunError(f"{self.file}: {experiment}: not finished within {timeout_s:g} s: {folder}") from error
        run = Run(recording, f"{'virtual bench' if recording.virtual else 'bench'} {self.file.stem}", folder)
        self.runs.append(run)
        return run if unchecked else checked(run)

    def capture(self, duration_s: float) -> Recording:
        """Record the bench's lines and ports for a time, whatever runs on its boards; as `gpiorig.open` gives it."""
        folder = self.place / f"capture{next(self._numbers)}"
        clear(folder)
        recording = start_capture(folder, bench=self.file, duration_s=duration_s).wait()
        if recording.state != "complete":
            raise RunError(f"{folder} is {recording.state}: {' '.join(recording.remarks)}")
        return recording


def clear(folder: Path) -> None:
    """Delete a recording that is replaced; a folder with something else is not touched, and refused by who records."""
    if (folder / DESCRIPTION).is_file():
        shutil.rmtree(folder)


def checked(run: Run) -> Run:
    """The run, if it is complete and no check failed, its own limits included; else `RunError`."""
    recording = run.recording
    state = [] if recording.state == "complete" else [f"it is {recording.state}", *recording.remarks]
    problems = [*state, *recording.failed_checks]
    if problems:
        text = "\n  ".join(problems)
        raise RunError(f"{run.origin}: {run.folder}:\n  {text}\n`unchecked=True` of the experiment accepts this run.")
    return run
