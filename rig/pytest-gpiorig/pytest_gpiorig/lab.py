"""What a session of tests has: benches that are attached, recordings in place of absent ones, runs to share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import gpiorig
from gpiorig.capture.recording.recording import REPORT
from gpiorig.rig import names
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError, RigError
from pytest_gpiorig import lock
from pytest_gpiorig.bench import Bench, checked, clear
from pytest_gpiorig.run import Run

NONE = "none"  # in place of a bench: recordings are replayed


class AbsentError(RigError):
    """Neither a bench nor a recording to replay: the test is skipped."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a test asks for.

    Parameters
    ----------
    experiment
        A file, or the name of one that comes with gpiorig.
    packets, timeout_s, unchecked
        As of `Bench.run`.
    bench
        The bench that the test is for; empty: any.
    """

    experiment: str
    packets: int | None = None
    timeout_s: float | None = None
    unchecked: bool = False
    bench: str = ""

    @property
    def key(self) -> str:
        """The name of its recording: tests with equal wishes share one."""
        parts = [Path(self.experiment).stem, str(self.packets or ""), Path(self.bench).stem]
        return "-".join(part for part in parts if part)


@dataclass(frozen=True)
class Lab:
    """The benches and recordings of a session.

    Parameters
    ----------
    root
        Files that tests name are below it.
    attached
        Files or names of the benches that are there, in the order given; the last is that of tests that name none.
    recordings
        Folder of the recordings to replay, each in a folder named by `Wish.key`.
    place
        A folder of this session, which its processes share.
    output
        Where recordings and pages are kept; None: in `place`.
    saves
        Whether new recordings replace those to replay.
    flashes, patience_s
        As of `Bench`.
    """

    root: Path
    attached: tuple[str, ...]
    recordings: Path
    place: Path
    output: Path | None = None
    saves: bool = False
    flashes: bool = False
    patience_s: float = 0.0
    _runs: dict[str, Run | Exception] = field(default_factory=dict)

    def bench(self, name: str, place: Path) -> Bench:
        """The bench of a name, or without a name the last that is attached; it records into `place`.

        Raises
        ------
        AbsentError
            It is not attached; a virtual bench is always there.
        """
        file = self._file(name)
        if file is None:
            which = f"bench {name}" if name else "a bench"
            raise AbsentError(f"needs {which}, which is not attached: --gpiorig-bench {name or 'BENCH'}")
        return Bench(file, place, self.flashes, self.patience_s)

    def run(self, wish: Wish) -> Run:
        """The run that a test asks for: recorded once in the session, or replayed where its bench is not attached.

        Raises
        ------
        AbsentError
            There is no recording either.
        """
        if wish.key not in self._runs:
            try:
                self._runs[wish.key] = self._made(wish)
            except Exception as error:  # a bench that fails is not tried again by each test
                self._runs[wish.key] = error
        run = self._runs[wish.key]
        if isinstance(run, Exception):
            raise run
        return run if wish.unchecked else checked(run)

    def _made(self, wish: Wish) -> Run:
        if self._file(wish.bench) is None:
            return self._replayed(wish)
        folder = (self.output or self.place) / wish.key
        with self._once(wish.key) as is_new:
            if is_new:
                bench = self.bench(wish.bench, folder.parent)
                with bench.held():
                    run = bench.run(
                        wish.experiment,
                        packets=wish.packets,
                        timeout_s=wish.timeout_s,
                        unchecked=True,
                        output=folder,
                    )
                if self.saves and run.recording.state == "complete":
                    self._save(run, wish)
                return run
        opened = gpiorig.open(folder)
        kind = "virtual bench" if opened.virtual else "bench"
        return Run(opened, f"{kind} {self.bench(wish.bench, folder.parent).file.stem}", folder)

    def _replayed(self, wish: Wish) -> Run:
        folder = self.recordings / wish.key
        if not folder.is_dir():
            name = wish.bench or "BENCH"
            raise AbsentError(
                f"no bench, and no recording {_short(folder)} to replay: run it once with --gpiorig-bench {name} "
                "--gpiorig-save"
            )
        place = (self.output or self.place) / f"{wish.key}-replayed"
        with self._once(wish.key) as is_new:
            if is_new and (place / REPORT).is_dir():  # of an earlier session
                shutil.rmtree(place)
        opened = gpiorig.open(folder)
        day = opened.described.info.epoch.wall[:10]
        boards = "a virtual bench" if opened.virtual else "a bench"
        return Run(opened, f"replay of {_short(folder)}, recorded on {day} with {boards}", place)

    def _save(self, run: Run, wish: Wish) -> None:
        """Keep the recording alone: its tables and pages follow from it."""
        place = self.recordings / wish.key
        clear(place)
        ignored = shutil.ignore_patterns("*.parquet", "report")
        shutil.copytree(run.folder, place, ignore=ignored)

    def _file(self, name: str) -> Path | None:
        """The file of a bench that is there, or None."""
        attached = [self._resolved(word) for word in self.attached if word != NONE]
        if NONE in self.attached[-1:]:
            return None
        if not name:
            return attached[-1] if attached else None
        file = self._resolved(name)
        return file if file in attached or benches.load(file).virtual is not None else None

    def _resolved(self, word: str) -> Path:
        below = self.root / word
        try:
            return (below if below.is_file() else names.bench(Path(word))).resolve()
        except BenchError as error:
            raise BenchError(f"{error} Paths are relative to {self.root}, or to the current folder.") from error

    @contextmanager
    def _once(self, key: str) -> Iterator[bool]:
        """Whether this is the first of the session's processes that makes `key`; the others wait for it."""
        with lock.of_folder(self.place / f"{key}.once"):
            begun = self.place / f"{key}.once" / "begun"
            is_new = not begun.exists()
            yield is_new
            begun.touch()


def _short(path: Path) -> str:
    """A path relative to the current folder, if it is below that."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
