"""The pages of studies below an output folder: one for each study, one for each document, and the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpiorig.analysis.campaign.results import StudyResults
from gpiorig.capture import confined
from gpiorig.capture.atomic_file import replacing
from gpiorig.rig.campaign import reasons

PAGES = "pages"


def write(output: Path, results: Sequence[StudyResults], others: Sequence[StudyResults] | None = None) -> list[Path]:
    """Write the page of each study, and with others of the folder those of their documents and the catalogue.

    Returns
    -------
    list[Path]
        The pages of the studies; if there are others, the catalogue is the last.
    """
    from gpiorig.analysis.campaign import page  # draws: takes seconds to import

    folder = confined.subfolder(output, PAGES)
    written = [page.write_study(folder, study) for study in results]
    if others is None:
        return written
    every = sorted([*results, *others], key=lambda study: study.name)
    for document in dict.fromkeys(study.document for study in every):
        page.write_document(folder, [study for study in every if study.document == document])
    return [*written, page.write_catalogue(folder, every)]


def write_markdown(path: Path, results: Sequence[StudyResults]) -> Path:
    """Write the table of all documents, and what is not done in them; returns its path."""
    from gpiorig.analysis.campaign import catalogue

    with replacing(path) as new:
        new.write_text(catalogue.seeds_markdown(results, reasons.load()), encoding="utf-8")
    return path
