"""Rows of the table of steps for the parts of a radio wait, and notes on what the pins do not show."""

from __future__ import annotations

import numpy as np

from gpiorig.analysis.delays.part_names import PART_NAMES
from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.figures.budget import INDENT
from gpiorig.analysis.number_text import DASH, share_text, time_text, uncertain_text
from gpiorig.analysis.report.blocks import Block, text
from gpiorig.analysis.report.texts import share_interval


def rows(evaluation: RouteEvaluation, column: int, *, columns: int) -> list[tuple[str, ...]]:
    """One row for each part of a step that some packet has: its median, its range, and its shares."""
    wait = next((wait for wait in evaluation.parts if wait.column == column), None)
    if wait is None:
        return []
    known = {part.name: part for part in evaluation.part_uncertainties}
    step, period_ns = evaluation.route.steps.steps[column], evaluation.numbers.period_ns
    filled = []
    for part in evaluation.budget.parts_of(column):
        samples = wait.samples[:, PART_NAMES.index(part.name)]
        median_ns = float(np.median(samples)) * period_ns
        limit = known[f"{step.name}: {part.name}"]
        cells = (
            INDENT + part.name,
            step.node,
            uncertain_text(median_ns, limit.expanded_ns) if median_ns else time_text(0.0),
            time_text(float(np.ptp(samples)) * period_ns),
            share_text(part.time.value),
            share_interval(part.variance),
            share_interval(part.tail),
        )
        filled.append((*cells, *(DASH,) * (columns - len(cells))))
    return filled


def notes(evaluation: RouteEvaluation) -> list[Block]:
    """Notes on what the pins do not show of each radio wait."""
    return [
        text(f"{evaluation.route.steps.steps[wait.column].name}, parts: {' '.join(wait.notes)}")
        for wait in evaluation.parts
        if wait.notes
    ]
