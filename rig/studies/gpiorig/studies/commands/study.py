"""`gpiorig study`: the figures and tables of study files."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from gpiorig.analysis.number_text import count_text
from gpiorig.rig import names, plain_json, progress
from gpiorig.rig.bench import benches
from gpiorig.rig.plain_json import Result
from gpiorig.rig.verbosity import note
from gpiorig.studies.batch.outcome import Outcome
from gpiorig.studies.pages import verdicts
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.plans import finished, journal, lock, plan, runner, status
from gpiorig.studies.plans.journal import Record
from gpiorig.studies.plans.pending import estimated, pending
from gpiorig.studies.plans.plan import Plan
from gpiorig.studies.plans.runner import Ending
from gpiorig.studies.plans.session import Options
from gpiorig.studies.plans.status import Status
from gpiorig.studies.points import numbers, pages, states, study_paths, table
from gpiorig.studies.points.folder import PointFile
from gpiorig.studies.points.numbers import StudyNumbers
from gpiorig.studies.points.points import Conditions
from gpiorig.studies.points.work import Task

if TYPE_CHECKING:
    from tqdm import tqdm

FOLLOW_S = 0.5  # how often to look for new records
SHOWN = 5  # reasons that are printed for a study


class ListedStudy(Result, frozen=True, kw_only=True):
    """A study: its points by state, and those to record with an estimate of the time and the disk that they take."""

    study: str
    document: str
    figure: str
    title: str
    points: int
    states: dict[str, int]
    to_record: int
    seconds: int
    bytes: int


class PointRow(Result, frozen=True, kw_only=True):
    """A point of a study; `coordinates` is an object as text."""

    study: str
    digest: str
    coordinates: str
    repeat: int
    state: str
    reason: str
    virtual: bool | None


class Studied(Result, frozen=True, kw_only=True):
    """The pages that were written, the points, the errors of this run by digest, and the numbers of the studies."""

    output: str
    pages: list[str]
    points: list[PointRow]
    errors: dict[str, str]
    studies: dict[str, StudyNumbers]


RESULTS = {
    "study-list": (list[ListedStudy],),
    "study-run": (Studied,),
    "study-report": (Studied,),
    "study-status": (Status, Record),
}


def run(options: argparse.Namespace) -> int:
    """List, record, report, or show the status."""
    if options.action == "status":
        return _follow(options.folder, as_json=options.json) if options.follow else _status(options)
    if options.action == "list":
        return _list(options)
    if options.action == "report":
        return _report(options)
    return _record(options)


def _status(options: argparse.Namespace) -> int:
    counts = status.of(options.folder)
    print(plain_json.text(counts) if options.json else status.text(counts))
    return 0


def _follow(folder: Path, *, as_json: bool) -> int:
    """Print the records that are there and those that come, until the last one is the end."""
    printed = 0
    while True:
        records = journal.read(folder).records
        if not records:
            raise journal.missing(folder)
        for record in records[printed:]:
            _print(record, as_json=as_json)
        printed = len(records)
        if records[-1].event == "plan ended":
            return 0
        time.sleep(FOLLOW_S)


def _print(record: Record, *, as_json: bool = False) -> None:
    print(msgspec.json.encode(record).decode() if as_json else status.line(record), flush=True)


def _list(options: argparse.Namespace) -> int:
    """Print the studies with their points, states, and what is to come."""
    rows = []
    files = options.files or list(study_paths.files().values())
    for sought in plan.load(files, _conditions(options), options.output).sought:
        study, tasks = sought.study, pending([sought])
        counts: Counter[str] = Counter(sought.state(point)[0] for point in sought.points(states.rounds(sought)))
        ahead = estimated([sought], tasks)
        rows.append(
            ListedStudy(
                study=study.name,
                document=study.file.document,
                figure=study.file.figure,
                title=study.file.title,
                points=counts.total(),
                states=dict(sorted(counts.items())),
                to_record=ahead.points,
                seconds=round(ahead.seconds),
                bytes=round(ahead.bytes),
            )
        )
        if not options.json:
            rest = f"; {ahead}" if ahead.points else ""
            print(": ".join(part for part in (study.name, study.place, study.file.title) if part))
            print(f"  {_counted(counts)}{rest}")
    if options.json:
        print(plain_json.text(rows))
    return 0


def _record(options: argparse.Namespace) -> int:
    """Record what is missing, analyse, and write pages; 1 if a point failed."""
    conditions = _conditions(options)
    planned = plan.load(options.files, conditions, options.output)
    run_options = Options(
        options.workers or 1,
        options.scheduler,
        options.retry,
        options.stop_on_failure,
        options.store,
        options.direct,
        options.insecure_cluster,
    )
    runner.check_options(run_options, conditions)
    output = options.output = planned.output
    with lock.held(output):
        pages_of = finished.Finished(planned, retry=options.retry, figures=options.figures)
        ending = _run_all(planned, run_options, pages_of, as_json=options.json)
        unasked = _unasked(output, ending.results) if len(planned.sought) > 1 else None
        written = finished.write_pages(output, ending.results, unasked, figures=options.figures)
    return max(_printed(options, ending.results, written, ending.errors), int(bool(ending.why or ending.left)))


def _run_all(planned: Plan, options: Options, pages_of: finished.Finished, *, as_json: bool) -> Ending:
    """Work on all studies. All of their points are checked before the first is recorded."""
    tasks = pending(planned.sought, retry=options.retry)
    ahead = estimated(planned.sought, tasks, workers=options.workers)
    if tasks:
        again, of_images = (sum(task.point.record == is_recorded for task in tasks) for is_recorded in (True, False))
        again -= ahead.points
        parts = [f"{count_text(ahead.points, 'point')} to record: {ahead}"] if ahead.points else []
        parts += [f"{again} to analyse again"] if again else []
        parts += [f"{of_images} of images alone"] if of_images else []
        note(f"{'; '.join(parts)}.")

    def ended(outcome: Outcome[Task, PointFile]) -> None:
        _advance(bar, outcome.item.point.study)
        pages_of.ended(outcome.item.point.digest)

    with progress.bar("points", total=len(tasks), unit="points", leave=True) as bar:
        try:
            return runner.run(
                planned,
                options,
                ended=ended,
                news=lambda record: None if as_json or not planned.file.jobs else _print(record),
            )
        except KeyboardInterrupt:
            bar.close()
            left = len(pending(planned.sought))
            note(f"{count_text(left, 'point')} left; the same command continues.")
            raise


def _advance(bar: tqdm[Any], study: str) -> None:
    """One point more; there may be more repeats than were known at the start."""
    bar.total = max(bar.total or 0, bar.n + 1)
    bar.set_description(study)
    bar.update()


def _report(options: argparse.Namespace) -> int:
    """Write tables and pages of what is there; 1 if a point failed."""
    given = options.quick or options.bench is not None or options.image
    planned = plan.load(options.files, _conditions(options), options.output) if options.files else None
    options.output = planned.output if planned is not None else options.output
    entries = table.entries(options.output)
    if planned is None and not entries:
        raise study_paths.nothing_run(options.output)
    if planned is not None:
        asked = [(sought.study, sought.conditions) for sought in planned.sought]
    else:
        asked = [(plan.study_of(entry, name), _conditions(options)) for name, entry in entries.items()]
    with lock.held_if_free(options.output) as is_free:
        if not is_free:
            note(
                "another gpiorig records into this folder: pages are of what is done; points.parquet comes at its end."
            )
        results = []
        for study, conditions in asked:
            entry = None if given else entries.get(study.name)
            results.append(states.results_of(study, entry.conditions() if entry else conditions, options.output))
            if is_free:
                table.write(options.output, results[-1])
        unasked = _unasked(options.output, results)
        written = finished.write_pages(options.output, results, unasked, figures=options.figures)
    if options.markdown is not None:
        written.append(pages.write_markdown(options.markdown, [*results, *unasked]))
    if options.numbers is not None:
        written.append(pages.write_numbers(options.numbers, [*results, *unasked]))
    return _printed(options, results, written, {})


def _unasked(output: Path, results: Sequence[StudyResults]) -> list[StudyResults]:
    """The results of the other studies of a folder whose files are still there."""
    named = {study.name for study in results}
    return [
        states.results_of(plan.study_of(entry, name), entry.conditions(), output)
        for name, entry in table.entries(output).items()
        if name not in named and Path(entry.file).is_file()
    ]


def _printed(
    options: argparse.Namespace, results: Sequence[StudyResults], written: Sequence[Path], errors: dict[str, str]
) -> int:
    failed = any(point.state == "failed" for study in results for point in study.points) or bool(errors)
    if options.json:
        result = Studied(
            output=str(options.output),
            pages=[str(path) for path in written],
            points=msgspec.convert([row for study in results for row in table.rows(study)], list[PointRow]),
            errors=errors,
            studies={study.name: numbers.of_study(study) for study in results},
        )
        print(plain_json.text(result))
        return int(failed)
    for study in results:
        if expectations := verdicts.of_study(study):
            print(verdicts.sentence(study, expectations))
        print(f"{study.name}: {_counted(Counter(point.state for point in study.points))}")
        reasons = Counter(
            f"{point.state}: {errors.get(point.digest) or point.reason}"
            for point in study.points
            if point.reason or point.digest in errors
        )
        for reason, count in reasons.most_common(SHOWN):
            print(f"  {f'{count} x ' if count > 1 else ''}{reason}")
        if len(reasons) > SHOWN:
            print(f"  and {len(reasons) - SHOWN} other reasons: {options.output / table.TABLE}")
    for path in written:
        print(path)
    return int(failed)


def _counted(counts: Counter[str]) -> str:
    total = counts.total()
    return f"{total} point{'' if total == 1 else 's'}: " + ", ".join(
        f"{n} {state}" for state, n in sorted(counts.items())
    )


def _conditions(options: argparse.Namespace) -> Conditions:
    file = names.bench(options.bench) if options.bench is not None else Path()
    bench = benches.load(file) if options.bench is not None else None
    return Conditions(options.quick, bench, file, dict(options.image))
