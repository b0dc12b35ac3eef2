"""The mark of a figure: whether one command makes all of its values, computed from the values that are there."""

from __future__ import annotations

from functools import lru_cache

from gpiorig.analysis.errors import QuantityError
from gpiorig.studies.pages import published, tables, values, verdicts
from gpiorig.studies.pages.description import Show
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.pages.selection import NODE
from gpiorig.studies.pages.statistics import Cell

ONE_COMMAND, PARTLY, MISSING = "●", "◐", "○"


@lru_cache(maxsize=verdicts.CACHED)
def state(results: StudyResults) -> str:
    """The mark of a study.

    `ONE_COMMAND`: each quantity that is drawn has a value in every repeat of every point that is drawn, each quantity
    that is compared at the axis values that are stated, and the study makes all of the figure. A point that is done
    without the quantity is one without a value. A quick run is at most `PARTLY`.
    """
    drawn = [cell for show in results.shows for cell in _cells(results, show)]
    if not any(cell.estimate for cell in drawn):
        return MISSING
    is_complete = all(_is_complete(cell) for cell in drawn) and _has_what_is_compared(results)
    return ONE_COMMAND if is_complete and not results.quick and not results.partly else PARTLY


def _cells(results: StudyResults, show: Show) -> tuple[Cell, ...]:
    """The values that a show draws; one cell without a value where its expressions are not understood."""
    if not show.y:
        return ()
    try:
        return tuple(cell for group in values.groups(results, show) for cell in group.cells)
    except QuantityError:
        return (Cell({}, "", None),)


def _is_complete(cell: Cell) -> bool:
    return cell.estimate is not None and cell.estimate.repeats == cell.estimate.asked


def _has_what_is_compared(results: StudyResults) -> bool:
    for stated in published.stated(results.published):
        cells = tables.cells_of(results, stated.published.y)
        if not any(_is_complete(cell) and stated.fits({**cell.coordinates, NODE: cell.node}) for cell in cells):
            return False
    return True
