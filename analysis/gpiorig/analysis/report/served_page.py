"""The page of one run as `gpiorig view` serves it, and that of a capture that runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpiorig.analysis.figures.palette import KIND_CLASSES, stressing
from gpiorig.analysis.report.blocks import Hero, Section, Viewer
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.report.lead import stressed_kinds
from gpiorig.analysis.report.page import conclusions, run_sections, write_page
from gpiorig.analysis.report.served_blocks import EdgesPanel, LiveTable, Served

PACKETS = "packets"


def write_run(path: Path, data: ReportData, panel: EdgesPanel, *, served: Served) -> None:
    """Write the page of a report, with any packet in its viewer and a panel of edges beneath."""
    sections = with_panel(run_sections(data), panel)
    page: dict[str, Any] = {"summary": conclusions(data), "sections": sections, "served": served}
    with stressing(stressed_kinds(data)):
        write_page(path, title=data.title, virtual=data.marked, **page)


def with_panel(sections: Sequence[Section], panel: EdgesPanel, prefix: str = "") -> list[Section]:
    """The sections of a run, with its edges beneath its packets, or first where it has none."""
    packets = f"{prefix}{PACKETS}"
    if all(section.id != packets for section in sections):
        return [Section(f"{prefix}edges", "All channels", (panel,)), *sections]
    return [
        replace(section, blocks=(*section.blocks, panel)) if section.id == packets else section for section in sections
    ]


def write_edges(path: Path, panel: EdgesPanel, *, title: str, virtual: bool, served: Served) -> None:
    """Write the page of a recording whose channels have no meaning: its edges alone."""
    sections = [Section("edges", "All channels", (panel,))]
    write_page(path, title=title, virtual=virtual, summary={}, sections=sections, served=served)


def write_live(path: Path, *, title: str, virtual: bool, served: Served) -> None:
    """Write the page of a capture that runs: its table, and a picture of packets that grows."""
    legend = tuple((look, kind.text) for kind, look in KIND_CLASSES.items())
    sections = [
        Section("live", "The capture so far", (LiveTable(),)),
        Section("picture", "Every packet, every step", (Hero(PACKETS, "delay", None, legend), Viewer(PACKETS, ()))),
    ]
    write_page(path, title=title, virtual=virtual, summary={}, sections=sections, served=served)
