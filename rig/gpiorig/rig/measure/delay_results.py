"""What is asked of delays in addition to their statistics: a line, a nominal value, ids that are missing."""

from __future__ import annotations

import argparse
import dataclasses
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.delays.instruments import CLOCK_PPM
from gpiorig.analysis.measure import line_fit, log_lines, nominal, timestamps
from gpiorig.analysis.measure.log_lines import Delays, IdCounts
from gpiorig.analysis.number_text import NS_PER_S, count_text, resolved_text
from gpiorig.analysis.statistics.summary import summarize
from gpiorig.rig.measure import comparisons
from gpiorig.rig.measure.comparisons import DeviationNumbers, FitNumbers

if TYPE_CHECKING:
    import pyarrow as pa

Places = NDArray[np.intp]
STATISTICS = ("min", "p5", "median", "mean", "p95", "p99", "max")  # in text


@dataclass(frozen=True, slots=True)
class DelayResults:
    """Delays with what is asked of them.

    Attributes
    ----------
    delays
        The delays.
    step_ns
        Of the timestamps at their ends; 0: not known.
    nominal_ns
        What their mean is compared with; NaN: nothing.
    ids
        Counts of the ids, by node.
    """

    delays: Delays
    step_ns: float
    nominal_ns: float
    ids: dict[str, IdCounts]

    @classmethod
    def of(
        cls, options: argparse.Namespace, delays: Delays, *, step_ns: float, ids: dict[str, list[int]]
    ) -> DelayResults:
        """With what the command line asks; `ids` are those of all lines, by node."""
        counted = {node: log_lines.counts(numbers, known=options.ids) for node, numbers in ids.items()}
        nominal_ns = math.nan if options.nominal is None else float(options.nominal * NS_PER_S)
        return cls(delays, step_ns, nominal_ns, {node: counts for node, counts in counted.items() if counts})

    def of_all(self) -> dict[str, Any]:
        """Fields of `LatencyNumbers`, of all nodes together, one after the other."""
        places = [np.empty(0, dtype=np.intp), *self.delays.places().values()]
        return self._compared(np.concatenate(places)) | self._missing(list(self.ids.values()))

    def of_node(self, node: str, places: Places) -> dict[str, Any]:
        """The same of a node, whose delays are at these places."""
        return self._compared(places) | self._missing([self.ids[node]] if node in self.ids else [])

    def table(self, part: slice) -> pa.Table:
        """Rows of `-o`: a delay each, with what is known of it."""
        import pyarrow as pa

        from gpiorig.analysis import columns

        delays = self.delays
        content: dict[str, Any] = {"node": delays.nodes[part], "id": delays.ids[part]}
        if len(delays.starts_ns):
            content["start_ns"] = delays.starts_ns[part]
        content["delay_ns"] = delays.delays_ns[part]
        step_ns = self.step_ns
        uncertainties = [
            timestamps.expanded_ns(step_ns, ns) if step_ns else None for ns in content["delay_ns"].tolist()
        ]
        content["uncertainty_ns"] = pa.array(uncertainties, pa.float64())
        if delays.has_against():
            content["against"] = pa.array(delays.against[part], from_pandas=True)
        return columns.table(content)

    def _compared(self, places: Places) -> dict[str, Any]:
        delays_ns = self.delays.delays_ns[places]
        compared: dict[str, Any] = {}
        if self.delays.has_against():
            line = line_fit.fit(self.delays.against[places], delays_ns, step_ns=self.step_ns)
            compared["fit"] = line and FitNumbers.of(line)
        if not math.isnan(self.nominal_ns):
            deviation = nominal.deviation(
                self.delays.starts_ns[places] if len(self.delays.starts_ns) else None,
                delays_ns,
                unit_ns=1.0,
                nominal_ns=self.nominal_ns,
                ends_ns=timestamps.expanded_ns(self.step_ns, 0.0),
                clock_ppm=CLOCK_PPM,
            )
            compared["deviation"] = deviation and DeviationNumbers.of(deviation)
        return compared

    def _missing(self, counted: list[IdCounts]) -> dict[str, Any]:
        if not self.ids:
            return {"missing_ids": 0}
        return {
            "missing_ids": sum(counts.missing for counts in counted),
            "missing_before": sum(counts.before for counts in counted),
            "missing_after": sum(counts.after for counts in counted),
            "repeated_ids": sum(counts.repeated for counts in counted),
            "least_id": min((counts.least for counts in counted), default=None),
            "largest_id": max((counts.largest for counts in counted), default=None),
        }


def summary(delays_ns: NDArray[np.int64], step_ns: float) -> dict[str, Any]:
    """Statistics; the uncertainty is that of the timestamps' step and clock, which does not cover how late they are."""
    values = dataclasses.asdict(summarize(delays_ns, samplerate_hz=Fraction(NS_PER_S)))
    del values["lost"]
    longest_ns = float(np.abs(delays_ns).max(initial=0))
    return values | {"stamp_uncertainty_ns": timestamps.expanded_ns(step_ns, longest_ns) if step_ns else None}


def summary_text(part: dict[str, Any]) -> str:
    """The statistics as text, from the JSON."""
    expanded_ns = part["stamp_uncertainty_ns"] or math.nan
    return ", ".join(f"{name} {resolved_text(part[f'{name}_ns'], expanded_ns)}" for name in STATISTICS)


def remarks(part: dict[str, Any], *, clock: str) -> list[str]:
    """The same as lines of text, from the JSON."""
    lines = [comparisons.fit_text(part["fit"])] if "fit" in part else []
    lines += [comparisons.deviation_text(part["deviation"], clock=clock)] if "deviation" in part else []
    if part["missing_ids"]:
        ends = f"of those from {part['least_id']} to {part['largest_id']}"
        outside = part["missing_before"] + part["missing_after"]
        if outside:
            before, after = part["missing_before"], part["missing_after"]
            ends = f"{before} before {part['least_id']}, {after} after {part['largest_id']}, "
            ends += f"{part['missing_ids'] - outside} between"
        lines.append(f"{count_text(part['missing_ids'], 'id')} missing: {ends}")
    if part.get("repeated_ids"):
        lines.append(f"{count_text(part['repeated_ids'], 'line')} with the id of an earlier one")
    return [f"  {line}" for line in lines]
