"""The points of a study with their states, and the results that pages are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gpiorig.analysis.compare.limits import assertion
from gpiorig.analysis.quantities.names import parse
from gpiorig.analysis.statistics.repeats import MIN_REPEATS
from gpiorig.rig.errors import BenchError
from gpiorig.studies.pages import expressions, statistics
from gpiorig.studies.pages.results import PointResult, State, StudyResults
from gpiorig.studies.points import asked, captions, provenance
from gpiorig.studies.points.folder import POINTS, RECORDING, PointFolder
from gpiorig.studies.points.points import Conditions, Point, points, repeats_of
from gpiorig.studies.points.study import Study

PENDING = ("missing", "stale", "broken")


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """What a study wants of its points.

    Parameters
    ----------
    study, conditions, output
        The study, and where its points are.
    names, asserted
        Complete names of quantities, and assertions.
    """

    study: Study
    conditions: Conditions
    output: Path
    names: tuple[str, ...]
    asserted: tuple[str, ...]

    @classmethod
    def of(cls, study: Study, conditions: Conditions, output: Path) -> Sought:
        """What a study wants; raises `BenchError` where its expressions or assertions are not understood."""
        asserted = tuple(str(text) for text in study.file.experiment.get("assert", ()))
        quantities = [assertion(text).quantity for text in asserted]
        names = asked.names(study.file, quantities, what=study.what)
        of_recordings = [name for name in names if not parse(name).kind.of_image]
        if not study.file.record and of_recordings:
            raise BenchError(
                f"{study.what}: record is false, and {', '.join(of_recordings)} need a recording; delete `record`."
            )
        return cls(study, conditions, output, names, tuple(assertion(text).text for text in asserted))

    def points(self, repeats: Iterable[int]) -> list[Point]:
        """The points of some repeats; those of one combination lie next to each other."""
        return points(self.study, self.conditions, repeats)

    def folder(self, point: Point) -> PointFolder:
        """The folder of a point."""
        return PointFolder.of(self.output, point.digest)

    def state(self, point: Point) -> tuple[State, str]:
        """The state of a point, and its reason."""
        if point.refusal:
            return "refused", point.refusal
        return self.folder(point).state(self.names, self.asserted, judged=self.conditions.judged, record=point.record)

    def result(self, point: Point) -> PointResult:
        """A point as pages have it."""
        state, reason = self.state(point)
        folder = self.folder(point)
        return PointResult(
            digest=point.digest,
            coordinates=point.coordinates,
            repeat=point.repeat,
            state=state,
            reason=reason,
            table=folder.table() if state in ("done", "failed") else None,
            virtual=point.record and (True if point.bench.states_virtual else folder.virtual),
            recording=f"{POINTS}/{point.digest}/{RECORDING}" if folder.recording.is_dir() else "",
        )


def results_of(study: Study, conditions: Conditions, output: Path) -> StudyResults:
    """The results of a study from its folders; nothing is recorded or computed.

    Of a study that stops by the width of an interval, the repeats until it stops, or until they are not recorded.
    """
    sought = Sought.of(study, conditions, output)
    every = sought.points(rounds(sought))
    axes = {axis.name: axis.values for axis in study.file.vary}
    return replace(
        described(study),
        axes={
            name: [value for value in dict.fromkeys(values) if any(point.coordinates[name] == value for point in every)]
            for name, values in axes.items()
        },
        points=[sought.result(point) for point in every],
        settings=captions.of(every),
        experiment=provenance.of(study, every, (sought.folder(point).read() for point in every)),
        quick=conditions.quick,
    )


def described(study: Study) -> StudyResults:
    """What a study's file states, without points."""
    file = study.file
    return StudyResults(
        name=study.name,
        document=file.document,
        figure=file.figure,
        title=file.title or study.name,
        axes={},
        quantities=file.quantities,
        shows=file.show,
        published=file.published,
        points=(),
        conclusion=file.conclusion,
        subject=file.subject,
        partly=file.partly,
        record=file.record,
        original=file.original,
    )


def rounds(sought: Sought) -> range:
    """The repeats that a study has: all, or with `[repeat.until]` those until its interval is narrow enough.

    Of the latter as many as are recorded, and one more where that is not enough.
    """
    every = repeats_of(sought.study, quick=sought.conditions.quick)
    stop = sought.study.file.repeat.until
    if stop is None or sought.conditions.quick:
        return range(len(every) * sought.conditions.repeats * sought.conditions.passes)
    results: list[PointResult] = []
    for repeat in every:
        results += [sought.result(point) for point in sought.points([repeat])]
        if any(result.state in PENDING for result in results):
            return range(max(repeat + 1, stop.least))
        if repeat + 1 >= stop.least and is_narrow(sought, results):
            return range(repeat + 1)
    return every


def is_narrow(sought: Sought, results: Sequence[PointResult]) -> bool:
    """Whether the interval of the mean is narrow enough at every combination; one without repeats is not waited for."""
    stop = sought.study.file.repeat.until
    assert stop is not None
    expression = expressions.parse(stop.y, sought.study.file.quantities)
    groups: dict[tuple[object, ...], list[PointResult]] = {}
    for result in results:
        groups.setdefault(tuple(result.coordinates.values()), []).append(result)
    for group in groups.values():
        for cell in statistics.estimate(expression, group):
            of = cell.estimate
            if of is not None and (of.repeats < MIN_REPEATS or not of.high - of.low <= stop.width * abs(of.value)):
                return False
    return True
