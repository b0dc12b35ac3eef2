"""The pages of studies below an output folder: one for each study, one for each document, and the catalogue."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import msgspec

from gpiorig.analysis.number_text import DASH
from gpiorig.capture import confined
from gpiorig.capture.atomic_file import replacing
from gpiorig.rig import strict_toml
from gpiorig.studies.pages import catalogue
from gpiorig.studies.pages.catalogue import Reason
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.points import states
from gpiorig.studies.points.study import Study

PAGES = "pages"


def folder(output: Path) -> Path:
    """The folder of pages below an output folder; it is made."""
    return confined.subfolder(output, PAGES)


def write(
    output: Path,
    results: Sequence[StudyResults],
    unasked: Sequence[StudyResults] | None = None,
    *,
    figures: Sequence[str] = (),
) -> list[Path]:
    """Write the page of each study, and with the others of the folder those of their documents and the catalogue.

    `figures` are the formats of figures as files; without any those that the pages of studies always have.

    Returns
    -------
    list[Path]
        The pages of the studies; if there are others, the gallery and the catalogue are the last.
    """
    from gpiorig.studies.pages import files, study_sections  # draw: take seconds to import

    into = folder(output)
    formats = tuple(figures) or study_sections.FIGURES
    is_alone = unasked is None
    with_page = [study for study in results if study.shows or study.published]
    for study in with_page:
        if is_alone or not study.document:
            files.write_study(into, study, figures=formats)
    written = [into / f"{study.name}.html" for study in with_page]
    every = sorted((study for study in [*results, *(unasked or ())] if study.document), key=lambda study: study.name)
    if is_alone or not every:
        return written
    for document in dict.fromkeys(study.document for study in every):
        files.write_document(into, [study for study in every if study.document == document], figures=formats)
    return [*written, files.write_gallery(into, every), files.write_catalogue(into, every)]


def write_markdown(path: Path, results: Sequence[StudyResults]) -> Path:
    """Write the table of all documents, and what is not done in them; returns its path."""
    with replacing(path) as new:
        new.write_text(_markdown(catalogue.numbers(results), results), encoding="utf-8")
    return path


def write_numbers(path: Path, results: Sequence[StudyResults]) -> Path:
    """Write the numbers of the table of all documents as CSV; with the study files they make the table again."""
    with replacing(path) as new, new.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([catalogue.NUMBERS_HEADER, *catalogue.numbers(results)])
    return path


def markdown(path: Path, studies: Sequence[Study]) -> str:
    """The table of all documents from the numbers of an earlier run, a file of `write_numbers`, and study files."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [[row.get(name, DASH) for name in catalogue.NUMBERS_HEADER] for row in csv.DictReader(file)]
    return _markdown(rows, [states.described(study) for study in studies])


def _markdown(rows: Sequence[Sequence[str]], studies: Sequence[StudyResults]) -> str:
    return catalogue.seeds_markdown(catalogue.listed(rows, studies), reasons())


class _Reasons(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    reason: tuple[Reason, ...]


def reasons() -> tuple[Reason, ...]:
    """Figures of documents that no study makes, in the order of the documents."""
    return strict_toml.load(Path(__file__).with_name("reasons.toml"), _Reasons, what="reasons").reason
