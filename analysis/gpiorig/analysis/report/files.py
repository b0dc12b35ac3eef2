"""A report as files in one folder: the page, and on request its figures and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from gpiorig.analysis.figures import packet, plates
from gpiorig.analysis.figures.palette import stressing
from gpiorig.analysis.report.blocks import Block, pictures
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.report.lead import stressed_kinds
from gpiorig.analysis.report.page import write_report
from gpiorig.analysis.tables import registry, stages

PAGE = "report.html"
FIGURE_FORMATS = ("svg", "png", "pdf")
TABLE_FORMATS = {"csv": ".csv", "latex": ".tex"}


def write(
    folder: Path, data: ReportData, *, figure_formats: Sequence[str] = (), table_formats: Sequence[str] = ()
) -> list[Path]:
    """Write the page into a folder; returns the files that were written, the page first.

    Parameters
    ----------
    folder
        A new folder, or one whose files are replaced.
    data
        The content.
    figure_formats
        Formats among `FIGURE_FORMATS`: every figure of the page and the median round trip as files in this folder.
    table_formats
        Formats among `TABLE_FORMATS`: the tables of the evaluation as files in this folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / PAGE
    blocks = write_report(page, data)
    paths = [page]
    if figure_formats:
        with stressing(stressed_kinds(data)):
            paths += write_figures(blocks, folder, figure_formats)
            paths += _write_packet(data, folder, figure_formats)
    if table_formats:
        paths += write_tables(registry.evaluation_tables(data.evaluation), folder, table_formats)
    return paths


def write_figures(blocks: Sequence[Block], folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write every picture among the blocks; returns the files."""
    return plates.write({picture.name: picture.drawn() for picture in pictures(blocks)}, folder, formats)


def write_tables(contents: Mapping[str, pa.Table], folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write tables by their names; returns the files."""
    paths = []
    for name, content in contents.items():
        for suffix in formats:
            paths.append(folder / f"{name}{TABLE_FORMATS[suffix]}")
            stages.write(content, paths[-1])
    return paths


def _write_packet(data: ReportData, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write the figure of the median round trip, if there is one; returns the files."""
    trips = data.analysis.round_trips
    row = packet.typical(trips.timelines) if trips is not None else -1
    if trips is None or row < 0:
        return []
    return plates.write({"packet": plates.packet(trips, row=row, virtual=data.virtual)}, folder, formats)
