"""The runs of a queue: each job N times in each pass over the jobs."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpiorig.rig.queue.queue_file import Job, Repeat


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a job; `number` counts the job's runs from 1 over all passes."""

    job: Job
    number: int

    @property
    def name(self) -> str:
        """Such as ``pingpong-0007``; its folder is called so."""
        return f"{self.job.name}-{self.number:04}"


def of_name(name: str, jobs: Sequence[Job]) -> Run:
    """The run of this name; its job may be one that the queue file does not have any more."""
    job, _, number = name.rpartition("-")
    known = {job.name: job for job in jobs}
    return Run(known.get(job) or Job(job, experiment=job), int(number))


def of_pass(jobs: Sequence[Job], number: int) -> list[Run]:
    """The runs of a pass; passes count from 1."""
    return [
        Run(job, (number - 1) * job.repeats + repeat) for job in jobs for repeat in range(1, job.repeats + 1)
    ]  # fmt: skip


def passes(repeat: Repeat) -> Iterator[int]:
    """The numbers of the passes: one, as many as are asked for, or as many as start in time."""
    last = repeat.count if repeat.count is not None else (1 if repeat.until is None else None)
    number = 1
    while (last is None or number <= last) and not is_over(repeat):
        yield number
        number += 1


def is_over(repeat: Repeat) -> bool:
    """Whether no run starts any more; a date without a zone is in that of the host."""
    return repeat.until is not None and datetime.datetime.now(datetime.UTC) >= repeat.until.astimezone(datetime.UTC)
