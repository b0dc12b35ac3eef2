"""The results of a study's points, from which statistics, figures and pages are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import pyarrow as pa

from gpiorig.capture.edges.waveform import of_parts
from gpiorig.studies.pages.description import Original, Published, Show, Value

State = Literal["done", "missing", "stale", "broken", "failed", "refused"]


@dataclass(frozen=True, slots=True, eq=False)
class PointResult:
    """One point: a combination of axis values, recorded once.

    Parameters
    ----------
    digest
        Hexadecimal digits of the hash that names its folder.
    coordinates
        Value of each axis, by the axis' name.
    repeat
        Number of the repeat, from 0.
    state, reason
        Its state; `reason` states why it is not `done`, or which checks failed. `refused`: the bench or images given
        cannot run it.
    table
        Its quantities (`analysis.quantities.values.table`): a row per value; None unless `done` or `failed`.
    virtual
        Whether it was recorded on a virtual bench; None: that is not known.
    recording
        Path of its recording from the output folder; empty if there is none.
    """

    digest: str
    coordinates: Mapping[str, Value]
    repeat: int
    state: State
    reason: str = ""
    table: pa.Table | None = None
    virtual: bool | None = True
    recording: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class StudyResults:
    """A study with the results of its points.

    Parameters
    ----------
    name
        Name of its file without the suffix, such as ``000-interference``.
    document, figure, title, conclusion
        As in the study file.
    axes
        Values of each axis in the order of the file, by name.
    quantities
        Complete name of each quantity, by its alias.
    original, shows, published
        As in the study file.
    points
        All points; repeats of one combination lie next to each other.
    settings
        Sentences about bench and experiment for the caption: boards, packets, system.
    experiment
        Names and values: what the points were recorded with.
    quick
        True if the points were cut down by ``--quick``.
    subject
        As in the study file: values of axes at which the document's own system is; empty: at all.
    partly
        What of the document's figure the study does not make; empty if it makes all.
    record
        Whether its points are recorded; otherwise their values are of images.
    """

    name: str
    document: str
    figure: str
    title: str
    axes: Mapping[str, Sequence[Value]]
    quantities: Mapping[str, str]
    shows: Sequence[Show]
    published: Sequence[Published]
    points: Sequence[PointResult]
    conclusion: str = ""
    settings: Sequence[str] = ()
    experiment: Sequence[tuple[str, str]] = ()
    quick: bool = False
    subject: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    partly: str = ""
    record: bool = True
    original: Original = field(default_factory=Original)

    @property
    def place(self) -> str:
        """Where its figure is, such as ``seeds/000, figure 9``; empty for a study of its own."""
        return ", ".join(part for part in (self.document, self.figure) if part)

    @property
    def virtual(self) -> bool | None:
        """Whether its values are from virtual boards; None: that is not known of all, or there are none."""
        return of_parts(point.virtual for point in self.points if point.table is not None)
