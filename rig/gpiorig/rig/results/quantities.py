"""The quantities of a recording: those that its experiment or the command line asks for, and their values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from msgspec import UNSET, UnsetType

from gpiorig.analysis.audit.inputs import NodeRecord
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.quantities import delay_stability, values
from gpiorig.analysis.quantities.names import parse_all
from gpiorig.analysis.quantities.series import Recorded, Series
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.experiments import image_memory, limits
from gpiorig.rig.plain_json import Number, Result
from gpiorig.rig.recordings.opened import Opened
from gpiorig.rig.results import audit_inputs, powered
from gpiorig.rig.results.supplies import supply

if TYPE_CHECKING:  # numbers do not depend on pages (rig.code_version)
    from gpiorig.analysis.report import ReportData

Records = Callable[[], list[NodeRecord] | None]
TABLES = (limits.QUANTITIES, delay_stability.TABLE)
STATISTICS = ("min", "median", "mean", "p99", "max")


class QuantityNumbers(Result, frozen=True, kw_only=True):
    """A quantity at a node in its unit: `value` where it has one, otherwise statistics.

    `lacking`: packets without; `uncertainty`: by which its values may be off (k = 2), of energies and powers.
    """

    quantity: str
    node: str
    unit: str
    n: int
    lacking: int
    uncertainty: Number | UnsetType = UNSET
    min: Number | UnsetType = UNSET
    median: Number | UnsetType = UNSET
    mean: Number | UnsetType = UNSET
    p99: Number | UnsetType = UNSET
    max: Number | UnsetType = UNSET
    value: Number | UnsetType = UNSET


def checked(recording: Recording, texts: Iterable[str] = ()) -> tuple[str, ...]:
    """The names of the experiment, then those of the command line, without repetitions.

    Raises
    ------
    QuantityError
        A name cannot be understood. It is raised before the recording is analysed.
    """
    names = tuple(dict.fromkeys([*limits.recorded(recording, limits.QUANTITIES), *texts]))
    parse_all(names)
    return names


def recorded(opened: Opened, analysis: Analysis, records: Records | None = None) -> Recorded:
    """What quantities are computed from; `records` reads the lines at the host, which few quantities need."""
    records = records or partial(audit_inputs.node_records, opened, analysis.logs)
    supplies = {node: drawn for node, board in opened.boards.items() if (drawn := supply(board)) is not None}
    info = opened.recording.info
    files = {node: Path(image.file) for node, image in info.origin.images.items()} if info.origin else {}
    images = image_memory.of_images(files, info.firmware)
    traces = powered.traces(opened)
    return Recorded(analysis, info.parameters, opened.header_ns, records, supplies, traces, images)


def with_quantities(data: ReportData, names: Iterable[str], source: Recorded) -> ReportData:
    """The report with these quantities; those that the recording does not show are among its notes."""
    series, lacking = computed(names, source)
    notes = (*data.notes, *(f"No {problem}" for problem in lacking))
    return dataclasses.replace(data, quantities=values.once(series), notes=notes)


def computed(names: Iterable[str], source: Recorded) -> tuple[list[Series], list[str]]:
    """The quantities that a recording shows, and of the others what it lacks."""
    series: list[Series] = []
    lacking = []
    for quantity in parse_all(names):
        try:
            series += values.series(quantity, source)
        except QuantityError as error:
            lacking.append(str(error))
    return series, lacking


def tables(data: ReportData) -> dict[str, pa.Table]:
    """The tables of the quantities of a report by their names, `TABLES`; empty if there are none."""
    return {name: _table(name, data.quantities, data.analysis) for name in TABLES} if data.quantities else {}


def table(opened: Opened, analysis: Analysis, name: str) -> pa.Table:
    """One of `TABLES`, of what the experiment asks for; if it asks for nothing, of `values.DEFAULT`."""
    source, names = recorded(opened, analysis), checked(opened.recording)
    return _table(name, values.all_series(names, source) if names else values.default_series(source), analysis)


def _table(name: str, series: Sequence[Series], analysis: Analysis) -> pa.Table:
    if name == limits.QUANTITIES:
        return values.table(series, analysis)
    return delay_stability.table(delay_stability.of_series(series, analysis.events.samplerate_hz))


def numbers(series: Sequence[Series]) -> tuple[QuantityNumbers, ...] | UnsetType:
    """Quantities for `--json`: statistics in the unit of each; omitted where there are none."""
    return tuple(map(_numbers, series)) or UNSET


def _numbers(series: Series) -> QuantityNumbers:
    kind = series.quantity.kind
    statistics = {"value": ""} if kind.single else {name: name for name in STATISTICS}
    return QuantityNumbers(
        quantity=series.quantity.name,
        node=series.node,
        unit=kind.unit.value,
        n=len(series.values),
        lacking=series.lacking,
        uncertainty=series.doubt or UNSET,
        **{key: series.interval(statistic).value for key, statistic in statistics.items()},
    )
