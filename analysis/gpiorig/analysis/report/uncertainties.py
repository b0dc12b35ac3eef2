"""The components of the uncertainties as a matrix: delays by components, with the source of each."""

from __future__ import annotations

from collections.abc import Sequence

from gpiorig.analysis.delays.uncertainty import DelayUncertainty
from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.number_text import time_text
from gpiorig.analysis.report.blocks import Block, Details, Table
from gpiorig.analysis.report.texts import joined_steps


def components(evaluation: RouteEvaluation) -> list[Block]:
    """The standard uncertainties of each delay, the total first, by their components; equal rows are one."""
    delays = (evaluation.uncertainties[-1], *evaluation.uncertainties[:-1])
    of_pins = dict.fromkeys(part.name for delay in delays for part in delay.components)
    of_probes = dict.fromkeys(part.name for delay in delays for part in delay.probe_components)
    if not of_pins and not of_probes:
        return []
    alike: dict[tuple[str, ...], list[str]] = {}
    for delay in delays:
        pins = {part.name: part.standard_ns for part in delay.components}
        probes = {part.name: part.standard_ns for part in delay.probe_components}
        columns = [*(pins.get(name) for name in of_pins), *(probes.get(name) for name in of_probes)]
        cells = tuple("" if ns is None else time_text(ns, digits=2) for ns in columns)
        alike.setdefault(cells, []).append(delay.name)
    rows = tuple((joined_steps(names), *cells) for cells, names in alike.items())
    header = ("<delay", *of_pins, *(f"probes: {name}" for name in of_probes))
    caption = "Standard uncertainties by component: as measured on the pins, then of the correction for the probes"
    return [Details("Components of the uncertainties", (Table(caption, header, rows, _sources(delays), look="dense"),))]


def _sources(delays: Sequence[DelayUncertainty]) -> str:
    """Where each component comes from, with its evaluation by the GUM."""
    sources: dict[str, dict[str, None]] = {}
    for delay in delays:
        for part in (*delay.components, *delay.probe_components):
            sources.setdefault(part.name, {})[f"{part.evaluation}, {part.source}"] = None
    named = (f"{name} ({' / '.join(texts)})" for name, texts in sources.items())
    return f"Evaluation by the GUM and source: {'; '.join(named)}."
