"""Pages of studies: one for a study, one for a document, one for the catalogue; figures and tables as files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from gpiorig.analysis.report.blocks import Block, Details, Heading, Links, Section, Table, Text, text
from gpiorig.analysis.report.files import write_figures
from gpiorig.analysis.report.page import write_page
from gpiorig.analysis.tables import stages
from gpiorig.capture.atomic_file import replacing
from gpiorig.studies.pages import catalogue, gallery, study_sections, verdicts
from gpiorig.studies.pages.catalogue import DOCUMENT_HEADER, by_document
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.pages.study_sections import FIGURES, StudyPage

CATALOGUE, GALLERY = "index.html", "gallery.html"


def write_study(folder: Path, results: StudyResults, *, figures: Sequence[str] = FIGURES) -> Path:
    """Write the page of a study, and its figures and tables as files next to it; returns the page's path.

    Figures are of the formats `figures`, tables CSV, Parquet and LaTeX: ``NAME-1.svg`` for the first show,
    ``NAME-published.csv`` for the published values.
    """
    return _write(folder, study_sections.of_study(results, figures=figures), figures)


def write_document(folder: Path, studies: Sequence[StudyResults], *, figures: Sequence[str] = FIGURES) -> Path:
    """Write one page for the studies of a document, and the page and files of each; returns the document's page."""
    pages = [study_sections.of_study(results, figures=figures) for results in studies]
    for page in pages:
        _write(folder, page, figures)
    document = studies[0].document
    path = folder / document_file(document)
    sections = [Section(page.results.name, page.results.title, _inner(page)) for page in pages]
    write_page(path, title=f"Studies of {document}", virtual=_is_virtual(studies),
               summary=study_sections.summary(pages), sections=sections)  # fmt: skip
    return path


def write_catalogue(folder: Path, studies: Sequence[StudyResults]) -> Path:
    """Write the page of all documents: a table of published values each, and links to the pages of `write_document`."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = Links((("The figures of the documents next to those here", GALLERY),))
    sections = [Section("gallery", "Gallery", (pictures,))]
    described = catalogue.listed(catalogue.numbers(studies), studies)
    for document, of_document in by_document(described).items():
        blocks: list[Block] = [text(line) for line in catalogue.document_lines(of_document)]
        if disagreements := tuple(line for study in of_document for line in study.disagreements):
            blocks.append(Details(f"{len(disagreements)} that disagree", (Text(disagreements),)))
        rows = tuple(row for study in of_document for row in study.rows)
        blocks.append(Table(f"Figures of {document}", DOCUMENT_HEADER, rows, wraps=True))
        links = [(f"All figures of {document}", document_file(document))]
        links += [(f"{study.rows[0][0]}: {study.name}", f"{study.name}.html") for study in of_document]
        sections.append(Section(_slug(document), document, (*blocks, Links(tuple(links)))))
    lines = [f"{document}: {' '.join(catalogue.document_lines(of))}" for document, of in by_document(described).items()]
    summary = {"lead": "", "headline": [("studies", str(len(studies)))], "lines": lines, "failed": None}
    path = folder / CATALOGUE
    write_page(path, title="Catalogue of studies", virtual=_is_virtual(studies), summary=summary, sections=sections)
    return path


def write_gallery(folder: Path, studies: Sequence[StudyResults]) -> Path:
    """Write the page that has the document's figure of each study, described, next to ours; returns its path."""
    path = folder / GALLERY
    sections = [
        Section(_slug(document), document, gallery.blocks(of_document))
        for document, of_document in sorted(by_document(studies).items(), key=lambda item: gallery.is_own(item[1]))
    ]
    summary = {"lead": "", "headline": [], "lines": [gallery.EXPLANATION], "failed": None}
    write_page(path, title="Gallery", virtual=_is_virtual(studies), summary=summary, sections=sections)
    return path


def document_file(document: str) -> str:
    """File name of a document's page, such as ``seeds-000.html``."""
    return f"{_slug(document)}.html"


def _write(folder: Path, page: StudyPage, figures: Sequence[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    results = page.results
    path = folder / f"{results.name}.html"
    title = results.title + (f" ({results.place})" if results.place else "")
    write_page(path, title=title, virtual=_is_virtual([results]),
               summary=study_sections.summary([page]), sections=page.sections)  # fmt: skip
    write_figures(page.sections, folder, figures)
    for name, content in page.contents.items():
        for suffix in study_sections.TABLE_FILES:
            _write_table(folder / f"{name}{suffix}", content, page.papers.get(name, ""))
    return path


def _write_table(path: Path, content: pa.Table, paper: str) -> None:
    """One file of a table; as LaTeX that of a paper where there is one."""
    if path.suffix != ".tex" or not paper:
        stages.write(content, path)
        return
    with replacing(path) as new:
        new.write_text(paper, encoding="utf-8")


def _inner(page: StudyPage) -> tuple[Block, ...]:
    """The blocks of a study within the page of its document."""
    blocks: list[Block] = [Links(((f"{page.results.figure}, on its own page", f"{page.results.name}.html"),))]
    if page.expectations:
        blocks += [text(verdicts.sentence(page.results, page.expectations))]
        blocks += [Text((line,), "bad") for line in verdicts.disagreements(page.expectations)]
    blocks += [text(page.conclusion)] if page.conclusion else []
    for section in page.sections:
        blocks += [Heading(section.title), *section.blocks]
    return tuple(blocks)


def _is_virtual(studies: Sequence[StudyResults]) -> bool:
    return any(point.virtual for results in studies for point in results.points)


def _slug(document: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", document).strip("-")
