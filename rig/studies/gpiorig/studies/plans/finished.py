"""Pages of studies that have ended while others are still recorded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpiorig.capture.errors import Error
from gpiorig.rig.verbosity import note
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.plans import lock
from gpiorig.studies.plans.pending import pending
from gpiorig.studies.plans.plan import Plan
from gpiorig.studies.points import pages, states
from gpiorig.studies.points.states import Sought


class Finished:
    """Writes the page of a study when its last point has ended, unless it is the last study: all are written then."""

    def __init__(self, plan: Plan, *, retry: bool, figures: Sequence[str] = ()) -> None:
        self._figures = figures
        self._left: list[tuple[Sought, set[str]]] = []
        for sought in plan.sought:
            digests = {task.point.digest for task in pending([sought], retry=retry)}
            self._left += [(sought, digests)] if digests else []

    def ended(self, digest: str) -> list[Path]:
        """The pages that are written now that a point has ended; what cannot be written is left to the end."""
        written: list[Path] = []
        for sought, digests in [entry for entry in self._left if digest in entry[1]]:
            digests.discard(digest)
            if digests:
                continue
            self._left.remove((sought, digests))
            if self._left:
                written += _page(sought, self._figures)
        return written


def write_pages(
    output: Path,
    results: Sequence[StudyResults],
    unasked: Sequence[StudyResults] | None = None,
    *,
    figures: Sequence[str] = (),
) -> list[Path]:
    """`pages.write`, when no other process writes pages of this folder."""
    with lock.held(pages.folder(output), wait_s=lock.WAIT_S):
        return pages.write(output, results, unasked, figures=figures)


def _page(sought: Sought, figures: Sequence[str]) -> list[Path]:
    try:
        results = states.results_of(sought.study, sought.conditions, sought.output)
        return write_pages(sought.output, [results], figures=figures)
    except (Error, OSError) as error:
        note(f"{sought.study.name}: its page is written at the end: {error}")
        return []
