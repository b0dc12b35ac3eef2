"""Plan files: jobs over benches, passes, watchdogs and limits of the disk (docs/guide/many.md)."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from gpiorig.rig import durations
from gpiorig.rig.errors import BenchError, RigError
from gpiorig.rig.strict_toml import load as load_toml

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")  # names become parts of folder names
_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?(kB|MB|GB|TB|B)|0")
_BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
SSH = "ssh://"

Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Words = tuple[str, ...]


class PlanBench(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bench of a plan.

    Parameters
    ----------
    file
        Its bench file, the name of one that comes with gpiorig, or ``ssh://[USER@]HOST[:PORT]/PATH`` of one on
        another machine.
    power_cycle
        A command that takes the power off and on again, as a list of words; ``{bench}``, ``{node}`` and ``{cause}`` are
        filled in. It runs after a failure, before the next attempt.
    ssh
        The program that reaches another machine, with its options.
    gpiorig
        The program there.
    """

    file: str
    power_cycle: Words = ()
    ssh: Words = ("ssh", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=15")
    gpiorig: Words = ("gpiorig",)

    @property
    def is_remote(self) -> bool:
        """Whether it is on another machine."""
        return self.file.startswith(SSH)


class Job(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An experiment on a bench, or a study.

    Parameters
    ----------
    name
        Its name; its points are of a study of this name.
    experiment, study
        One of the two: an experiment file or a study file, or the name of one.
    bench
        The key of a bench in `[benches]`; a study without one runs on the bench that it asks for.
    packets
        Of an experiment, in place of its own number.
    quick
        Of a study.
    checks
        Whether a point has failed when a check of its recording has.
    repeats
        In each pass over the jobs: of an experiment; of a study, this number of times its own.
    """

    name: str
    experiment: str = ""
    study: str = ""
    bench: str = ""
    packets: Count | None = None
    quick: bool = False
    checks: bool = True
    repeats: Count = 1


class Repeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Passes over all jobs, as far as both allow.

    Parameters
    ----------
    count
        Their number.
    until
        A date after which no recording starts, such as ``2027-01-04T08:00:00+01:00``; without a zone, in the host's.
    """

    count: Count | None = None
    until: datetime.datetime | None = None

    @property
    def passes(self) -> int | None:
        """How many there are; None: as many as start in time."""
        return self.count if self.count is not None else (1 if self.until is None else None)

    @property
    def is_over(self) -> bool:
        """Whether nothing starts any more; a date without a zone is in that of the host."""
        return self.until is not None and datetime.datetime.now(datetime.UTC) >= self.until.astimezone(datetime.UTC)


class Watchdog(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a run has failed, and what follows.

    Parameters
    ----------
    silence
        A recording whose folder has not changed for this long is ended.
    timeout
        A recording that lasts longer than this is ended; empty: without a limit.
    retries
        Attempts after the first one.
    pause
        Before the next attempt, after the power-cycle hook.
    hook_timeout
        A power-cycle hook that lasts longer than this is ended.
    quarantine_after
        Failures in a row after which a node or a bench is not used any more.
    """

    silence: str = "5m"
    timeout: str = ""
    retries: Annotated[int, Meta(ge=0, le=1000)] = 2
    pause: str = "5s"
    hook_timeout: str = "1m"
    quarantine_after: Count = 3


class Disk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of the disk.

    Parameters
    ----------
    keep_free
        No recording starts with less than this free, and one that runs is ended; "0": without a limit.
    quota
        Of the output folder; empty: without a limit.
    wait
        How long to wait for free space before the plan ends.
    """

    keep_free: str = "1GB"
    quota: str = ""
    wait: str = "1h"


class PlanFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"jobs": "job"}):
    """A plan.

    Parameters
    ----------
    output
        Folder of the results, relative to that of the file.
    order
        One job at a time, a pass after the other; or the benches work in parallel.
    """

    output: str
    jobs: tuple[Job, ...]
    benches: dict[str, PlanBench] = {}
    order: Literal["file", "by bench"] = "file"
    repeat: Repeat = Repeat()
    watchdog: Watchdog = Watchdog()
    disk: Disk = Disk()


def load(path: Path) -> PlanFile:
    """The checked plan of a file; raises `BenchError` with the file, the key and the remedy."""
    file, source = load_toml(path, PlanFile, what="plan"), f"plan {path}"
    if not file.output or not file.jobs:
        raise BenchError(f"{source}: needs `output`, a folder, and at least one [[job]].")
    _check_jobs(file, source=source)
    _check_benches(file.benches, source=source)
    for key in ("silence", "timeout", "pause", "hook_timeout"):
        seconds(getattr(file.watchdog, key), source=f"{source}: watchdog.{key}")
    seconds(file.disk.wait, source=f"{source}: disk.wait")
    for key in ("keep_free", "quota"):
        size(getattr(file.disk, key), source=f"{source}: disk.{key}")
    return file


def seconds(text: str, *, source: str = "plan") -> float:
    """A time such as ``5m``; infinite for an empty text."""
    try:
        return float(durations.seconds(text)) if text else float("inf")
    except RigError as error:
        raise BenchError(f"{source}: {error}") from error


def size(text: str, *, source: str = "plan") -> float:
    """Bytes of a size such as ``20GB``; infinite for an empty text."""
    if not text:
        return float("inf")
    match = _SIZE.fullmatch(text)
    if match is None:
        raise BenchError(f"{source} is {text!r}; write a size such as 500MB or 20GB.")
    return float(match[1]) * _BYTES[match[2]] if match[2] else 0.0


def _check_jobs(file: PlanFile, *, source: str) -> None:
    job_names = [job.name for job in file.jobs]
    for job in file.jobs:
        place = f"{source}: job `{job.name}`"
        if not _NAME.fullmatch(job.name):
            raise BenchError(f"{place}: use up to 64 letters, digits, - and _ in its name, a letter first.")
        if job_names.count(job.name) > 1:
            raise BenchError(f"{place}: is there twice; give each job a name of its own.")
        if bool(job.experiment) == bool(job.study):
            raise BenchError(f"{place}: give either `experiment` or `study`.")
        if job.bench and job.bench not in file.benches:
            names = ", ".join(file.benches) or "none"
            raise BenchError(f"{place}: no bench is called `{job.bench}` in [benches]; known: {names}.")
        if job.experiment and not job.bench:
            raise BenchError(f"{place}: an experiment needs `bench`, a key of [benches].")
        if job.experiment and job.quick:
            raise BenchError(f"{place}: `quick` belongs to a study; an experiment has `packets`.")
        if job.study and job.packets is not None:
            raise BenchError(f"{place}: `packets` belongs to an experiment; delete it.")


def _check_benches(benches: Mapping[str, PlanBench], *, source: str) -> None:
    files: dict[str, str] = {}
    for name, bench in benches.items():
        if not _NAME.fullmatch(name):
            raise BenchError(f"{source}: bench `{name}`: use up to 64 letters, digits, - and _, a letter first.")
        if name_before := files.get(bench.file):
            raise BenchError(f"{source}: benches `{name_before}` and `{name}` are the same file; delete one.")
        files[bench.file] = name
