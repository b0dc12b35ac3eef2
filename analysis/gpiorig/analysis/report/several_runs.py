"""One page for several runs: side by side first, then each of them, folded away."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis.figures import plates
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.quantity import DASH, NS_PER_S, share_text, time_text
from gpiorig.analysis.report.blocks import Block, Details, Picture, Section, Table, text, why_not
from gpiorig.analysis.report.conclusions import summary_lines
from gpiorig.analysis.report.data import ReportData, RouteView, route_views
from gpiorig.analysis.report.files import PAGE, TABLE_SUFFIXES, write_figures
from gpiorig.analysis.report.page import run_sections, write_page
from gpiorig.analysis.report.tables import report_tables
from gpiorig.analysis.tables import stages

Run = tuple[str, ReportData]


def write_set(folder: Path, runs: Sequence[Run]) -> Path:
    """Write one page for several runs, the figures that compare them, and the tables of all, with a column `run`.

    Parameters
    ----------
    folder
        Where to; it is made if it is not there.
    runs
        (name, data) of each, in the order to show; names are unique.
    """
    folder.mkdir(parents=True, exist_ok=True)
    virtual = any(data.virtual for _, data in runs)
    views = [(name, data, _main(data)) for name, data in runs]
    compared = _comparison(views, virtual=virtual)
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
    write_figures(compared, folder)
    for table, content in _tables(runs).items():
        for suffix in TABLE_SUFFIXES:
            stages.write(content, folder / f"{table}{suffix}")
    return page


def _tables(runs: Sequence[Run]) -> dict[str, pa.Table]:
    """The tables of a report, those of all runs below each other; the first column names the run."""
    found: dict[str, list[pa.Table]] = {}
    for name, data in runs:
        for table, content in report_tables(data).items():
            names = pa.array([name] * len(content), pa.string())
            # A samplerate is one run's.
            found.setdefault(table, []).append(content.add_column(0, "run", names).replace_schema_metadata(None))
    return {table: pa.concat_tables(parts, promote_options="permissive") for table, parts in found.items()}


def _main(data: ReportData) -> RouteView | None:
    return next(iter(route_views(data)), None)


def _table(runs: Sequence[Run]) -> Table:
    """A row per run."""
    rows = []
    for name, data in runs:
        view = _main(data)
        if view is None:
            rows.append((name, data.title, DASH, "0", *([DASH] * 5)))
            continue
        total = view.numbers.total
        sums = view.numbers.by_kind(view.numbers.variances)
        worst = max(sums, key=lambda kind: np.nan_to_num(sums[kind], nan=-np.inf))
        most = f"{worst.value}, {share_text(sums[worst])}" if np.isfinite(sums[worst]) else DASH
        numbers = (total.median_ns, total.p99_ns, total.peak_to_peak_ns, total.std_ns)
        rows.append((name, data.title, view.route.name, f"{total.n}", *(time_text(ns) for ns in numbers), most))
    header = (
        "<run", "<experiment", "<route", "packets", "median", "p99", "peak-to-peak", "std", "<most of the variance",
    )  # fmt: skip
    return Table("A row per run", header, tuple(rows))


def _comparison(views: Sequence[tuple[str, ReportData, RouteView | None]], *, virtual: bool) -> list[Section]:
    """The whole delay of all runs over each other, and step by step."""
    known = [(name, view) for name, _, view in views if view is not None]
    if not known:
        return [Section("delays", "Side by side", (why_not("No run has a packet that is known whole."),))]
    delays: dict[str, tuple[NDArray[np.int64], float]] = {
        name: (view.route.totals, float(NS_PER_S / view.route.steps.samplerate_hz)) for name, view in known
    }
    nouns = {view.noun for _, view in known}
    noun = nouns.pop() if len(nouns) == 1 else "delay"
    caption = (
        "Above: distribution functions. Below: smallest to largest, 5 to 95 %, quartiles, median. Whether two runs "
        "differ by more than chance, gpiorig compare tells."
    )
    draw = partial(plates.overlaid, delays, noun=noun, virtual=virtual)
    blocks: list[Block] = [Picture("totals", draw, f"The {noun} of every run", caption)]
    missing = [name for name, _, view in views if view is None]
    if missing:
        blocks.append(why_not(f"Without a packet that is known whole: {', '.join(missing)}."))
    return [
        Section("delays", "Side by side", tuple(blocks)),
        Section("steps", "Step by step", (_steps(known, "median"), _steps(known, "peak_to_peak"), _kinds(known))),
    ]


def _steps(known: Sequence[tuple[str, RouteView]], statistic: str) -> Table:
    """One statistic of every step, a column per run."""
    found: dict[str, dict[str, str]] = {}
    for name, view in known:
        for step, summary in zip(view.route.steps.steps, view.numbers.steps, strict=True):
            found.setdefault(step.name, {})[name] = time_text(getattr(summary, f"{statistic}_ns"))
    rows = tuple((step, *(by_run.get(name, DASH) for name, _ in known)) for step, by_run in found.items())
    label = {"median": "Median", "peak_to_peak": "Peak-to-peak"}[statistic]
    return Table(f"{label} of every step", ("<step", *(name for name, _ in known)), rows)


def _kinds(known: Sequence[tuple[str, RouteView]]) -> Table:
    """The budget by kind of step, a column per run."""
    sums = {name: view.numbers.by_kind(view.numbers.variances) for name, view in known}
    kinds = [kind for kind in Kind if any(kind in each for each in sums.values())]
    rows = tuple((kind.value, *(share_text(sums[name].get(kind, float("nan"))) for name, _ in known)) for kind in kinds)
    return Table("Share of the variance by kind of step", ("<kind of step", *(name for name, _ in known)), rows)


def _own(number: int, run: Run) -> Section:
    """All sections of one run, folded away."""
    name, data = run
    sections = tuple(run_sections(data, prefix=f"run-{number}-"))
    said = text(*summary_lines(data))
    return Section(f"run-{number}", name, (said, Details(f"Everything about {name}", sections)))
