"""One page for several runs: side by side first, then all sections of each, folded away."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis.figures import plates
from gpiorig.analysis.number_text import DASH, share_text, time_text
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.report.blocks import Block, Details, Picture, Section, Table, text, why_not
from gpiorig.analysis.report.conclusions import summary_lines
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.report.files import PAGE, write_figures, write_tables
from gpiorig.analysis.report.page import run_sections, write_page
from gpiorig.analysis.study.study import RouteStudy
from gpiorig.analysis.tables import registry, stages

Run = tuple[str, ReportData]


def write_set(
    folder: Path, runs: Sequence[Run], *, figure_formats: Sequence[str] = (), table_formats: Sequence[str] = ()
) -> Path:
    """Write one page for several runs, and the tables of all as Parquet, with a column `run`; returns the page's path.

    Parameters
    ----------
    folder
        A new folder, or one whose files are replaced.
    runs
        (name, data) of each, in the order to show; names are unique.
    figure_formats, table_formats
        As in `files.write`: the figures that compare the runs, and the tables, as further files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    virtual = any(data.virtual for _, data in runs)
    compared = _comparison(runs, virtual=virtual)
    sections = [
        Section("runs", "The runs", (_table(runs),)),
        *compared,
        *(_own(n, run) for n, run in enumerate(runs, 1)),
    ]
    summary = {
        "headline": [],
        "lines": [f"{name}: {summary_lines(data)[0]}" for name, data in runs],
        "failed": [f"{name}: {note}" for name, data in runs for note in data.notes],
    }
    page = folder / PAGE
    write_page(page, title=f"{len(runs)} runs: {', '.join(name for name, _ in runs)}", virtual=virtual,
               summary=summary, sections=sections)  # fmt: skip
    write_figures(compared, folder, figure_formats)
    contents = _tables(runs)
    for table, content in contents.items():
        stages.write(content, folder / f"{table}.parquet")
    write_tables(contents, folder, table_formats)
    return page


def _tables(runs: Sequence[Run]) -> dict[str, pa.Table]:
    """The tables of all runs below each other; the first column names the run."""
    parts: dict[str, list[pa.Table]] = {}
    for name, data in runs:
        for table, content in registry.study_tables(data.study).items():
            names = pa.array([name] * len(content), pa.string())
            # Each run has its own samplerate.
            parts.setdefault(table, []).append(content.add_column(0, "run", names).replace_schema_metadata(None))
    return {table: pa.concat_tables(contents, promote_options="permissive") for table, contents in parts.items()}


def _table(runs: Sequence[Run]) -> Table:
    """A row per run."""
    header = (
        "<run", "<experiment", "<route", "packets", "median", "p99", "peak-to-peak", "std", "<most of the variance",
    )  # fmt: skip
    return Table("A row per run", header, tuple(_row(name, data) for name, data in runs))


def _row(name: str, data: ReportData) -> tuple[str, ...]:
    if not data.study.routes:
        return (name, data.title, DASH, "0", *([DASH] * 5))
    study = data.study.routes[0]
    total = study.numbers.total
    sums = study.numbers.by_kind(study.numbers.variances)
    worst = max(sums, key=lambda kind: np.nan_to_num(sums[kind], nan=-np.inf))
    largest = f"{worst.text}, {share_text(sums[worst])}" if np.isfinite(sums[worst]) else DASH
    delays = (total.median_ns, total.p99_ns, total.peak_to_peak_ns, total.std_ns)
    return (name, data.title, study.route.name, f"{total.n}", *(time_text(ns) for ns in delays), largest)


def _comparison(runs: Sequence[Run], *, virtual: bool) -> list[Section]:
    """The total delay of all runs in one figure, and step by step."""
    main = [(name, data.study.routes[0]) for name, data in runs if data.study.routes]
    if not main:
        return [Section("delays", "Side by side", (why_not("No run has a complete packet."),))]
    delays: dict[str, tuple[NDArray[np.int64], float]] = {
        name: (study.route.totals, study.numbers.period_ns) for name, study in main
    }
    nouns = {study.numbers.noun for _, study in main}
    noun = nouns.pop() if len(nouns) == 1 else "delay"
    caption = (
        "Above: distribution functions. Below: minimum to maximum, 5 to 95 %, quartiles, median. Whether two runs "
        "differ by more than chance is shown by gpiorig compare."
    )
    draw = partial(plates.overlaid, delays, noun=noun, virtual=virtual)
    blocks: list[Block] = [Picture("totals", draw, f"The {noun} of every run", caption)]
    empty = [name for name, data in runs if not data.study.routes]
    if empty:
        blocks.append(why_not(f"Runs without a complete packet: {', '.join(empty)}."))
    return [
        Section("delays", "Side by side", tuple(blocks)),
        Section("steps", "Step by step", (_steps(main, "median"), _steps(main, "peak_to_peak"), _kinds(main))),
    ]


def _steps(main: Sequence[tuple[str, RouteStudy]], statistic: str) -> Table:
    """One statistic of every step, a column per run."""
    cells: dict[str, dict[str, str]] = {}
    for name, study in main:
        for step, summary in zip(study.route.steps.steps, study.numbers.steps, strict=True):
            cells.setdefault(step.name, {})[name] = time_text(getattr(summary, f"{statistic}_ns"))
    rows = tuple((step, *(by_run.get(name, DASH) for name, _ in main)) for step, by_run in cells.items())
    label = {"median": "Median", "peak_to_peak": "Peak-to-peak"}[statistic]
    return Table(f"{label} of every step", ("<step", *(name for name, _ in main)), rows)


def _kinds(main: Sequence[tuple[str, RouteStudy]]) -> Table:
    """The budget by kind of step, a column per run."""
    sums = {name: study.numbers.by_kind(study.numbers.variances) for name, study in main}
    kinds = [kind for kind in Kind if any(kind in by_kind for by_kind in sums.values())]
    rows = tuple((kind.text, *(share_text(sums[name].get(kind, float("nan"))) for name, _ in main)) for kind in kinds)
    return Table("Share of the variance by kind of step", ("<kind of step", *(name for name, _ in main)), rows)


def _own(number: int, run: Run) -> Section:
    """All sections of one run, folded away."""
    name, data = run
    sections = tuple(run_sections(data, prefix=f"run-{number}-"))
    conclusion = text(*summary_lines(data))
    return Section(f"run-{number}", name, (conclusion, Details(f"Everything about {name}", sections)))
