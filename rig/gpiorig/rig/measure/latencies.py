"""How long requests took, by the lines of logs: delays between lines, or that lines hold, with their numbers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType

from gpiorig.analysis.measure import timestamps
from gpiorig.analysis.measure.timestamps import TimestampNumbers
from gpiorig.analysis.statistics.summary import TIMES
from gpiorig.capture.edges import time_step
from gpiorig.capture.edges.waveform import of_parts
from gpiorig.capture.recording.recording import DESCRIPTION, Recording
from gpiorig.rig.measure import log_pairs, log_values
from gpiorig.rig.measure.comparisons import DeviationNumbers, FitNumbers
from gpiorig.rig.measure.delay_results import DelayResults, summary
from gpiorig.rig.measure.log_pairs import Paired
from gpiorig.rig.plain_json import Number, Result
from gpiorig.rig.recordings import standing


class LatencyNumbers(Result, frozen=True, kw_only=True):
    """Delays of all nodes, or of one; `stamp_uncertainty_ns` is by the step and the clock of the timestamps.

    Without `source` to `remarks`, `nodes` and `timestamps` it is of a node. `lines` is of delays that lines hold; the
    fields of requests and responses are of pairs. `unpaired_ids` are examples. `fit` and `deviation` are there where
    they are asked for, null without enough delays.
    """

    source: str | UnsetType = UNSET
    virtual: bool | UnsetType | None = UNSET
    state: str | UnsetType | None = UNSET
    remarks: list[str] | UnsetType = UNSET
    n: int
    __annotations__.update(dict.fromkeys(TIMES, Number))
    stamp_uncertainty_ns: Number
    lines: int | UnsetType = UNSET
    unpaired_request: int | UnsetType = UNSET
    unpaired_response: int | UnsetType = UNSET
    too_long: int | UnsetType = UNSET
    unusable_lines: int | UnsetType = UNSET
    omitted_rows: int | UnsetType = UNSET
    backsteps: int | UnsetType = UNSET
    has_ids: bool | UnsetType = UNSET
    unpaired_ids: dict[str, str | None] | UnsetType = UNSET
    fit: FitNumbers | UnsetType | None = UNSET
    deviation: DeviationNumbers | UnsetType | None = UNSET
    missing_ids: int
    missing_before: int | UnsetType = UNSET
    missing_after: int | UnsetType = UNSET
    repeated_ids: int | UnsetType = UNSET
    least_id: int | UnsetType | None = UNSET
    largest_id: int | UnsetType | None = UNSET
    nodes: dict[str, LatencyNumbers] | UnsetType = UNSET
    timestamps: TimestampNumbers | UnsetType = UNSET


@dataclass(frozen=True, slots=True, eq=False)
class Latency:
    """Delays by lines.

    Attributes
    ----------
    results
        The delays, with what is asked of them.
    source
        What was read, as text.
    numbers
        Fields of `LatencyNumbers`, from `n` on.
    """

    results: DelayResults
    source: str
    numbers: dict[str, Any]

    def of_logs(self, logs: Sequence[Path], *, as_json: bool) -> LatencyNumbers:
        """For `--json`, with the states and remarks of the logs; these are printed unless it is `as_json`."""
        kinds = [Recording.open(log).info.virtual if (log / DESCRIPTION).exists() else None for log in logs]
        head = {"virtual": of_parts(kinds), **standing.all_announced(logs, as_json=as_json)}
        return LatencyNumbers(source=self.source, **head, **self.numbers)


def of_pairs(options: argparse.Namespace) -> Latency:
    """Delays between lines."""
    paired = log_pairs.read(options)
    pairs = paired.latencies
    instants = np.concatenate([pairs.starts_ns, pairs.starts_ns + pairs.delays_ns])
    step = time_step.timestamp_step(instants, format_ns=paired.resolution_ns)
    ids = {node: [int(text) for text in texts if text.isdecimal()] for node, texts in paired.requests.items()}
    results = DelayResults.of(options, pairs, step_ns=step.step_ns, ids=ids)
    return Latency(results, paired.source, _numbers(paired, results) | {"timestamps": timestamps.numbers(step)})


def of_values(options: argparse.Namespace) -> Latency:
    """Delays that the lines contain."""
    values = log_values.read(options)
    delays = values.delays
    results = DelayResults.of(options, delays, step_ns=0.0, ids=values.ids)
    numbers = summary(delays.delays_ns, 0.0) | {
        "lines": values.lines,
        "unusable_lines": values.unusable,
        "omitted_rows": values.omitted,
        **results.of_all(),
        "nodes": {
            node: LatencyNumbers(**summary(delays.delays_ns[places], 0.0), **results.of_node(node, places))
            for node, places in sorted(delays.places().items())
        },
    }
    return Latency(results, "; ".join(map(str, options.logs)), numbers)


def _numbers(paired: Paired, results: DelayResults) -> dict[str, Any]:
    """Fields of `LatencyNumbers` for pairs."""
    pairs, step_ns = paired.latencies, results.step_ns
    nodes = sorted({*pairs.unpaired_requests, *pairs.unpaired_responses})
    places, nowhere = pairs.places(), np.empty(0, dtype=np.intp)
    ids = [
        mark.id if mark is not None and paired.has_ids else None
        for mark in (pairs.unpaired_request, pairs.unpaired_response)
    ]
    return {
        **summary(pairs.delays_ns, step_ns),
        "unpaired_request": sum(pairs.unpaired_requests.values()),
        "unpaired_response": sum(pairs.unpaired_responses.values()),
        "too_long": pairs.too_long,
        "unusable_lines": len(paired.unusable),
        "omitted_rows": paired.omitted,
        "backsteps": pairs.backsteps,
        "has_ids": paired.has_ids,
        "unpaired_ids": dict(zip(("request", "response"), ids, strict=True)),
        **results.of_all(),
        "nodes": {
            node: LatencyNumbers(
                **summary(pairs.delays_ns[places.get(node, nowhere)], step_ns),
                unpaired_request=pairs.unpaired_requests.get(node, 0),
                unpaired_response=pairs.unpaired_responses.get(node, 0),
                **results.of_node(node, places.get(node, nowhere)),
            )
            for node in nodes
        },
    }
