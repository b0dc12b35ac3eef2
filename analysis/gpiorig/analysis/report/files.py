"""Everything a report consists of, as files in one folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpiorig.analysis.figures import packet, plates
from gpiorig.analysis.report.blocks import Block, pictures
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.report.page import write_report
from gpiorig.analysis.report.tables import report_tables
from gpiorig.analysis.tables import stages

PAGE = "report.html"
TABLE_SUFFIXES = (".csv", ".parquet", ".tex")


def write(folder: Path, data: ReportData) -> Path:
    """Write page, figures (SVG, PNG) and tables (CSV, Parquet, LaTeX) into a folder; returns the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / PAGE
    write_figures(write_report(page, data), folder)
    trips = data.analysis.round_trips
    if trips is not None:
        row = packet.typical(trips.timelines)
        if row >= 0:
            typical = plates.packet(trips, row=row, virtual=data.virtual)
            plates.write({"packet": typical}, folder)
    for name, content in report_tables(data).items():
        for suffix in TABLE_SUFFIXES:
            stages.write(content, folder / f"{name}{suffix}")
    return page


def write_figures(blocks: Sequence[Block], folder: Path) -> None:
    """Write every picture among the blocks as SVG and PNG."""
    plates.write({picture.name: picture.figure for picture in pictures(blocks)}, folder)
