"""The sections of one study on a page, and the tables that go with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.figures import studies
from gpiorig.analysis.number_text import DASH, count_text
from gpiorig.analysis.report.blocks import Block, Details, Links, Picture, Section, Table, Text, text, why_not
from gpiorig.studies.pages import (
    amounts,
    captions,
    catalogue,
    conclusion,
    html_tables,
    paper_table,
    tables,
    titles,
    troubles,
    values,
    verdicts,
)
from gpiorig.studies.pages.charts import chart
from gpiorig.studies.pages.description import Show
from gpiorig.studies.pages.judgements import Judgement
from gpiorig.studies.pages.published import where_text
from gpiorig.studies.pages.results import PointResult, StudyResults
from gpiorig.studies.pages.statistics import Cell
from gpiorig.studies.pages.values import Group
from gpiorig.studies.pages.verdicts import Expectation

OPEN_ROWS = 24  # of a table; a longer one is folded away
OPEN_REASONS = 6  # why repeats are in no mean; further ones are folded away
PUBLISHED_FILE, VERDICTS_FILE = "published", "verdicts"  # ends of the stems of files
FIGURES, TABLE_FILES = ("svg", "png"), (".csv", ".parquet", ".tex")


@dataclass(frozen=True, slots=True)
class StudyPage:
    """What a page shows of a study.

    Parameters
    ----------
    results
        The study.
    conclusion
        Its concluding sentence; empty without one.
    expectations
        What its document states, with verdicts.
    sections
        Its sections.
    contents, papers
        Its tables by the stems of their files; those of a paper as LaTeX.
    """

    results: StudyResults
    conclusion: str
    expectations: tuple[Expectation, ...]
    sections: tuple[Section, ...]
    contents: dict[str, pa.Table]
    papers: dict[str, str]


def of_study(results: StudyResults, *, figures: Sequence[str] = FIGURES) -> StudyPage:
    """The sections of a study: the verdict, what it shows, its points.

    `figures` are the formats of the files to which the page has links.
    """
    page = StudyPage(results, "", (), (), {}, {})
    contents = page.contents
    sections = [
        _show(page, number, show, title, figures)
        for number, (show, title) in enumerate(zip(results.shows, titles.of_shows(results.shows), strict=True), start=1)
    ]
    expectations = verdicts.of_study(results)
    if compared := tables.compared(results):
        name = f"{results.name}-{PUBLISHED_FILE}"
        contents[name] = tables.of_compared(results, compared)
        page.papers[name] = paper_table.of_published(results, compared)
    if expectations:
        contents[f"{results.name}-{VERDICTS_FILE}"] = tables.of_verdicts(results, catalogue.numbers([results]))
    concluded = conclusion.sentence(results) if results.conclusion else ""
    page = replace(page, conclusion=concluded, expectations=expectations)
    sections = [*([_verdicts(page)] if expectations else []), *sections, _points(results)]
    named = tuple(Section(f"{results.name}-{part.id}", part.title, part.blocks) for part in sections)
    return replace(page, sections=named)


def state_line(results: StudyResults) -> str:
    """Points by their state."""
    counts: dict[str, int] = {}
    for point in results.points:
        counts[point.state] = counts.get(point.state, 0) + 1
    return ", ".join(f"{count} {state}" for state, count in counts.items()) or "no points"


def _show(page: StudyPage, number: int, show: Show, title: str, figures: Sequence[str]) -> Section:
    results = page.results
    name = f"{results.name}-{number}"
    try:
        groups = values.groups(results, show)
    except QuantityError as error:
        return Section(f"show-{number}", title, (why_not(f"{error}"),))
    page.contents[name] = tables.of_show(results, groups)
    page.papers[name] = paper_table.of_show(results, show, groups)
    table = html_tables.of_show(results, show, groups)
    blocks: list[Block] = []
    caption = captions.caption(results, show, groups)
    drawn = show.kind != "table" and any(cell.estimate for group in groups for cell in group.cells)
    if drawn:
        figure = chart(results, show, groups)
        blocks += [Picture(name, partial(studies.draw, figure), title, caption), *_troubles(groups)]
        blocks.append(Details("Values of this figure", (table,)))
    else:
        note = text(caption, look="note")
        blocks += [Details(title, (table,)) if len(table.rows) > OPEN_ROWS else table, note, *_troubles(groups)]
    blocks.append(_files("This figure and its values" if drawn else "This table", name, figures if drawn else ()))
    return Section(f"show-{number}", title, tuple(blocks))


def _troubles(groups: Sequence[Group]) -> list[Block]:
    """The repeats that are in no mean: each reason once, and all of them by combination below."""
    by_place: dict[str, list[Cell]] = {}
    for cell in (cell for group in groups for cell in group.cells):
        by_place.setdefault(where_text(cell.coordinates) or "all points", []).append(cell)
    complete = troubles.complete(by_place)
    if not complete:
        return []
    brief = troubles.lines(by_place)
    shown = [
        *brief[:OPEN_REASONS],
        *([f"and {len(brief) - OPEN_REASONS} other reasons"] if len(brief) > OPEN_REASONS else []),
    ]
    every = Details(
        f"{count_text(len(complete), 'combination')} with repeats that are in no mean", (Text(tuple(complete)),)
    )
    return [Text(tuple(shown), "bad"), every]


def _files(label: str, name: str, figures: Sequence[str] = ()) -> Links:
    suffixes = (*(f".{figure}" for figure in figures), *TABLE_FILES)
    return Links(tuple((suffix.removeprefix("."), f"{name}{suffix}") for suffix in suffixes), label)


def verdict_table(expectations: Sequence[Expectation]) -> Table:
    """What a document states next to the values here, with a verdict each."""
    rows = [
        (verdicts.verdict_text(judgement, is_beside=is_beside), *_judgement_row(expectation, judgement))
        for expectation in expectations
        for is_beside, judgement in expectation.rows
    ]
    caption = "Statements of the document, and what the values here are to them"
    return Table(caption, _VERDICT_HEADER, tuple(rows), wraps=True)


def _verdicts(page: StudyPage) -> Section:
    table = verdict_table(page.expectations)
    blocks: list[Block] = [Details(table.caption, (table,)) if len(table.rows) > OPEN_ROWS else table]
    if page.results.partly:
        blocks.append(text(f"Of this figure the study does not make: {page.results.partly.rstrip('.')}.", look="note"))
    for ending, label in (
        (VERDICTS_FILE, "Statements and verdicts"),
        (PUBLISHED_FILE, "Published values and those here"),
    ):
        blocks += [_files(label, name) for name in page.contents if name == f"{page.results.name}-{ending}"]
    return Section("verdicts", "Verdict", tuple(blocks))


_LABELS = {VERDICTS_FILE: "Statements and verdicts", PUBLISHED_FILE: "Published values and those here"}
_VERDICT_HEADER = (
    "<verdict", "<value", "<published", "<here, 95 % interval", "<agrees", "ratio", "<what decides", "<different there"
)  # fmt: skip


def _judgement_row(expectation: Expectation, judgement: Judgement) -> tuple[str, ...]:
    return (
        ": ".join(part for part in (expectation.y, judgement.place) if part) or DASH,
        expectation.expected,
        judgement.here or DASH,
        judgement.bound or DASH,
        amounts.ratio_text(judgement.ratio),
        judgement.why or DASH,
        expectation.published.differs or DASH,
    )


def _points(results: StudyResults) -> Section:
    rows: list[tuple[str, str]] = [
        *([("document", results.place)] if results.place else []),
        *([("not made here", results.partly)] if results.partly else []),
        ("points", state_line(results)),
        *(("setting", line) for line in results.settings),
        *((f"quantity {alias}", name) for alias, name in results.quantities.items()),
        *((f"axis {axis}", ", ".join(map(amounts.value_text, of))) for axis, of in results.axes.items()),
    ]
    blocks: list[Block] = [Table("The study", ("<item", "<value"), tuple(rows), narrow=True)]
    if results.experiment:
        made_with = Table("What it was recorded with", ("<item", "<value"), tuple(results.experiment), narrow=True)
        blocks.append(Details("Experiment, images and programs", (made_with,)))
    recordings = [point for point in results.points if point.recording]
    if recordings:
        links = tuple((_point_text(point), f"../{point.recording}") for point in recordings)
        blocks.append(Details(count_text(len(links), "recording"), (Links(links),)))
    return Section("study", "Points and settings", tuple(blocks))


def _point_text(point: PointResult) -> str:
    at = ", ".join(f"{axis} {amounts.value_text(value)}" for axis, value in point.coordinates.items())
    return f"{at}{', ' * bool(at)}repeat {point.repeat}: {point.state}, {point.digest[:16]}"


def summary(pages: Sequence[StudyPage]) -> dict[str, Any]:
    """The top of a page: verdicts and what disagrees, the conclusions, and a remark on quick runs."""
    several = len(pages) > 1
    lines = []
    for page in pages:
        if page.expectations:
            lines.append(verdicts.sentence(page.results, page.expectations))
            lines += [] if several else verdicts.disagreements(page.expectations)
        if page.conclusion:
            lines.append(f"{page.results.title}: {page.conclusion}" if several else page.conclusion)
    quick = [captions.QUICK] if any(page.results.quick for page in pages) else []
    return {"lead": "", "headline": [], "lines": [*lines, *quick], "failed": None}
