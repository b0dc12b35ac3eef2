"""gpiorig from Python: a recording's tables and figures, comparisons, new recordings.

Everything here is what the command line computes and prints (docs/guide/python.md).
"""

from __future__ import annotations

import datetime
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
from matplotlib.figure import Figure

from gpiorig.analysis import columns
from gpiorig.analysis.compare import comparison
from gpiorig.analysis.errors import TableError
from gpiorig.analysis.report import blocks, page
from gpiorig.analysis.report.blocks import Picture
from gpiorig.analysis.tables import registry
from gpiorig.analysis.tables.stages import ALL
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import names
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import RigError
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.experiments import images
from gpiorig.rig.plain_json import plain
from gpiorig.rig.recordings import described, standing
from gpiorig.rig.results import compare as comparing
from gpiorig.rig.results import quantities as quantity_tables
from gpiorig.rig.results import report as reporting
from gpiorig.rig.results.compare import Compared
from gpiorig.rig.results.report import Reported
from gpiorig.rig.run import record as recorder
from gpiorig.rig.verify.certificate import objection

StrPath = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)  # no slots: the parts of a report are cached
class Run:
    """A recording, analysed and evaluated once, when it is opened.

    Attributes
    ----------
    reported
        What `gpiorig report` writes and prints.
    """

    reported: Reported

    @property
    def folder(self) -> Path:
        """The folder of the recording."""
        return self.reported.recording.folder

    @property
    def virtual(self) -> bool | None:
        """Whether it is from a virtual bench: then no number is a measurement of hardware; None: that is not known."""
        return self.reported.recording.info.virtual

    @property
    def state(self) -> str:
        """Whether its recording is `complete`, `incomplete` or `interrupted`."""
        return self.reported.recording.state

    @property
    def remarks(self) -> tuple[str, ...]:
        """Why its recording is in that state, what was lost, within which bound, and whose boards, a sentence each."""
        return tuple(standing.of(self.reported.recording).as_json()["remarks"])

    @property
    def sentences(self) -> tuple[str, ...]:
        """The conclusion, as `gpiorig report` prints it."""
        return self.reported.sentences

    @property
    def failed_checks(self) -> tuple[str, ...]:
        """What is wrong with the recording, a sentence each; `gpiorig report` then ends with status 1."""
        return self.reported.data.notes

    @property
    def numbers(self) -> dict[str, Any]:
        """The object that `gpiorig report --json` prints."""
        numbers: dict[str, Any] = plain(self.reported.numbers)
        return numbers

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that the recording has."""
        return (*(name for name, parts in self._stages.items() if parts is not None), *self._evaluation_tables)

    def table(self, name: str) -> pa.Table:
        """One of `tables`, with the same content as its Parquet file.

        Raises
        ------
        TableError
            The recording has no table of this name.
        """
        if (parts := self._stages.get(name)) is not None:
            return columns.plain(parts[1](ALL))
        if name in self._evaluation_tables:
            return self._evaluation_tables[name]
        raise TableError(f"{self.folder}: no table {name!r}; available tables: {', '.join(self.tables)}.")

    @property
    def packets(self) -> pa.Table:
        """A row for each packet."""
        return self.table("packets")

    @property
    def steps(self) -> pa.Table:
        """A row for each step of each packet."""
        return self.table("steps")

    @property
    def events(self) -> pa.Table:
        """A row for each event on the pins."""
        return self.table("events")

    @property
    def clocks(self) -> pa.Table:
        """A row for each clock that the audit fitted."""
        return self.table("clocks")

    @property
    def findings(self) -> pa.Table:
        """A row for each cause that attribution found."""
        return self.table("findings")

    @property
    def figures(self) -> dict[str, str]:
        """Names of the report's figures, with the title of each."""
        return {name: picture.title for name, picture in self._pictures.items()}

    def figure(self, name: str) -> Figure:
        """One of `figures`.

        Raises
        ------
        RigError
            The report has no figure of this name.
        """
        if name not in self._pictures:
            raise RigError(f"{self.folder}: no figure {name!r}; available figures: {', '.join(self._pictures)}.")
        return self._pictures[name].drawn()

    def write(self, folder: StrPath | None = None) -> Path:
        """Write tables and page as `gpiorig report` does, into the recording unless a folder is given."""
        return self.reported.write(None if folder is None else Path(folder))

    @cached_property
    def _stages(self) -> Mapping[str, registry.Parts | None]:
        return registry.stage_tables(self.reported.data.analysis, self.reported.data.evaluation)

    @cached_property
    def _evaluation_tables(self) -> Mapping[str, pa.Table]:
        data = self.reported.data
        return registry.evaluation_tables(data.evaluation) | quantity_tables.tables(data)

    @cached_property
    def _pictures(self) -> dict[str, Picture]:
        return {picture.name: picture for picture in blocks.pictures(page.run_sections(self.reported.data))}


def open(
    folder: StrPath,
    *,
    bench: StrPath | None = None,
    initiator: str | None = None,
    responder: str | None = None,
    quantities: Sequence[str] = (),
    asserted: Sequence[str] = (),
) -> Run:
    """Open a recording, and analyse and evaluate it; nothing is written.

    Parameters
    ----------
    folder
        The recording.
    bench
        Bench file of a recording without one.
    initiator, responder
        The two nodes of its round trips, where no experiment names them.
    quantities, asserted
        Quantities and limits in addition to those of the experiment; the former are the table `quantities`.
    """
    bench_file = None if bench is None else names.bench(Path(bench))
    recording = described.with_bench(Recording.open(Path(folder)), bench_file, initiator=initiator, responder=responder)
    return Run(reporting.of(recording, asked=quantities, asserted=asserted))


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed from one run to another.

    Attributes
    ----------
    compared
        What `gpiorig compare` prints and judges.
    """

    compared: Compared

    @property
    def sentences(self) -> tuple[str, ...]:
        """As `gpiorig compare` prints them."""
        return self.compared.sentences

    @property
    def changed(self) -> tuple[str, ...]:
        """Names of the delays that changed."""
        return tuple(change.name for change in self.compared.comparison.changed)

    @property
    def table(self) -> pa.Table:
        """A row for each delay, as `gpiorig compare -o FILE` writes it."""
        return comparison.as_table(self.compared.comparison)


def compare(base: StrPath, new: StrPath, *, quantities: Sequence[str] = (), fresh: bool = False) -> Difference:
    """Compare two recordings.

    Parameters
    ----------
    base, new
        The recordings.
    quantities
        Quantities that are compared, too.
    fresh
        Analyse the recordings, whatever tables they have.
    """
    recordings = Recording.open(Path(base)), Recording.open(Path(new))
    return Difference(comparing.compare(*recordings, quantities, fresh=fresh))


def record(bench: StrPath, experiment: StrPath, output: StrPath, *, packets: int | None = None) -> Path:
    """Run an experiment on a bench, as `gpiorig run --no-report` does; returns the folder of the recording.

    Parameters
    ----------
    bench, experiment
        Files, or names of what comes with gpiorig.
    output
        The recording's folder, which must not exist.
    packets
        In place of the experiment's number.
    """
    bench_file = names.bench(Path(bench))
    known = benches.load(bench_file)
    chosen = experiments.load(names.experiment(Path(experiment)), known, packets=packets)
    firmware = images.images(known, chosen, bench_file=bench_file)
    if known.virtual is None and (why := objection(bench_file, now=datetime.datetime.now(datetime.UTC))):
        warnings.warn(f"without a valid certificate: {why}", stacklevel=2)
    recording = recorder.record(known, chosen, bench_file=bench_file, output=Path(output), firmware=firmware)
    if recording.state != "complete":
        warnings.warn(f"{recording.folder} is {recording.state}: {recording.reason}", stacklevel=2)
    return recording.folder
