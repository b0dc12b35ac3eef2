"""The data of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.evaluation.evaluation import Evaluation
from gpiorig.analysis.packets.timelines import Timelines
from gpiorig.analysis.quantities.series import Series


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts that belong together, for the health of a recording.

    Parameters
    ----------
    title
        What is counted.
    rows
        Name and count of each, also when it is zero.
    """

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class EnergyData:
    """Measured energies (`tables.energy`), and what is to be stated of the traces and of the nodes."""

    table: pa.Table
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ReportData:
    """The data of a report.

    Parameters
    ----------
    title
        Name of the experiment.
    virtual
        Whether the recording is from a virtual bench.
    analysis, evaluation
        The analysis of the recording and its evaluation.
    provenance
        Where the numbers come from, in the order to print: seed, samplerate, firmware, versions.
    notes
        Checks that failed, one sentence each.
    tallies
        Further counts for the health of the recording.
    quantities
        Values of the quantities that were asked for, those of one quantity together.
    doubts
        What firmware did that the virtual bench does not model, one sentence each: no failed checks.
    cut
        As of `Delays`.
    asked
        Whether it is known if the boards are virtual.
    energy
        Of the nodes with a power trace; None without any.
    made_with, made_on
        Boards, systems and images in a few words each, and the date.
    """

    title: str
    virtual: bool
    analysis: Analysis
    evaluation: Evaluation
    provenance: Mapping[str, str]
    notes: tuple[str, ...]
    tallies: tuple[Tally, ...]
    quantities: tuple[Series, ...] = ()
    doubts: tuple[str, ...] = ()
    cut: str = ""
    asked: bool = True
    energy: EnergyData | None = None
    made_with: tuple[str, ...] = ()
    made_on: str = ""

    @property
    def marked(self) -> bool | None:
        """Whether the recording is from a virtual bench; None: that is not known."""
        return self.virtual or (False if self.asked else None)

    @property
    def timelines(self) -> Timelines | None:
        """The milestones of all round trips; None for a recording of one-way packets."""
        return self.analysis.timelines
