"""What was recorded, with the analysis of its packets: tables, quantities, figures, the conclusion."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from gpiorig.analysis import columns
from gpiorig.analysis.compare import delays
from gpiorig.analysis.compare.assertions import Verdict
from gpiorig.analysis.errors import TableError
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.quantities import values
from gpiorig.analysis.quantities.names import parse_all
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.analysis.tables import registry
from gpiorig.analysis.tables.stages import ALL
from gpiorig.api import quantity
from gpiorig.api.log_source import LogSource
from gpiorig.api.quantity import Quantity
from gpiorig.api.source import Source
from gpiorig.api.tabular import rows_html, timed
from gpiorig.capture.recording.recording import Recording as Described
from gpiorig.rig.errors import RigError
from gpiorig.rig.experiments import limits
from gpiorig.rig.plain_json import plain
from gpiorig.rig.recordings.opened import Opened
from gpiorig.rig.results import quantities as quantity_values
from gpiorig.rig.results.analyse import analyse

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from gpiorig.analysis.report.blocks import Picture
    from gpiorig.rig.results.report import Reported


class Recording(LogSource):
    """A recording folder, or a file of any format that gpiorig reads. Made by `gpiorig.open`.

    Nothing is read before it is asked for, and nothing is written but by `write`. What needs packets (`packets`,
    `steps`, `quantity`, `sentences`, `figure`, …) needs a recording whose bench is known; `edges`, `measure`, `decode`
    need channels; `lines`, `latency` and `clocks` need the lines of a log.
    """

    def __init__(self, source: Source, *, asked: Sequence[str] = (), asserted: Sequence[str] = ()) -> None:
        super().__init__(source._path, source._reading, source._described)
        limits.check(asserted)
        parse_all(asked)
        self._asked, self._asserted = tuple(asked), tuple(asserted)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The conclusion, as `gpiorig report` prints it."""
        return self._reported.sentences

    @property
    def failed_checks(self) -> tuple[str, ...]:
        """What is wrong with the recording, a sentence each; `gpiorig report` then ends with status 1."""
        return self._reported.data.notes

    @property
    def numbers(self) -> dict[str, Any]:
        """The object that `gpiorig report --json` prints."""
        numbers: dict[str, Any] = plain(self._reported.numbers)
        return numbers

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes of the bench."""
        return tuple(self._analysed[0].known_bench.nodes)

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that the recording has."""
        return (*(name for name, parts in self._stages.items() if parts is not None), *self._evaluation_tables)

    def table(self, name: str) -> pa.Table:
        """One of `tables`: the columns of its Parquet file, then its times in seconds and as dates.

        A column `NAME_ns` has `NAME_s` after them; an instant `NAME_sample` has `NAME_s`, the seconds since sample 0,
        and `NAME_time` in UTC, by the host's clock at the start (docs/reference/recording.md states how well).

        Raises
        ------
        Error
            The recording has no table of this name.
        """
        if (parts := self._stages.get(name)) is not None:
            content = columns.plain(parts[1](ALL))
        elif name in self._evaluation_tables:
            content = self._evaluation_tables[name]
        else:
            raise TableError(f"{self.path}: no table {name!r}; available tables: {', '.join(self.tables)}.")
        return timed(content, self._analysed[1].events.samplerate_hz, self._epoch)

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
    def findings(self) -> pa.Table:
        """A row for each cause that attribution found."""
        return self.table("findings")

    def quantities(self, *names: str) -> tuple[Quantity, ...]:
        """The values of quantities by their names (docs/guide/quantities.md), of each node that has some.

        Raises
        ------
        Error
            A name is not understood, or the recording does not show the quantity.
        """
        series = values.all_series(names, self._recorded)
        return tuple(quantity.of_series(values_of_node, self._analysed[1], self._epoch) for values_of_node in series)

    def quantity(self, name: str, *, node: str = "") -> Quantity:
        """The values of one quantity, such as `rtt`.

        Parameters
        ----------
        name
            Its name.
        node
            Where several nodes have it, the `node` of the one that is meant: `initiator`, `initiator > responder`.

        Raises
        ------
        Error
            As of `quantities`; or several nodes have it, and none is given.
        """
        series = self.quantities(name)
        chosen = [values_of_node for values_of_node in series if node in ("", values_of_node.node)]
        if len(chosen) != 1 or len({values_of_node.name for values_of_node in series}) > 1:
            nodes = ", ".join(f"{values_of_node.name} at {values_of_node.node}" for values_of_node in series) or "none"
            raise RigError(f"{self.path}: which {name!r}? There are {nodes}; give one of these names, and its node.")
        return chosen[0]

    def check(self, limit: str) -> Verdict:
        """The verdict on a limit, such as `rtt.p99 < 20 ms`, as `gpiorig report --assert` gives it.

        Raises
        ------
        Error
            The limit is not understood.
        """
        limits.check([limit])
        return limits.verdicts(self.described, delays.from_analysis(self._analysed[1]), [limit], self._recorded)[-1]

    @property
    def figures(self) -> dict[str, str]:
        """Names of the report's figures, with the title of each."""
        return {name: picture.title for name, picture in self._pictures.items()}

    def figure(self, name: str) -> Figure:
        """One of `figures`, new each time.

        Raises
        ------
        Error
            The report has no figure of this name.
        """
        return self._picture(name).drawn()

    def draw(self, name: str, ax: Axes) -> None:
        """Draw one of `figures` that has a single diagram on axes of yours.

        Raises
        ------
        Error
            The report has no figure of this name, or it has several diagrams.
        """
        diagram = self._picture(name).diagram
        if diagram is None:
            single = [key for key, picture in self._pictures.items() if picture.diagram is not None]
            raise RigError(
                f"{self.path}: figure {name!r} has several diagrams; use figure({name!r}), or draw one of "
                f"{', '.join(single)}."
            )
        diagram(ax)
        if self.virtual:
            from gpiorig.analysis.figures import style

            style.mark_virtual(ax)

    def write(self, folder: str | os.PathLike[str] | None = None) -> Path:
        """Write tables and page as `gpiorig report` does, into the recording unless a folder is given.

        Returns
        -------
        pathlib.Path
            The page.
        """
        return self._reported.write(None if folder is None else Path(folder))

    @property
    def described(self) -> Described:
        """The recording as the rest of gpiorig has it: not part of what is stable.

        Raises
        ------
        Error
            This is a file.
        """
        if self._described is None:
            raise RigError(
                f"{self.path}: is a file; what needs packets needs a recording with a bench: run `gpiorig import "
                f"{self.path} -o RUN` and open RUN with bench=."
            )
        return self._described

    @cached_property
    def _analysed(self) -> tuple[Opened, Analysis]:
        assert self.described is not None and self._opened is not None
        return self._opened, analyse(self._opened)

    @cached_property
    def _recorded(self) -> Recorded:
        return quantity_values.recorded(*self._analysed)

    @cached_property
    def _reported(self) -> Reported:
        from gpiorig.rig.results import report  # imports matplotlib

        return report.of(self.described, asked=self._asked, asserted=self._asserted, analysed=self._analysed)

    @cached_property
    def _stages(self) -> Mapping[str, registry.Parts | None]:
        return registry.stage_tables(self._reported.data.analysis, self._reported.data.evaluation)

    @cached_property
    def _evaluation_tables(self) -> Mapping[str, pa.Table]:
        data = self._reported.data
        return registry.evaluation_tables(data.evaluation) | quantity_values.tables(data)

    @cached_property
    def _pictures(self) -> dict[str, Picture]:
        from gpiorig.analysis.report import blocks, page

        return {picture.name: picture for picture in blocks.pictures(page.run_sections(self._reported.data))}

    def _picture(self, name: str) -> Picture:
        if name not in self._pictures:
            raise RigError(f"{self.path}: no figure {name!r}; available figures: {', '.join(self._pictures)}.")
        return self._pictures[name]

    @property
    def _epoch(self) -> str:
        return self.described.info.epoch.wall

    def __repr__(self) -> str:
        boards = ", virtual bench" if self.virtual else ""
        path = str(self.path)
        short = path if len(path) <= 80 else f"…{path[-79:]}"
        return f"<Recording {short}: {self.format}, {len(self.channels)} channels, {self.state or 'a file'}{boards}>"

    def _repr_html_(self) -> str:
        """Its state and content, for a notebook."""
        rows = {"path": str(self.path), "format": self.format, "state": self.state or "not known (a file)"}
        rows |= {"channels": ", ".join(self.channels), "remarks": " ".join(self.remarks)}
        filled = {name: text for name, text in rows.items() if text}
        return rows_html(pa.table({"recording": list(filled), "content": list(filled.values())}))
