"""Repeats that are in no mean: each reason once, cut to one line; or complete, by combination."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from gpiorig.analysis.number_text import count_text
from gpiorig.studies.pages.statistics import Cell

MAX_LINE, MAX_CELL = 110, 60  # characters of a reason on a line, and in a cell of a table
CUT = " …"


def brief(cell: Cell) -> str:
    """The most frequent reason of a cell on one line, and the number of others; empty without any."""
    by_reason: dict[str, list[int]] = {}
    for repeat, reason in cell.troubles:
        by_reason.setdefault(textwrap.shorten(reason, MAX_CELL, placeholder=CUT), []).append(repeat)
    if not by_reason:
        return ""
    reason, repeats = max(by_reason.items(), key=lambda item: len(item[1]))
    who = f"repeat {repeats[0]}" if len(repeats) == 1 else f"{len(repeats)} repeats"
    others = len(by_reason) - 1
    more = f" (and {count_text(others, 'other reason')})" if others else ""
    return f"{who} {reason}{more}"


def lines(places: Mapping[str, Sequence[Cell]]) -> list[str]:
    """``12 points failed: REASON``, a line for each reason, the most frequent first; `places` as in `complete`."""
    points: dict[str, set[tuple[str, int]]] = {}
    for place, cells in places.items():
        for repeat, reason in (trouble for cell in cells for trouble in cell.troubles):
            line = textwrap.shorten(reason, MAX_LINE, placeholder=CUT)
            points.setdefault(line, set()).add((place, repeat))
    ordered = sorted(points.items(), key=lambda item: -len(item[1]))
    return [f"{count_text(len(of), 'point')} {line}" for line, of in ordered]


def complete(places: Mapping[str, Sequence[Cell]]) -> list[str]:
    """``PLACE: repeats 1, 3 failed: REASON``, a line for each combination; the cells of each by its text."""
    of_place = {
        place: dict.fromkeys(cell.trouble for cell in cells if cell.troubles) for place, cells in places.items()
    }
    return [f"{place}: {'; '.join(reasons)}" for place, reasons in of_place.items() if reasons]
