"""The sections of one study on a page, and the tables that go with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.figures import studies
from gpiorig.analysis.number_text import DASH, count_text
from gpiorig.analysis.report.blocks import Block, Details, Links, Picture, Section, Table, Text, text, why_not
from gpiorig.studies.pages import amounts, captions, conclusion, orders, tables, troubles, values
from gpiorig.studies.pages.charts import chart
from gpiorig.studies.pages.description import Show
from gpiorig.studies.pages.published import where_text
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.pages.statistics import Cell
from gpiorig.studies.pages.tables import Compared
from gpiorig.studies.pages.values import Group

OPEN_ROWS = 24  # of a table; a longer one is folded away
OPEN_REASONS = 6  # why repeats are in no mean; further ones are folded away
FIGURE_FILES, TABLE_FILES = (".svg", ".png"), (".csv", ".parquet", ".tex")


@dataclass(frozen=True, slots=True)
class StudyPage:
    """What a page shows of a study.

    Parameters
    ----------
    results
        The study.
    conclusion
        Its concluding sentence; empty without one.
    sections
        Its sections.
    contents
        Its tables by the stems of their files.
    """

    results: StudyResults
    conclusion: str
    sections: tuple[Section, ...]
    contents: dict[str, pa.Table]


def of_study(results: StudyResults) -> StudyPage:
    """The sections of a study: what it shows, published values next to ours, orders, its points."""
    contents: dict[str, pa.Table] = {}
    sections = [_show(results, number, show, contents) for number, show in enumerate(results.shows, start=1)]
    sections += _published(results, contents)
    sections.append(_points(results))
    named = tuple(Section(f"{results.name}-{part.id}", part.title, part.blocks) for part in sections)
    return StudyPage(results, conclusion.sentence(results) if results.conclusion else "", named, contents)


def state_line(results: StudyResults) -> str:
    """Points by their state."""
    counts: dict[str, int] = {}
    for point in results.points:
        counts[point.state] = counts.get(point.state, 0) + 1
    return ", ".join(f"{count} {state}" for state, count in counts.items()) or "no points"


def _show(results: StudyResults, number: int, show: Show, contents: dict[str, pa.Table]) -> Section:
    name = f"{results.name}-{number}"
    title = show.title or ", ".join(show.y)
    try:
        groups = values.groups(results, show)
    except QuantityError as error:
        return Section(f"show-{number}", title, (why_not(f"{error}"),))
    contents[name] = tables.of_show(results, groups)
    header, rows = tables.html_rows(results, show, groups)
    table = Table("Values with 95 % interval and standard deviation of the repeats", header, tuple(rows))
    blocks: list[Block] = []
    caption = captions.caption(results, show, groups)
    drawn = show.kind != "table" and any(cell.estimate for group in groups for cell in group.cells)
    if drawn:
        figure = chart(results, show, groups)
        blocks += [Picture(name, partial(studies.draw, figure), title, caption), *_troubles(groups)]
        blocks.append(Details("Values of this figure", (table,)))
    else:
        note = text(caption, look="note")
        blocks += [Details(title, (table,)) if len(rows) > OPEN_ROWS else table, note, *_troubles(groups)]
    blocks.append(_files(name, figure=drawn))
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


def _files(name: str, *, figure: bool) -> Links:
    suffixes = (*(FIGURE_FILES if figure else ()), *TABLE_FILES)
    return Links(tuple((suffix.removeprefix("."), f"{name}{suffix}") for suffix in suffixes))


def _published(results: StudyResults, contents: dict[str, pa.Table]) -> list[Section]:
    """Published values next to ours, orders, statements; none without any."""
    blocks: list[Block] = []
    rows = tables.compared(results)
    if rows:
        name = f"{results.name}-published"
        contents[name] = tables.of_compared(results, rows)
        blocks += [compared_table(rows), _files(name, figure=False)]
    for published, pairs in tables.order_pairs(results):
        caption = f"Order of {published.y}, {published.source}"
        blocks += [
            Table(caption, _ORDER_HEADER, tuple(_order_row(pair) for pair in pairs)),
            text(orders.sentence(pairs)),
        ]
        blocks += [text(_there(published.differs), look="note")] if published.differs else []
    statements = [one for one in results.published if one.text]
    blocks += [
        text(f"Published, {one.source}: {one.text.rstrip('.')}. {_there(one.differs)}".strip()) for one in statements
    ]
    return [Section("published", "Published and here", tuple(blocks))] if blocks else []


def _there(differs: str) -> str:
    return f"There: {differs.rstrip('.')}." if differs else ""


def compared_table(rows: Sequence[Compared]) -> Table:
    """Published values next to ours."""
    header = ("<value", "published", "here, 95 % interval", "<repeats and n", "difference", "ratio", "<different there")
    return Table("Published values next to the values here", header, tuple(_compared_row(one) for one in rows))


def _compared_row(one: Compared) -> tuple[str, ...]:
    source = f"{one.stated.published.source}: {one.stated.published.differs}".removesuffix(": ")
    if one.reason or one.estimate is None:
        return (one.name, one.stated.text, DASH, one.reason, DASH, DASH, source)
    difference, ratio = one.difference
    return (
        one.name,
        one.stated.text,
        tables.brief(one.estimate),
        tables.count(one.estimate),
        amounts.text(difference, one.estimate.unit),
        amounts.ratio_text(ratio),
        source,
    )


_ORDER_HEADER = ("<published order", "<here", "<at", "first", "second")


def _order_row(pair: orders.Pair) -> tuple[str, ...]:
    order = orders.order_text((pair.smaller, pair.larger))
    first, second = (tables.brief(estimate) for estimate in pair.here)
    return (order, pair.outcome, where_text(pair.rest) or DASH, first, second)


def _points(results: StudyResults) -> Section:
    rows: list[tuple[str, str]] = [
        *([("document", results.place)] if results.place else []),
        ("points", state_line(results)),
        *(("setting", line) for line in results.settings),
        *((f"quantity {alias}", name) for alias, name in results.quantities.items()),
        *((f"axis {axis}", ", ".join(map(amounts.value_text, of))) for axis, of in results.axes.items()),
    ]
    table = Table("The study", ("<item", "<value"), tuple(rows), narrow=True)
    return Section("study", "Points and settings", (table,))


def summary(pages: Sequence[StudyPage]) -> dict[str, Any]:
    """The top of a page: the conclusions, and a remark on quick runs."""
    several = len(pages) > 1
    lines = [f"{page.results.title}: {page.conclusion}" if several else page.conclusion for page in pages]
    lines = [line for page, line in zip(pages, lines, strict=True) if page.conclusion]
    quick = [captions.QUICK] if any(page.results.quick for page in pages) else []
    return {"lead": "", "headline": [], "lines": [*lines, *quick], "failed": None}
