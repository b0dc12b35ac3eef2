"""Measurements on the edges of a capture, with the time base that they rest on, and the table of their delays."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

from gpiorig.analysis.delays.instruments import Instruments
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.rig.measure import edges
from gpiorig.rig.measure.edge_specs import Spec
from gpiorig.rig.measure.measurement import Measurement, MeasurementNumbers
from gpiorig.rig.plain_json import Result
from gpiorig.rig.progress import watched
from gpiorig.rig.recordings import time_base
from gpiorig.rig.recordings.time_base import TimeBase, TimeBaseNumbers

if TYPE_CHECKING:
    import pyarrow as pa


class NodeMeasurements(Result, frozen=True, kw_only=True):
    """A measurement on the lines of each node."""

    samplerate_hz: float
    virtual: bool | None
    state: str | None
    remarks: tuple[str, ...]
    time_base: TimeBaseNumbers
    nodes: dict[str, MeasurementNumbers]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What was measured on a capture.

    Attributes
    ----------
    measurements
        By node; the only one that is not of a node is that of "".
    samplerate_hz
        Of the capture.
    base
        What its times rest on.
    """

    measurements: Mapping[str, Measurement]
    samplerate_hz: Fraction
    base: TimeBase

    @property
    def count(self) -> int:
        """Number of the delays."""
        return sum(measurement.summary.n for measurement in self.measurements.values())

    def numbers(self, **head: Any) -> MeasurementNumbers | NodeMeasurements:
        """For `--json`; `head` has the fields before `time_base`."""
        of_nodes = {name: measurement.numbers() for name, measurement in self.measurements.items()}
        head |= {"time_base": self.base.numbers()}
        return structs.replace(of_nodes[""], **head) if "" in of_nodes else NodeMeasurements(**head, nodes=of_nodes)

    def table(self, part: slice) -> pa.Table:
        """Rows of `-o`: a delay each."""
        import pyarrow as pa

        from gpiorig.analysis import columns

        period_ns = float(1_000_000_000 / self.samplerate_hz)
        measurements = self.measurements.values()
        names = pa.array([name or measurement.pairs.name for name, measurement in self.measurements.items()])
        starts = np.concatenate([measurement.single.starts for measurement in measurements])
        delays = np.concatenate([measurement.single.delays for measurement in measurements])
        ends = np.cumsum([measurement.summary.n for measurement in measurements])
        delay_ns = np.multiply(delays[part], period_ns, dtype=np.float64)
        rows = np.searchsorted(ends, np.arange(*part.indices(len(delays))), side="right")
        uncertainty_ns = np.empty(len(rows))
        for number, measurement in enumerate(measurements):
            uncertainty_ns[rows == number] = measurement.uncertainty.expanded_of(delay_ns[rows == number])
        content = {
            "measured": names.take(pa.array(rows)),
            "start_sample": starts[part],
            "delay_samples": delays[part],
            "delay_ns": delay_ns,
            "uncertainty_ns": uncertainty_ns,
        }
        return columns.table(content, self.samplerate_hz)


def measure(
    waveform: Waveform,
    instruments: Instruments | None,
    spec: Spec,
    *,
    per_node: bool = False,
    longest_s: Fraction | None = None,
    nominal_s: Fraction | None = None,
    clock_ppm: float | None = None,
    clock_source: str = "",
    counted: bool = False,
) -> Measured:
    """Measure on a capture, which is read once.

    Parameters
    ----------
    waveform
        The capture.
    instruments
        What it was made with; None: what the capture tells of it.
    spec
        What to measure.
    per_node
        On the lines of each node that has those of `spec`.
    longest_s, nominal_s
        As of `edges.run`.
    clock_ppm, clock_source
        Limit of the analyzer's clock in place of the one that is known, and who states it.
    counted
        The single delays are not needed: those of other measurements than a skew are counted as they are read, in
        memory that does not grow with their number.
    """
    waveform, base_of = time_base.watch(waveform, analyzer=instruments.reference if instruments else None)
    named = {node: spec.on(node) for node in edges.nodes(spec, waveform.channels)} if per_node else {"": spec}
    specs, followed = list(named.values()), watched(waveform, "reading")
    loaded: Sequence[edges.Loaded | edges.Counted]
    if counted and nominal_s is None and spec.way not in edges.SKEWS:
        loaded = edges.count(followed, specs, longest_s=longest_s)
    else:
        loaded = [edges.load(followed, specs)] * len(specs)
    base = base_of()
    if clock_ppm is not None:
        base = base.with_clock(clock_ppm, source=clock_source)
    used = dataclasses.replace(instruments or Instruments(base.analyzer), reference=base.analyzer)
    measurements = {
        name: edges.run(content, of_node, used, longest_s=longest_s, nominal_s=nominal_s)
        for content, (name, of_node) in zip(loaded, named.items(), strict=True)
    }
    return Measured(measurements, waveform.samplerate_hz, base)
