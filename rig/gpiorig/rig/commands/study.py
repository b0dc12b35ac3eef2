"""`gpiorig study`: the figures and tables of study files."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpiorig.analysis.campaign.results import StudyResults
from gpiorig.analysis.number_text import count_text
from gpiorig.rig import names, progress, resources
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.campaign import lock, numbers, pages, running, states, study, table
from gpiorig.rig.campaign.points import Conditions
from gpiorig.rig.campaign.running import Ending, Options
from gpiorig.rig.campaign.states import Sought
from gpiorig.rig.errors import BenchError, RigError
from gpiorig.rig.verbosity import note

if TYPE_CHECKING:
    from tqdm import tqdm

SHOWN = 5  # reasons that are printed for a study


def run(options: argparse.Namespace) -> int:
    """List, record, or report."""
    if options.action == "list":
        return _list(options)
    if options.action == "report":
        return _report(options)
    return _record(options)


def _list(options: argparse.Namespace) -> int:
    """Print the studies with their points, states, and what is to come."""
    rows = []
    for one in study.load_all(options.files or list(resources.studies().values())):
        sought = Sought.of(one, _conditions(options), options.output)
        tasks = running.pending([sought])
        counts: Counter[str] = Counter(sought.state(point)[0] for point in sought.points(states.rounds(sought)))
        ahead = running.estimated([sought], tasks)
        cost = {"to_record": ahead.points, "seconds": round(ahead.seconds), "bytes": round(ahead.bytes)}
        rows.append(_described(one) | {"points": counts.total(), "states": dict(sorted(counts.items())), **cost})
        if not options.json:
            rest = f"; {ahead}" if ahead.points else ""
            print(": ".join(part for part in (one.name, one.place, one.file.title) if part))
            print(f"  {_counted(counts)}{rest}")
    if options.json:
        print(json.dumps(rows))
    return 0


def _record(options: argparse.Namespace) -> int:
    """Record what is missing, analyse, and write pages; 1 if a point failed."""
    every = [options.files] if isinstance(options.files, Path) else options.files
    studies = study.load_all(every)
    if options.action == "fig" and len(studies) != 1:
        raise BenchError(f"{options.files}: has {len(studies)} studies; `gpiorig study run` takes several.")
    conditions = _conditions(options)
    wanted = Options(
        options.workers or 1,
        options.scheduler,
        options.retry,
        options.stop_on_failure,
        options.store,
        options.direct,
        options.insecure_cluster,
    )
    running.check_options(wanted, conditions)
    all_sought = [Sought.of(one, conditions, options.output) for one in studies]
    with lock.held(options.output):
        ending = _run_all(all_sought, wanted)
        others = _others(options.output, ending.results) if options.action == "run" else None
        written = pages.write(options.output, ending.results, others)
    return _printed(options, ending.results, written, ending.errors)


def _run_all(all_sought: Sequence[Sought], options: Options) -> Ending:
    """Work on all studies. All of their points are checked before the first is recorded."""
    tasks = running.pending(all_sought, retry=options.retry)
    ahead = running.estimated(all_sought, tasks, workers=options.workers)
    if tasks:
        again = len(tasks) - ahead.points
        parts = [f"{count_text(ahead.points, 'point')} to record: {ahead}"] if ahead.points else []
        parts += [f"{again} to analyse again"] if again else []
        note(f"{'; '.join(parts)}.")
    with progress.bar("points", total=len(tasks), unit="points", leave=True) as bar:
        try:
            return running.run(all_sought, options, ended=lambda outcome: _advance(bar, outcome.item.point.study))
        except KeyboardInterrupt:
            bar.close()
            left = len(running.pending(all_sought))
            note(f"{count_text(left, 'point')} left; the same command continues.")
            raise


def _advance(bar: tqdm[Any], study: str) -> None:
    """One point more; there may be more repeats than were known at the start."""
    bar.total = max(bar.total or 0, bar.n + 1)
    bar.set_description(study)
    bar.update()


def _report(options: argparse.Namespace) -> int:
    """Write tables and pages of what is there; 1 if a point failed."""
    known = table.entries(options.output)
    if not options.files and not known:
        raise RigError(f"{options.output}: no study was run into this folder. Give its folder with -o, or study files.")
    studies = study.load_all(options.files or [Path(entry.file) for entry in known.values()])
    given = options.quick or options.bench is not None or options.image
    with lock.held(options.output):
        results = []
        for one in studies:
            entry = known.get(one.name)
            conditions = _conditions(options) if given or entry is None else entry.conditions()
            results.append(states.results_of(one, conditions, options.output))
            table.write(options.output, results[-1])
        others = _others(options.output, results)
        written = pages.write(options.output, results, others)
    if options.markdown is not None:
        written.append(pages.write_markdown(options.markdown, [*results, *others]))
    if options.numbers is not None:
        written.append(pages.write_numbers(options.numbers, [*results, *others]))
    return _printed(options, results, written, {})


def _others(output: Path, results: Sequence[StudyResults]) -> list[StudyResults]:
    """The results of the other studies of a folder whose files are still there."""
    named = {study.name for study in results}
    return [
        states.results_of(study.load(Path(entry.file)), entry.conditions(), output)
        for name, entry in table.entries(output).items()
        if name not in named and Path(entry.file).is_file()
    ]


def _printed(
    options: argparse.Namespace, results: Sequence[StudyResults], written: Sequence[Path], errors: dict[str, str]
) -> int:
    failed = any(point.state == "failed" for one in results for point in one.points) or bool(errors)
    if options.json:
        print(json.dumps({
            "output": str(options.output),
            "pages": [str(path) for path in written],
            "points": [row for one in results for row in table.rows(one)],
            "errors": errors,
            "studies": {one.name: {"numbers": numbers.of(one)} for one in results},
        }))  # fmt: skip
        return int(failed)
    for one in results:
        print(f"{one.name}: {_counted(Counter(point.state for point in one.points))}")
        reasons = Counter(
            f"{point.state}: {errors.get(point.digest) or point.reason}"
            for point in one.points
            if point.reason or point.digest in errors
        )
        for reason, count in reasons.most_common(SHOWN):
            print(f"  {f'{count} x ' if count > 1 else ''}{reason}")
        if len(reasons) > SHOWN:
            print(f"  and {len(reasons) - SHOWN} other reasons: {options.output / table.TABLE}")
    for path in written:
        print(path)
    return int(failed)


def _described(one: study.Study) -> dict[str, object]:
    return {"study": one.name, "document": one.file.document, "figure": one.file.figure, "title": one.file.title}


def _counted(counts: Counter[str]) -> str:
    total = counts.total()
    return f"{total} point{'' if total == 1 else 's'}: " + ", ".join(
        f"{n} {state}" for state, n in sorted(counts.items())
    )


def _conditions(options: argparse.Namespace) -> Conditions:
    file = names.bench(options.bench) if options.bench is not None else Path()
    bench = benches.load(file) if options.bench is not None else None
    return Conditions(options.quick, bench, file, dict(_image(item) for item in options.image))


def _image(item: str) -> tuple[str, Path]:
    name, equals, path = item.partition("=")
    if not (name and equals and path):
        raise BenchError(f"--image {item}: give NAME=ELF, with a name that the studies use.")
    if not Path(path).is_file():
        raise BenchError(f"--image {item}: {path} is not a file. Give the path of an ELF image.")
    return name, Path(path).absolute()
