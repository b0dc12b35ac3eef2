"""What a report says of a recording, whatever its packets do: round trips, one way, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gpiorig.analysis import report
from gpiorig.analysis.compare import delays
from gpiorig.analysis.compare.assertions import Verdict
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.delays import radio_parts
from gpiorig.analysis.packets import routes
from gpiorig.analysis.report import ReportData
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.experiments import limits
from gpiorig.rig.recordings import provenance
from gpiorig.rig.results import pipeline, survey


@dataclass(frozen=True, slots=True, eq=False)
class Reported:
    """One recording, analysed.

    Attributes
    ----------
    recording
        The recording.
    data
        What its page says; the notes are the checks that failed.
    numbers
        The headline numbers, for `--json`.
    sentences
        The conclusion, and whose numbers they are.
    save
        Writes its tables: into the recording, and those for spreadsheets into the folder of the report.
    """

    recording: Recording
    data: ReportData
    numbers: dict[str, Any]
    sentences: tuple[str, ...]
    save: Callable[[Path], None]

    def write(self, folder: Path | None = None) -> Path:
        """Write tables, figures and the page, into the recording unless a folder is given; returns the page's path."""
        folder = folder or self.recording.report_folder
        page = report.write(folder, self.data)
        self.save(folder)
        return page


def of(recording: Recording, *, asserted: Sequence[str] = ()) -> Reported:
    """Analyse a recording.

    Parameters
    ----------
    recording
        The recording.
    asserted
        Limits besides those of the experiment; one that does not hold is a failed check.

    Raises
    ------
    QuantityError
        An assertion cannot be understood.
    """
    limits.check(asserted)
    if pipeline.has_round_trips(recording):
        return _round_trips(recording, asserted)
    found = survey.survey(recording)
    plain = survey.report_data(found, recording)
    run = _with_parts(delays.of_routes(found.routes, found.events.samplerate_hz), plain)
    verdicts = limits.verdicts(recording, run, asserted)
    data = limits.noted(plain, verdicts)
    return Reported(
        recording=recording,
        data=data,
        numbers=survey.numbers(found, folder=recording.folder) | limits.numbers(verdicts),
        sentences=_sentences(recording, survey.sentences(found), verdicts),
        save=lambda folder: survey.write(found, recording, data),
    )


def _round_trips(recording: Recording, asserted: Sequence[str]) -> Reported:
    result = pipeline.analyse(recording)
    plain = pipeline.report_data(result, recording)
    run = _with_parts(delays.of_timelines(result.timelines, result.steps), plain)
    verdicts = limits.verdicts(recording, run, asserted)
    data = limits.noted(plain, verdicts)
    return Reported(
        recording=recording,
        data=data,
        numbers=pipeline.numbers(result, recording) | limits.numbers(verdicts),
        sentences=_sentences(recording, report.summary_lines(data), verdicts),
        save=lambda folder: pipeline.write_tables(result, recording, data, folder=folder),
    )


def _with_parts(run: Delays, data: ReportData) -> Delays:
    """The delays with the parts of the radio waits of the same route."""
    studies = data.study.routes if data.study is not None else ()
    divided = (study for study in studies if study.route.name in (run.route, routes.ROUND_TRIP))
    first = next(divided, None)
    return replace(run, parts=radio_parts.by_name(first.parts, first.route)) if first is not None else run


def _sentences(recording: Recording, found: Sequence[str], verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """The conclusion, whose numbers these are, and the assertions that hold; the others are failed checks."""
    virtual = [provenance.VIRTUAL] if recording.info.virtual else []
    return (*found, *virtual, *(f"assert {verdict.sentence}" for verdict in verdicts if verdict.holds))
