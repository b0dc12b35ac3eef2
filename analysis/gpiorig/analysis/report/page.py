"""The page of one run: its sections in order, and the text of the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from gpiorig.analysis.figures.packet import COLOURS
from gpiorig.analysis.figures.packet_boxes import KIND_CLASSES
from gpiorig.analysis.figures.style import KIND_COLOURS
from gpiorig.analysis.packets.path import DIRECTIONS
from gpiorig.analysis.quantity import DASH, time_text
from gpiorig.analysis.report import causes, clocks, health, inline_svg, pictures, processor
from gpiorig.analysis.report import delays as delaysection
from gpiorig.analysis.report.blocks import Block, Details, Look, Picture, Section, Table, Viewer, why_not
from gpiorig.analysis.report.blocks import pictures as pictures_of
from gpiorig.analysis.report.conclusions import budget_sentence, cause_sentences, headline, summary_lines
from gpiorig.analysis.report.data import ReportData, RouteView, route_views
from gpiorig.analysis.report.delay_summaries import delay_summaries
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.printable import printable_lines

TEMPLATE = "page.html.jinja"
# Classes of the viewer's boxes.
LOOKS = (
    *(Look(name, COLOURS[direction], name, "layers") for direction, name in enumerate(DIRECTIONS)),
    *(Look(name, KIND_COLOURS[kind], kind.value, "steps") for kind, name in KIND_CLASSES.items()),
)
DRAWN_ROUTES = 4  # routes that get figures; the others stand in the table of routes
FURTHER_CAUSES = 5  # sentences of attribution in the summary


def write_report(path: Path, data: ReportData) -> tuple[Picture, ...]:
    """Write the page of one run; it needs no other file. Returns its pictures, for whoever writes them as files."""
    sections = run_sections(data)
    write_page(path, title=data.title, virtual=data.virtual, summary=conclusions(data), sections=sections)
    return tuple(pictures_of(sections))


def conclusions(data: ReportData) -> dict[str, Any]:
    """What stands on top: numbers, sentences, checks that failed."""
    lines = summary_lines(data)
    views = route_views(data)
    further = cause_sentences(views[0])[1 : 1 + FURTHER_CAUSES] if views else []
    others = [f"{view.route.name}: {budget_sentence(view)}" for view in views[1:DRAWN_ROUTES]]
    said = [*lines[:-1], *further, *others, lines[-1]]
    return {"headline": headline(data), "lines": said, "failed": list(data.notes)}


def run_sections(data: ReportData, prefix: str = "") -> list[Section]:
    """All sections of one run; `prefix` makes their names unique on a page of several."""
    views = route_views(data)
    sections = [*(_route_sections(data, views[0], prefix) if views else [_no_packet(data)])]
    if len(data.study.routes) > 1:
        sections.append(_other_routes(data, views, prefix))
    sections += [clocks.section(data, prefix), health.section(data), _provenance(data)]
    return [Section(f"{prefix}{each.id}", each.title, each.blocks) for each in sections]


def _route_sections(data: ReportData, view: RouteView, prefix: str) -> list[Section]:
    """What is said about the packets of one route."""
    delays = delay_summaries(data)
    tables: list[Block] = [delaysection.delay_table(delays)] if delays and not prefix.startswith("route") else []
    budget: list[Block] = [pictures.budget(data, view, prefix), *delaysection.budget_notes(view)]
    shapes: list[Block] = [pictures.total(data, view, prefix), *pictures.distributions(data, view, prefix)]
    return [
        Section("budget", "Where time goes and jitter comes from", tuple(budget)),
        Section("steps", "Steps", tuple(delaysection.step_table(data, view))),
        Section("distributions", "Distributions", (*shapes, *tables)),
        Section("run", "Over the run", (pictures.over_the_run(data, view, prefix),)),
        Section("causes", "What causes it", tuple(causes.blocks(data, view, prefix))),
        Section("packets", "Packets to zoom into", tuple(processor.packets(data, view, prefix))),
        Section("layers", "Layers, and who ran in the way", tuple(processor.layers(data, view, prefix))),
        Section("jitter", "Jitter by every definition", (delaysection.jitter_table(view),)),
    ]


def _no_packet(data: ReportData) -> Section:
    """The one section in the place of all those that need a packet."""
    if data.timelines is not None and len(data.timelines):
        reason = "no packet has all its steps; what became of each stands under the health of the recording"
    elif data.timelines is not None or data.analysis.no_packets:
        reason = "no send call of a packet was seen on the pins"
    else:
        reason = "no packet is known whole, from one end of its way to the other"
    delays = delay_summaries(data)
    tables: list[Block] = [delaysection.delay_table(delays)] if any(each.n for each in delays.values()) else []
    said = why_not(f"There is no budget, no step, no distribution and no timeline to show: {reason}.")
    return Section("steps", "Delays and steps", (said, *tables))


def _other_routes(data: ReportData, views: Sequence[RouteView], prefix: str) -> Section:
    """A table of all routes, and the sections of some of them, folded away."""
    rows = tuple(
        (
            view.route.name,
            f"{len(view.route)}",
            f"{view.route.lost}; {view.route.partial}",
            *(time_text(ns) for ns in (view.numbers.total.median_ns, view.numbers.total.p99_ns)),
            time_text(view.numbers.total.peak_to_peak_ns),
            budget_sentence(view),
        )
        for view in views
    )
    header = ("<route", "packets", "lost; known in part", "median", "p99", "peak-to-peak", "<budget")
    silent = [each.route for each in data.study.routes if not len(each.route)]
    rows += tuple((route.name, "0", f"{route.lost}; {route.partial}", *([DASH] * 4)) for route in silent)
    blocks: list[Block] = [Table("All routes, the one with the most packets first", header, rows)]
    for number, view in enumerate(views[1:DRAWN_ROUTES], start=2):
        inner = _route_sections(data, view, f"route-{number}-{prefix}")
        named = tuple(Section(f"route-{number}-{prefix}{each.id}", each.title, each.blocks) for each in inner)
        blocks.append(Details(view.route.name, named))
    if len(views) > DRAWN_ROUTES:
        blocks.append(why_not(f"Figures are drawn of the first {DRAWN_ROUTES} routes; the tables have all."))
    return Section("routes", "All routes", tuple(blocks))


def _provenance(data: ReportData) -> Section:
    rows: list[tuple[str, str]] = []
    lines = data.timelines
    if lines is not None:
        headers = sorted(set(lines.header_samples))
        each = (
            f"{headers[0]}" if len(headers) == 1 else " (request) or ".join(map(str, lines.header_samples)) + " (reply)"
        )
        rows = [
            ("round trips", f"from {lines.initiator} to {lines.responder} and back"),
            ("first bit on the air, in samples", f"rise of the frame time stamp line minus {each}"),
        ]
    else:
        rows = [
            ("nodes", ", ".join(data.analysis.events.node_names)),
        ]
    rows += list(data.provenance.items())
    return Section(
        "provenance", "Provenance", (Table("Where the numbers come from", ("<what", "<is"), tuple(rows), narrow=True),)
    )


def write_page(path: Path, *, title: str, virtual: bool, summary: dict[str, Any], sections: Sequence[Section]) -> None:
    """Write a page in one step."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        finalize=_shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"svg": inline_svg.svg, "embedded": _embedded}
    numbers = {picture.name: n for n, picture in enumerate(pictures_of(sections), start=1)}
    page = environment.get_template(TEMPLATE).render(
        title=title, virtual=virtual, summary=summary, sections=sections, numbers=numbers, looks=LOOKS
    )
    with replacing(path) as new:
        new.write_text(page, encoding="utf-8")


def _shown(value: object) -> object:
    """Text of nodes and files without control characters; `autoescape` sees to its markup."""
    return printable_lines(value) if type(value) is str else value


def _embedded(viewer: Viewer) -> Markup:
    """The packets of a viewer as JSON that cannot end its script element."""
    found = json.dumps([packet.as_dict() for packet in viewer.packets], separators=(",", ":"), allow_nan=False)
    return Markup(found.replace("<", "\\u003c"))
