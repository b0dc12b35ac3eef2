"""The page of one run: its sections in order, and the text of the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.figures.palette import DARK_KIND_COLOURS, KIND_CLASSES, KIND_COLOURS, stressing
from gpiorig.analysis.number_text import count_text, for_page, in_threes, time_text
from gpiorig.analysis.report import causes, clocks, energy, health, inline_svg, processor, quantities
from gpiorig.analysis.report import delays as delaysection
from gpiorig.analysis.report import pictures as route_pictures
from gpiorig.analysis.report.blocks import Block, Details, Look, Picture, Section, Table, headings_of, why_not
from gpiorig.analysis.report.blocks import pictures as pictures_of
from gpiorig.analysis.report.conclusions import budget_sentence, cause_sentences, headline, summary_lines
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.report.lead import facts_line, lead_sentence, stressed_kinds
from gpiorig.analysis.report.served_blocks import Served
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.printable import printable_lines

TEMPLATE = "page.html.jinja"
# The parts of its script, each using those before it.
SCRIPTS = (
    "units",
    "theme",
    "folds",
    "zoomed",
    "cursors",
    "minimap",
    "timeline_input",
    "timeline",
    "packets",
    "rows",
    "hero",
    "hero_input",
    "staircases",
    "tables",
    "scrolls",
    "figures",
    "start",
)
SERVED_SCRIPTS = ("served", "edges", "live")
DRAWN_ROUTES = 4  # routes with figures; the others are in the table of routes
LISTED_ITEMS = 4  # of the provenance in its line
FURTHER_CAUSES = 5  # sentences of attribution in the summary


def write_report(path: Path, data: ReportData) -> tuple[Picture, ...]:
    """Write the page of one run, which needs no other file. Returns its pictures, for files of their own."""
    sections = run_sections(data)
    with stressing(stressed_kinds(data)):
        write_page(path, title=data.title, virtual=data.marked, summary=conclusions(data), sections=sections)
    return tuple(pictures_of(sections))


def conclusions(data: ReportData) -> dict[str, Any]:
    """The top of the page: numbers, sentences, failed checks."""
    routes = data.evaluation.routes
    first, *lines = summary_lines(data)
    if routes:
        further = cause_sentences(routes[0])[1 : 1 + FURTHER_CAUSES]
        others = [f"{evaluation.route.name}: {budget_sentence(evaluation)}" for evaluation in routes[1:DRAWN_ROUTES]]
        lines = [first, *lines[:-1], *further, *others, *lines[-1:]]
    return {
        "lead": lead_sentence(data),
        "facts": facts_line(data),
        "headline": headline(data),
        "lines": lines,
        "failed": list(data.notes),
    }


def run_sections(data: ReportData, prefix: str = "") -> list[Section]:
    """All sections of one run; `prefix` makes their names unique on a page of several."""
    routes = data.evaluation.routes
    sections = _route_sections(data, routes[0], prefix) if routes else [_no_packet(data)]
    if len(routes) > 1:
        sections.append(_other_routes(data, prefix))
    sections += energy.sections(data)
    sections += quantities.sections(data, prefix)
    sections += [clocks.section(data, prefix), health.section(data), _provenance(data)]
    return [replace(section, id=f"{prefix}{section.id}") for section in sections]


def _route_sections(data: ReportData, evaluation: RouteEvaluation, prefix: str) -> list[Section]:
    """The sections about the packets of one route."""
    delays = data.evaluation.delays
    tables: list[Block] = [delaysection.delay_table(delays)] if delays and not prefix.startswith("route") else []
    queues = [] if prefix.startswith("route") else processor.queues(data)
    budget = (*route_pictures.budget(data, evaluation, prefix), *delaysection.budget_notes(evaluation))
    shapes = route_pictures.distributions(data, evaluation, prefix)
    return [
        Section("packets", "Every packet, every step", tuple(processor.packets(data, evaluation, prefix))),
        Section("budget", "Where time goes and jitter comes from", budget),
        Section("steps", "Steps", tuple(delaysection.step_table(data, evaluation, prefix))),
        Section("distributions", "Distributions", (*shapes, *tables)),
        Section("run", "Over the run", route_pictures.over_the_run(data, evaluation, prefix)),
        Section("causes", "Causes", tuple(causes.blocks(data, evaluation, prefix))),
        Section("layers", "Layers and pre-emption", (*processor.layers(data, evaluation, prefix), *queues)),
        Section(
            "jitter",
            "Jitter by every definition",
            (delaysection.jitter_table(evaluation),),
            delaysection.jitter_line(evaluation),
        ),
    ]


def _no_packet(data: ReportData) -> Section:
    """The section that replaces all those that need a packet."""
    if data.timelines is not None and len(data.timelines):
        reason = "no packet has all its steps; the health of the recording lists the reason for each"
    elif data.timelines is not None or data.analysis.no_packets:
        reason = "no send call of a packet was seen on the pins"
    else:
        reason = "no packet is complete, from its first milestone to its last"
    delays = data.evaluation.delays
    tables: list[Block] = [delaysection.delay_table(delays)] if any(delay.n for delay in delays.values()) else []
    note = why_not(f"No budget, step, distribution or timeline to show: {reason}.")
    return Section("steps", "Delays and steps", (note, *tables))


def _other_routes(data: ReportData, prefix: str) -> Section:
    """A table of all routes, and the sections of some of them, folded away."""
    routes = data.evaluation.routes
    rows = tuple(
        (
            evaluation.route.name,
            f"{len(evaluation.route)}",
            f"{evaluation.route.lost}; {evaluation.route.partial}",
            *(time_text(ns) for ns in (evaluation.numbers.total.median_ns, evaluation.numbers.total.p99_ns)),
            time_text(evaluation.numbers.total.peak_to_peak_ns),
            budget_sentence(evaluation),
        )
        for evaluation in routes
    )
    header = ("<route", "packets", "lost; incomplete", "median", "p99", "peak-to-peak", "<budget")
    blocks: list[Block] = [Table("All routes, the one with the most packets first", header, rows)]
    for number, evaluation in enumerate(routes[1:DRAWN_ROUTES], start=2):
        inner = _route_sections(data, evaluation, f"route-{number}-{prefix}")
        named = tuple(replace(part, id=f"route-{number}-{prefix}{part.id}") for part in inner)
        blocks.append(Details(evaluation.route.name, named))
    if len(routes) > DRAWN_ROUTES:
        blocks.append(why_not(f"Figures are drawn of the first {DRAWN_ROUTES} routes; the tables have all."))
    return Section("routes", "All routes", tuple(blocks))


def _provenance(data: ReportData) -> Section:
    rows: list[tuple[str, str]] = []
    lines = data.timelines
    if lines is not None:
        headers = sorted(set(lines.header_samples))
        offset = (
            f"{headers[0]}" if len(headers) == 1 else " (request) or ".join(map(str, lines.header_samples)) + " (reply)"
        )
        rows = [
            ("round trips", f"from {lines.initiator} to {lines.responder} and back"),
            ("first bit on the air, in samples", f"rise of the frame timestamp line minus {offset}"),
        ]
    else:
        rows = [("nodes", ", ".join(data.analysis.events.node_names))]
    rows += list(data.provenance.items())
    table = Table("Where the numbers come from", ("<item", "<value"), tuple(rows), look="list")
    return Section("provenance", "Provenance", (table,), f"{count_text(len(rows), 'item')}: {', '.join(_listed(rows))}")


def _listed(rows: Sequence[tuple[str, str]]) -> list[str]:
    """The names of the first rows."""
    names = [name for name, _ in rows[:LISTED_ITEMS]]
    return names if len(rows) <= LISTED_ITEMS else [*names, "…"]


def write_page(
    path: Path,
    *,
    title: str,
    virtual: bool | None,
    summary: dict[str, Any],
    sections: Sequence[Section],
    served: Served | None = None,
) -> None:
    """Write a page in one step; one that is not `served` makes no request.

    `virtual` is None where it is not known, which the page states then.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        finalize=_shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pictures = pictures_of(sections)
    drawn = inline_svg.svgs(pictures, headings_of(sections))
    environment.filters |= {"svg": lambda picture: drawn[picture.name], "as_json": _as_json}
    environment.filters["in_threes"] = in_threes
    numbers = {picture.name: n for n, picture in enumerate(pictures, start=1)}
    page = environment.get_template(TEMPLATE).render(
        title=title,
        virtual=virtual,
        summary=summary,
        sections=sections,
        numbers=numbers,
        looks=[Look(name, KIND_COLOURS[kind], DARK_KIND_COLOURS[kind]) for kind, name in KIND_CLASSES.items()],
        scripts=(*SCRIPTS, *SERVED_SCRIPTS) if served else SCRIPTS,
        served=served,
    )
    with replacing(path) as new:
        new.write_text(page, encoding="utf-8")


def _shown(value: object) -> object:
    """Text of nodes and files without control characters, numbers in one format; `autoescape` escapes its markup."""
    return for_page(printable_lines(value)) if type(value) is str else value


def _as_json(content: object) -> Markup:
    """JSON that cannot end its script element."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))
