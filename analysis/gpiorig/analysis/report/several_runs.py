"""One page for several runs: the difference of each to the first one, then all sections of each, folded away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis.compare.comparison import Watch
from gpiorig.analysis.figures import plates
from gpiorig.analysis.figures.palette import KIND_CLASSES, stressing
from gpiorig.analysis.number_text import DASH, count_text, share_text, time_text
from gpiorig.analysis.report import differences, repeats
from gpiorig.analysis.report.blocks import Block, Details, Picture, Section, Staircases, Table, text, why_not
from gpiorig.analysis.report.conclusions import MIN_FOR_P99, summary_lines
from gpiorig.analysis.report.files import PAGE, write_figures, write_tables
from gpiorig.analysis.report.lead import stressed_kinds
from gpiorig.analysis.report.page import run_sections, write_page
from gpiorig.analysis.report.runs import Difference, Run, difference, set_ups
from gpiorig.analysis.report.served_blocks import Served, ServedRun
from gpiorig.analysis.report.served_page import with_panel
from gpiorig.analysis.tables import registry, stages

MAX_STAIRCASES = 6  # pictures of all packets on top of the page


def write_set(
    folder: Path,
    runs: Sequence[Run],
    *,
    figure_formats: Sequence[str] = (),
    table_formats: Sequence[str] = (),
    watch: Watch = iter,
    served: Served | None = None,
) -> Path:
    """Write one page for several runs, and the tables of all as Parquet, with a column `run`; returns the page's path.

    Parameters
    ----------
    folder
        A new folder, or one whose files are replaced.
    runs
        In the order to show; the first is the reference, and names are unique.
    figure_formats, table_formats
        As in `files.write`: the figures that compare the runs, and the tables, as further files.
    watch
        As in `comparison.compare`.
    served
        As in `page.write_page`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    marks = [run.data.marked for run in runs]
    virtual = True in marks
    compared = [difference(runs[0], run, watch=watch) for run in runs[1:]]
    groups = set_ups(runs)
    shown = [*_difference_sections(compared, groups), _side_by_side(runs, virtual=virtual)]
    of_server = served.compared if served else (None,) * len(runs)
    own = [_own(n, run, of) for n, (run, of) in enumerate(zip(runs, of_server, strict=True), 1)]
    sections = [*_opening(runs), *shown, *own]
    summary = {
        "lead": lead(compared, groups),
        "headline": [],
        "lines": _lines(runs, compared),
        "failed": [f"{run.name}: {note}" for run in runs for note in run.data.notes],
    }
    page = folder / PAGE
    with stressing(compared[0].changed_kinds if compared else stressed_kinds(runs[0].data)):
        write_page(page, title=f"{count_text(len(runs), 'run')}: {', '.join(run.name for run in runs)}",
                   virtual=virtual or (None if None in marks else False),
                   summary=summary, sections=sections, served=served)  # fmt: skip
        write_figures(shown, folder, figure_formats)
    contents = _tables(runs)
    for table, content in contents.items():
        stages.write(content, folder / f"{table}.parquet")
    write_tables(contents, folder, table_formats)
    return page


def lead(compared: Sequence[Difference], groups: Sequence[Sequence[Run]]) -> str:
    """What changed, by how much: of the first run that is not a repeat of the reference."""
    if len(groups) > 1 and any(len(runs) > 1 for runs in groups):
        opening = next((one.opening for one in compared if one.new is groups[1][0]), "")
        return repeats.sentence(groups[0], groups[1], opening)
    return compared[0].sentence if compared else ""


def _lines(runs: Sequence[Run], compared: Sequence[Difference]) -> list[str]:
    """The verdicts, then the conclusion of each run."""
    more = [one.sentence for one in compared] if len(compared) > 1 else []
    verdicts = [f"Threshold {verdict}" for one in compared for verdict in one.verdicts]
    return [*more, *verdicts, *(f"{run.name}: {summary_lines(run.data)[0]}" for run in runs)]


def _opening(runs: Sequence[Run]) -> list[Section]:
    """All packets of the runs over each other; nothing without a packet."""
    named = [(n, run) for n, run in enumerate(runs, 1) if run.data.evaluation.routes]
    pictures = tuple((f"{_prefix(n)}packets", run.name, _delay(run)) for n, run in named[:MAX_STAIRCASES])
    present = {kind for _, run in named for kind in run.data.evaluation.routes[0].numbers.kinds}
    legend = tuple((look, kind.text) for kind, look in KIND_CLASSES.items() if kind in present)
    if not pictures:
        return []
    blocks: list[Block] = [Staircases(pictures, legend)]
    if len(named) > MAX_STAIRCASES:
        blocks.append(text(f"Shown are the first {MAX_STAIRCASES} of {len(named)} runs.", look="note"))
    return [Section("packets", "Every packet of each run, on one axis of time", tuple(blocks))]


def _delay(run: Run) -> str:
    """Median of a run, its p99 if packets are beyond that, and its packets."""
    total = run.data.evaluation.routes[0].numbers.total
    p99 = f", p99 {time_text(total.p99_ns)}" if total.n >= MIN_FOR_P99 else ""
    return f"median {time_text(total.median_ns)}{p99}, {count_text(total.n, 'packet')}"


def _difference_sections(compared: Sequence[Difference], groups: Sequence[Sequence[Run]]) -> list[Section]:
    """The repeats, and a section per run but the first; folded, where there are several."""
    sections = [differences.section(one, n) for n, one in enumerate(compared, 2)]
    if len(sections) > 1:
        lines = [one.sentence for one in compared]
        sections = [replace(part, line=line) for part, line in zip(sections, lines, strict=True)]
    repeated = repeats.section(groups)
    return [*([repeated] if repeated else []), *sections]


def _tables(runs: Sequence[Run]) -> dict[str, pa.Table]:
    """The tables of all runs below each other; the first column names the run."""
    parts: dict[str, list[pa.Table]] = {}
    for run in runs:
        for table, content in registry.evaluation_tables(run.data.evaluation).items():
            names = pa.array([run.name] * len(content), pa.string())
            # Each run has its own samplerate.
            parts.setdefault(table, []).append(content.add_column(0, "run", names).replace_schema_metadata(None))
    return {table: pa.concat_tables(contents, promote_options="permissive") for table, contents in parts.items()}


def _side_by_side(runs: Sequence[Run], *, virtual: bool) -> Section:
    """A row per run, and the total delays of all in one figure."""
    main = [(run.name, run.data.evaluation.routes[0]) for run in runs if run.data.evaluation.routes]
    if not main:
        return Section("delays", "Side by side", (_table(runs), why_not("No run has a complete packet.")))
    delays: dict[str, tuple[NDArray[np.int64], float]] = {
        name: (evaluation.route.totals, evaluation.numbers.period_ns) for name, evaluation in main
    }
    nouns = {evaluation.numbers.noun for _, evaluation in main}
    noun = nouns.pop() if len(nouns) == 1 else "delay"
    caption = "Above: distribution functions. Below: minimum to maximum, 5 to 95 %, quartiles, median."
    draw = partial(plates.overlaid, delays, noun=noun, virtual=virtual)
    blocks: list[Block] = [_table(runs), Picture("totals", draw, f"The {noun} of every run", caption)]
    empty = [run.name for run in runs if not run.data.evaluation.routes]
    if empty:
        blocks.append(why_not(f"Runs without a complete packet: {', '.join(empty)}."))
    return Section("delays", "Side by side", tuple(blocks))


def _table(runs: Sequence[Run]) -> Table:
    """A row per run."""
    header = (
        "<run", "<experiment", "<route", "packets", "median", "p99", "peak-to-peak", "std", "<most of the variance",
    )  # fmt: skip
    return Table("A row per run", header, tuple(_row(run) for run in runs))


def _row(run: Run) -> tuple[str, ...]:
    if not run.data.evaluation.routes:
        return (run.name, run.data.title, DASH, "0", *([DASH] * 5))
    evaluation = run.data.evaluation.routes[0]
    total = evaluation.numbers.total
    sums = evaluation.numbers.by_kind("variance")
    worst = max(sums, key=lambda kind: np.nan_to_num(sums[kind], nan=-np.inf))
    largest = f"{worst.text}, {share_text(min(sums[worst], 1.0))}" if np.isfinite(sums[worst]) else DASH
    delays = (total.median_ns, total.p99_ns, total.peak_to_peak_ns, total.std_ns)
    return (run.name, run.data.title, evaluation.route.name, f"{total.n}", *(time_text(ns) for ns in delays), largest)


def _prefix(number: int) -> str:
    """Before the names of what belongs to a run."""
    return f"run-{number}-"


def _own(number: int, run: Run, served: ServedRun | None) -> Section:
    """All sections of one run, folded away; with its edges if its server has them."""
    sections = run_sections(run.data, prefix=_prefix(number))
    if served:
        sections = with_panel(sections, served.panel, _prefix(number))
    conclusion = text(*summary_lines(run.data))
    details = Details(f"Everything about {run.name}", tuple(sections))
    return Section(f"run-{number}", run.name, (conclusion, details), served=served)
