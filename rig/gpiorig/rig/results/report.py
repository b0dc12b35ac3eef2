"""The report of a recording: its page, its tables, its headline numbers and its sentences."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec

from gpiorig.analysis import report
from gpiorig.analysis.compare import delays
from gpiorig.analysis.compare.assertions import Verdict
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.delays import radio_parts
from gpiorig.analysis.evaluation import evaluator
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.packets import accounting, path, routes
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.report import ReportData
from gpiorig.analysis.report.data import EnergyData
from gpiorig.analysis.tables import registry, stages
from gpiorig.capture import confined
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.errors import Error
from gpiorig.capture.recording.recording import REPORT, Recording
from gpiorig.rig.experiments import limits
from gpiorig.rig.plain_json import without_nan
from gpiorig.rig.progress import counted, stage
from gpiorig.rig.recordings import provenance, standing
from gpiorig.rig.recordings.opened import Opened, open_recording
from gpiorig.rig.results import audit_inputs, checks, energy, manifest, powered, quantities
from gpiorig.rig.results import summary as hop_summary
from gpiorig.rig.results.analyse import analyse
from gpiorig.rig.results.headline import NS_PER_US, ModelDoubt, Numbers, Shares, headline

STUDY = "study.json"
DATE_LETTERS = 10  # of an instant by ISO 8601


@dataclass(frozen=True, slots=True, eq=False)
class Reported:
    """One recording, analysed.

    Attributes
    ----------
    recording
        The recording.
    data
        The content of its page; the notes are the checks that failed.
    numbers
        The headline numbers, for `--json`.
    sentences
        The conclusion, and whose numbers they are.
    options
        What was asked for in addition to the experiment.
    """

    recording: Recording
    data: ReportData
    numbers: Numbers
    sentences: tuple[str, ...]
    options: manifest.Options

    def write(
        self,
        output: Path | None = None,
        *,
        root: Path | None = None,
        figure_formats: Sequence[str] = (),
        table_formats: Sequence[str] = (),
    ) -> Path:
        """Write tables, page and the sums of both; returns the page's path.

        Parameters
        ----------
        output
            Folder of the page; None: `report` in `root`.
        root
            Folder of the tables; None: the recording, or `output` where the recording cannot be written to.
        figure_formats, table_formats
            Figures and tables that are written next to the page.
        """
        root = root or self.recording.folder
        within = output is None or output.resolve() == (root / REPORT).resolve()
        folder = confined.subfolder(root, REPORT) if output is None or within else output
        with stage("page"):
            page, *further = report.write(folder, self.data, figure_formats=figure_formats, table_formats=table_formats)
        with stage("tables"):
            if within:
                self.write_tables(root, [page, *further])
            elif os.access(root, os.W_OK):
                self.write_tables(root)
                manifest.write(folder, [page, *further], folder=folder, recording=self.recording, options=self.options)
            else:
                self.write_tables(folder, [page, *further], place=folder)
        return page

    def write_tables(self, root: Path | None = None, pages: Sequence[Path] = (), *, place: Path | None = None) -> None:
        """Write the tables, every statistic as JSON into the report folder, and the sums of these and other files.

        `place` is the report folder; None: `report` in `root`.
        """
        root = root or self.recording.folder
        place = place or confined.subfolder(root, REPORT)
        written = registry.write(self.data.analysis, self.data.evaluation, folder=root)
        asked = quantities.tables(self.data)
        for name, table in asked.items():
            stages.write(table, root / f"{name}{registry.SUFFIX}")
        for name in quantities.TABLES if not asked else ():
            (root / f"{name}{registry.SUFFIX}").unlink(missing_ok=True)  # of an earlier report
        with replacing(place / STUDY) as new:
            rows = {name: without_nan(content.to_pylist()) for name, content in written.items()}
            new.write_text(json.dumps(rows, indent=1, allow_nan=False), encoding="utf-8")
        files = [*registry.files(root), *(root / f"{name}{registry.SUFFIX}" for name in asked), place / STUDY]
        manifest.write(place, [*files, *pages], folder=root, recording=self.recording, options=self.options)


def of(
    recording: Recording,
    *,
    asserted: Sequence[str] = (),
    asked: Sequence[str] = (),
    analysed: tuple[Opened, Analysis] | None = None,
) -> Reported:
    """Analyse a recording.

    Parameters
    ----------
    recording
        The recording.
    asserted
        Limits in addition to those of the experiment; one that is not met is a failed check.
    asked
        Quantities in addition to those of the experiment; one that the recording does not show is a failed check.
    analysed
        The recording, opened and analysed, where it is.

    Raises
    ------
    QuantityError
        An assertion or a quantity cannot be understood.
    """
    limits.check(asserted)
    names = quantities.checked(recording, asked)
    opened, analysis = analysed or _analysed(recording)
    records = cache(partial(audit_inputs.node_records, opened, analysis.logs))
    recorded = quantities.recorded(opened, analysis, records)
    plain = report_data(opened, analysis, records)
    verdicts = limits.verdicts(recording, _with_parts(delays.from_analysis(analysis), plain), asserted, recorded)
    failed = [f"Assertion {verdict.sentence}" for verdict in verdicts if not verdict.holds]
    data = quantities.with_quantities(replace(plain, notes=(*plain.notes, *failed)), names, recorded)
    answered = analysis.round_trips is not None
    conclusion = report.summary_lines(data) if answered else hop_summary.sentences(analysis, recording)
    return Reported(
        recording=recording,
        data=data,
        numbers=Numbers(
            **msgspec.structs.asdict(headline(analysis, recording)),
            shares=_shares(plain),
            model_doubt=_model_doubt(plain),
            bench_remarks=data.doubts,
            virtual=recording.info.virtual,
            **standing.of(recording).as_json(),
            assertions=limits.numbers(verdicts),
            quantities=quantities.numbers(data.quantities),
        ),
        sentences=_sentences(recording, [*conclusion, *_remarks(opened, analysis)], verdicts),
        options=manifest.Options(asserted=tuple(asserted), quantities=tuple(asked)),
    )


def _analysed(recording: Recording) -> tuple[Opened, Analysis]:
    opened = open_recording(recording)
    return opened, analyse(opened)


def report_data(opened: Opened, analysis: Analysis, records: quantities.Records | None = None) -> ReportData:
    """Evaluate a recording; the notes are the checks that failed. Reads all of the recording to verify it.

    `records` gives the lines at the host, where they have been read before.
    """
    recording = opened.recording
    records = records or partial(audit_inputs.node_records, opened, analysis.logs)
    with stage("logs"):
        lines = records()
    with stage("statistics"):
        evaluation = evaluator.evaluate(
            analysis,
            opened.instruments,
            lines,
            progress=_progress,
        )
    with stage("checks"):
        failed = checks.failed_checks(analysis, recording)
    measured, problem = _energy(opened, analysis)
    return ReportData(
        title=recording.info.experiment or opened.known_bench.name,
        virtual=bool(recording.info.virtual),
        analysis=analysis,
        evaluation=evaluation,
        provenance={"state": standing.of(recording).text, **provenance.of(opened, analysis.logs)},
        notes=(*failed, *[problem] * bool(problem), *(evaluation.audit.foreign if evaluation.audit else ())),
        tallies=hop_summary.tallies(analysis.hops) if analysis.hops is not None else (),
        doubts=tuple(remark.sentence for remark in recording.info.bench_remarks),
        asked=recording.info.virtual is not None,
        energy=measured,
        cut="" if recording.state == standing.COMPLETE else recording.state,
        made_with=provenance.in_short(opened, analysis.logs),
        made_on=recording.info.epoch.wall[:DATE_LETTERS],
    )


def _energy(opened: Opened, analysis: Analysis) -> tuple[EnergyData | None, str]:
    """The energies of the nodes whose power traces the folder names; and why they cannot be had."""
    try:
        if not powered.named(opened):
            return None, ""
        with stage("power"):
            content, sentences = energy.table(opened, analysis, ())
    except Error as error:
        return None, f"No energy: {error}"
    return EnergyData(content, tuple(sentences)), ""


def _shares(data: ReportData) -> dict[str, dict[str, Shares]]:
    """By route and kind of its steps, the shares of the mean, the variance (with its interval) and the tail."""
    return {
        evaluation.route.name: {
            group.of.value: Shares(
                mean=group.time.value,
                variance=group.variance.value,
                variance_low=group.variance.low,
                variance_high=group.variance.high,
                tail=group.tail.value,
            )
            for group in evaluation.budget.by_kind
            if isinstance(group.of, Kind)
        }
        for evaluation in data.evaluation.routes
    }


def _model_doubt(data: ReportData) -> dict[str, ModelDoubt]:
    """By route, where a setting of virtual boards is in doubt."""
    totals = {evaluation.route.name: evaluation.uncertainties[-1] for evaluation in data.evaluation.routes}
    return {
        name: ModelDoubt(low_us=total.model.low_ns / NS_PER_US, high_us=total.model.high_ns / NS_PER_US)
        for name, total in totals.items()
        if total.shifts
    }


def _with_parts(run: Delays, data: ReportData) -> Delays:
    """The delays with the parts of the radio waits of the same route."""
    evaluation = next(
        (
            evaluation
            for evaluation in data.evaluation.routes
            if evaluation.route.name in (run.route, routes.ROUND_TRIP)
        ),
        None,
    )
    return (
        replace(run, parts=radio_parts.by_name(evaluation.parts, evaluation.route)) if evaluation is not None else run
    )


def _progress(count: int, text: str) -> AbstractContextManager[Any]:
    return counted(count, text, unit="packets")


def _remarks(opened: Opened, analysis: Analysis) -> list[str]:
    """What a recording without an experiment lacks, and what its packets lack."""
    unprobed, lacking = provenance.unprobed(opened), provenance.missing(opened, analysis.logs)
    if not lacking:
        return unprobed
    indistinct = accounting.indistinct(analysis.hops) if analysis.hops is not None else []
    if opened.ends and analysis.hops is not None and analysis.round_trips is None:
        indistinct.append(
            f"No round trips: node {opened.initiator} shows no {path.POINTS[0].event}, which begins one; its "
            "packets are counted by route."
        )
    return [*indistinct, *unprobed, f"Not in this recording: {', '.join(lacking)} (see provenance)."]


def _sentences(recording: Recording, conclusion: Sequence[str], verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """The conclusion, whose numbers these are and their doubts, the assertions that hold; others are failed checks."""
    boards = provenance.boards_sentence(recording.info)
    doubts = [f"Not modelled: {remark.sentence}" for remark in recording.info.bench_remarks]
    return (
        *conclusion,
        *[boards] * bool(boards),
        *doubts,
        *(f"assert {verdict.sentence}" for verdict in verdicts if verdict.holds),
    )
