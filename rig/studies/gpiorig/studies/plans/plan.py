"""A plan: studies with their conditions, the benches that they run on, and the limits within which they do."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gpiorig.capture import confined, toml_text
from gpiorig.rig import names
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import load as load_toml
from gpiorig.studies.plans import plan_file
from gpiorig.studies.plans.ends import End, Local
from gpiorig.studies.plans.folders import BENCHES
from gpiorig.studies.plans.plan_file import Disk, Job, PlanFile
from gpiorig.studies.plans.remote import Remote
from gpiorig.studies.points import study as studies
from gpiorig.studies.points import table
from gpiorig.studies.points.points import Conditions
from gpiorig.studies.points.states import Sought
from gpiorig.studies.points.study import Study
from gpiorig.studies.points.study_file import BenchAsked, Repeat, StudyFile
from gpiorig.studies.points.work import Task

JOBS = {"job", "benches", "output"}  # keys of a plan that a study file does not have
TAKEN_OVER = ("name", "assert")  # keys of an experiment file that its job has, too
STUDIES = PlanFile(output="", jobs=(), disk=Disk(keep_free="0"))  # what holds for study files


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be recorded, where and how.

    Parameters
    ----------
    output
        The folder of all results.
    sought
        Studies with their conditions, in the order of the jobs.
    file
        Order, passes, watchdog and limits.
    ends
        The benches on which points are recorded one after another, by the names that `Conditions.lane` has.
    """

    output: Path
    sought: tuple[Sought, ...]
    file: PlanFile = STUDIES
    ends: Mapping[str, End] = field(default_factory=dict)

    @classmethod
    def of(cls, all_sought: Sequence[Sought]) -> Plan:
        """The plan of studies that have no bench, or one that is given for all."""
        ends = {
            sought.conditions.lane: Local(sought.conditions.bench, sought.conditions.bench_file)
            for sought in all_sought
            if sought.conditions.lane and sought.conditions.bench is not None
        }
        return cls(all_sought[0].output, tuple(all_sought), ends=ends)

    def later(self) -> Plan:
        """The plan with one pass more."""
        sought = (
            replace(sought, conditions=replace(sought.conditions, passes=sought.conditions.passes + 1))
            for sought in self.sought
        )
        return replace(self, sought=tuple(sought))

    def groups(self, tasks: Iterable[Task]) -> Iterator[list[Task]]:
        """Tasks that are worked on before the next ones: in the order of the file, or all at once, bench by bench."""
        if self.file.order == "by bench":
            yield list(tasks)
            return
        for _, group in itertools.groupby(tasks, key=lambda task: bool(task.lane and not task.recorded)):
            yield list(group)

    def lanes(self, tasks: Iterable[Task]) -> list[list[Task]]:
        """Those of a group that benches record: each list one after another, the lists in parallel."""
        lanes: dict[str, list[Task]] = {}
        for task in tasks:
            if task.lane and not task.recorded:
                lanes.setdefault(task.lane if self.file.order == "by bench" else "", []).append(task)
        return list(lanes.values())


def is_plan(path: Path) -> bool:
    """Whether a file has jobs; one that is not TOML has none."""
    try:
        return path.is_file() and not JOBS.isdisjoint(toml_text.decode(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return False


def load(files: Sequence[Path], conditions: Conditions, output: Path) -> Plan:
    """The plan of study files, or of one plan file, which names its folder itself.

    Raises
    ------
    BenchError
        Something in it cannot be.
    """
    if not any(map(is_plan, files)):
        return Plan.of([Sought.of(study, conditions, output) for study in studies.load_all(files)])
    if len(files) > 1:
        raise BenchError(f"plan {next(filter(is_plan, files))}: has a folder of its own; give it alone.")
    (path,) = files
    if conditions.bench is not None or conditions.quick:
        raise BenchError(f"plan {path}: names benches, and `quick`, for each job; omit --bench and --quick.")
    return _of_file(path, conditions)


def study_of(entry: table.Entry, name: str) -> Study:
    """A study that was run into a folder, from its file or from the plan that it is a job of."""
    path = Path(entry.file)
    if not is_plan(path):
        return studies.load(path)
    file = plan_file.load(path)
    for job in file.jobs:
        if job.name == name:
            return _study(job, file, path)
    raise BenchError(f"plan {path}: has no job `{name}` any more, which was run into this folder.")


def _of_file(path: Path, given: Conditions) -> Plan:
    file = plan_file.load(path)
    output, jobs = path.parent / file.output, [(job, _study(job, file, path)) for job in file.jobs]
    conditions, ends = {"": given}, dict[str, End]()
    for name, bench in file.benches.items():
        copy = confined.inside(output, f"{BENCHES}/{name}.toml")
        bench_file = copy if bench.is_remote else names.bench(_beside(path, bench.file))
        ends[name] = Remote(bench, copy) if bench.is_remote else Local(benches.load(bench_file), bench_file)
        conditions[name] = replace(
            given, bench=benches.load(bench_file), bench_file=bench_file, place=name, is_remote=bench.is_remote
        )
    entries, all_sought = table.entries(output), []
    for job, study in jobs:
        passes = file.repeat.passes or (entries[job.name].passes if job.name in entries else 1)
        of_job = replace(
            conditions[job.bench], quick=job.quick, judged=job.checks, repeats=job.repeats, passes=passes
        )  # fmt: skip
        all_sought.append(Sought.of(study, of_job, output))
        for point in all_sought[-1].points([0]):
            if job.bench:
                ends[job.bench].check(point)
    return Plan(output, tuple(all_sought), file, ends)


def _study(job: Job, file: PlanFile, path: Path) -> Study:
    """The study of a job, which has the name of the job."""
    if job.study:
        (study,) = studies.load_all([_beside(path, job.study)])
        return replace(study, name=job.name)
    experiment = names.experiment(_beside(path, job.experiment)).absolute()
    base = load_toml(experiment, dict[str, Any], what="experiment file")
    asked: dict[str, Any] = {"base": str(experiment)} | {key: base[key] for key in TAKEN_OVER if key in base}
    asked |= {"packets": job.packets} if job.packets is not None else {}
    bench = BenchAsked(file=file.benches[job.bench].file)
    return Study(job.name, path, StudyFile(bench=bench, experiment=asked, repeat=Repeat(seeds=())))


def _beside(path: Path, word: str) -> Path:
    """A file relative to that of the plan; else the word, which is a name then."""
    file = path.parent / word
    return file if file.exists() else Path(word)
