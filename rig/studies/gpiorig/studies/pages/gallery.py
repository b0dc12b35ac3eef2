"""The gallery: the document's figure of each study, described by its caption and numbers, next to ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.figures import studies as study_figures
from gpiorig.analysis.report.blocks import Block, Heading, Links, Pair, Picture, Table, text, why_not
from gpiorig.studies.pages import captions, html_tables, study_sections, values, verdicts
from gpiorig.studies.pages.charts import chart
from gpiorig.studies.pages.description import Show
from gpiorig.studies.pages.published import stated, where_text
from gpiorig.studies.pages.results import StudyResults

EXPLANATION = (
    "At the left what a document has: caption, what is drawn, numbers. At the right the same figure made here. The "
    "documents' pictures themselves are not reproduced."
)


def blocks(studies: Sequence[StudyResults]) -> tuple[Block, ...]:
    """A heading and a pair for each study: its original, and our figure or table with the published values below."""
    return tuple(block for results in studies for block in _of_study(results))


def is_own(studies: Sequence[StudyResults]) -> bool:
    """Whether no document has figures of these studies."""
    return not any(results.original.caption or results.original.drawn for results in studies)


def _of_study(results: StudyResults) -> list[Block]:
    heading = Heading(": ".join(part for part in (results.figure, results.title) if part))
    expectations = tuple(verdicts.of_study(results))
    of_study: list[Block] = [
        heading,
        Pair(_original(results), (*_here(results), Links((("its page", f"{results.name}.html"),)))),
    ]
    return [*of_study, study_sections.verdict_table(expectations)] if expectations else of_study


def _original(results: StudyResults) -> tuple[Block, ...]:
    """What the document has."""
    original = results.original
    described: list[Block] = [text(f"“{original.caption}”")] if original.caption else []
    described += [text(original.drawn)] if original.drawn else []
    numbers = [
        (f"{value.published.y}: {where_text(value.where)}".removesuffix(": "), value.text, value.published.source)
        for value in stated(results.published)
    ]
    if numbers:
        described.append(Table("Published numbers", ("<value", "<published", "<source"), tuple(numbers), narrow=True))
    described += [text(f"{value.source}: {value.text}") for value in results.published if value.text]
    return tuple(described) or (why_not("A question of our own: no document has this figure."),)


def _here(results: StudyResults) -> tuple[Block, ...]:
    """The show that is like the document's figure or table: the earliest."""
    show = next(iter(results.shows), None)
    if show is None:
        return (why_not("The study shows nothing."),)
    try:
        return (_block(results, show),)
    except QuantityError as error:
        return (why_not(f"{error}"),)


def _block(results: StudyResults, show: Show) -> Block:
    groups = values.groups(results, show)
    title = show.title or results.title
    if not any(cell.estimate for group in groups for cell in group.cells):
        return why_not("No values yet.")
    if show.kind == "table":
        return replace(html_tables.of_show(results, show, groups), caption=title)
    figure = partial(study_figures.draw, chart(results, show, groups))
    return Picture(f"gallery-{results.name}", figure, title, captions.caption(results, show, groups))
