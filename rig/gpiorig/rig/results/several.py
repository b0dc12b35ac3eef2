"""Several reports as the runs of one page."""

from __future__ import annotations

from collections.abc import Mapping

from gpiorig.analysis.compare.limits import threshold
from gpiorig.analysis.report import Run
from gpiorig.rig.results import compare, set_up
from gpiorig.rig.results.report import Reported


def runs(reports: Mapping[str, Reported]) -> list[Run]:
    """The runs by name, each with what it was made with, and by how much it may differ from the first."""
    reference = next(iter(reports.values())).recording
    return [
        Run(
            name,
            reported.data,
            set_up.of(reported.recording.info),
            set_up.digest(reported.recording.info),
            tuple(threshold(text) for text in compare.thresholds(reference, reported.recording)),
        )
        for name, reported in reports.items()
    ]
