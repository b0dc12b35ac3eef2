"""`gpiorig latency`: how long requests took, by the lines of a log."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType

from gpiorig.analysis.measure import timestamps
from gpiorig.analysis.measure.timestamps import TimestampNumbers
from gpiorig.analysis.number_text import count_text, time_text
from gpiorig.analysis.statistics.summary import TIMES
from gpiorig.capture.edges import time_step
from gpiorig.capture.edges.waveform import of_parts
from gpiorig.capture.recording.recording import DESCRIPTION, Recording
from gpiorig.rig import plain_json
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import delay_files, delay_results, frame_delays, log_pairs, log_values
from gpiorig.rig.measure.comparisons import DeviationNumbers, FitNumbers
from gpiorig.rig.measure.delay_results import DelayResults, summary, summary_text
from gpiorig.rig.measure.frame_delays import FrameLatency
from gpiorig.rig.measure.log_pairs import Paired
from gpiorig.rig.plain_json import Number, Result
from gpiorig.rig.recordings import standing

MAX_NODES = 10  # in text, and in a figure
CLOCK = "the clock of the timestamps"
OF_LINES = {"rows": "--rows", "id_offset": "--id-offset", "ids": "--ids", "nominal": "--nominal"}


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


RESULTS = {"latency": (LatencyNumbers, FrameLatency)}


def run(options: argparse.Namespace) -> int:
    """Read, pair, print."""
    if options.value is not None:
        return _values(options)
    if captures := frame_delays.captures(options):
        for name, option in OF_LINES.items():
            if getattr(options, name) is not None:
                raise RigError(f"{option}: {options.logs[0]} is a packet capture; the option is for lines of logs.")
        return frame_delays.run(options, captures)
    if not (options.request and options.response):
        raise RigError(
            "give --request and --response, or --value for delays that lines hold; only packet captures need neither."
        )
    return _pairs(options)


def _pairs(options: argparse.Namespace) -> int:
    """Delays between lines."""
    paired = log_pairs.read(options)
    pairs = paired.latencies
    instants = np.concatenate([pairs.starts_ns, pairs.starts_ns + pairs.delays_ns])
    step = time_step.timestamp_step(instants, format_ns=paired.resolution_ns)
    ids = {node: [int(text) for text in texts if text.isdecimal()] for node, texts in paired.requests.items()}
    results = DelayResults.of(options, pairs, step_ns=step.step_ns, ids=ids)
    numbers = _numbers(paired, results) | {"timestamps": timestamps.numbers(step)}
    return _finish(options, results, paired.source, numbers, _text)


def _values(options: argparse.Namespace) -> int:
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
    return _finish(options, results, "; ".join(map(str, options.logs)), numbers, _values_text)


def _finish(
    options: argparse.Namespace,
    results: DelayResults,
    source: str,
    numbers: dict[str, Any],
    text: Callable[[dict[str, Any]], str],
) -> int:
    """Write the files, print the result."""
    head = {"source": source, **_head(options.logs, as_json=options.json)}
    delays = results.delays
    if options.output:
        delay_files.write(options.output, results.table, len(delays.nodes))
    if options.figure:
        nodes = delays.by_node()
        drawn = {name or "log": values for name, values in nodes.items()} if len(nodes) <= MAX_NODES else {}
        delay_files.draw(options.figure, drawn or {"all": delays.delays_ns}, us=1e-3, virtual=bool(head["virtual"]))
    result = LatencyNumbers(**head, **numbers)
    print(plain_json.text(result) if options.json else text(plain_json.plain(result)))
    return 0


def _values_text(result: dict[str, Any]) -> str:
    def lines_of(name: str, part: dict[str, Any]) -> list[str]:
        return [
            f"{name}: {count_text(part['n'], 'delay')}, {summary_text(part)}",
            *delay_results.remarks(part, clock=CLOCK),
        ]

    lines = _by_node(result, lines_of)
    if result["unusable_lines"]:
        lines.append(
            f"{count_text(result['unusable_lines'], 'match', 'matches')} omitted: no number, or too large a one"
        )
    return "\n".join(lines + _omitted(result))


def _by_node(result: dict[str, Any], lines_of: Callable[[str, dict[str, Any]], list[str]]) -> list[str]:
    """The lines of all nodes together, where there are several, and of the first nodes."""
    nodes = list(result["nodes"].items())
    lines = lines_of("all", result) if len(nodes) != 1 else []
    for name, part in nodes[:MAX_NODES]:
        lines += lines_of(name or "log", part)
    return lines + [f"and {len(nodes) - MAX_NODES} more nodes; --json prints all"] * (len(nodes) > MAX_NODES)


def _omitted(result: dict[str, Any]) -> list[str]:
    rows = result["omitted_rows"]
    return [f"{count_text(rows, 'line')} omitted by --rows: not the first or the last of the id"] * bool(rows)


def _head(logs: list[Path], *, as_json: bool) -> dict[str, Any]:
    """Whether they are of a virtual bench, their state and remarks, which are printed."""
    kinds = [Recording.open(log).info.virtual if (log / DESCRIPTION).exists() else None for log in logs]
    return {"virtual": of_parts(kinds), **standing.all_announced(logs, as_json=as_json)}


def _numbers(paired: Paired, results: DelayResults) -> dict[str, Any]:
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


def _text(result: dict[str, Any]) -> str:
    def lines_of(name: str, part: dict[str, Any]) -> list[str]:
        counts = (count_text(part["unpaired_request"], "request"), count_text(part["unpaired_response"], "response"))
        left = f"{' and '.join(counts)} unpaired"
        pairs = f"{count_text(part['n'], 'pair')}, {summary_text(part)}" if part["n"] else "no pair"
        return [f"{name}: {pairs}; {left}", *delay_results.remarks(part, clock=CLOCK)]

    lines = _by_node(result, lines_of)
    if not result["has_ids"]:
        lines.append("without a group `id` each response belongs to the latest request of its node before it")
    ids = result["unpaired_ids"]
    if not result["n"] and ids["request"] is not None and ids["response"] is not None:
        lines.append(
            f"no id of a request is that of a later response: {ids['request']!r} of a request, {ids['response']!r} of "
            "a response; the group `id` must be the same text on both sides, by node unless --across-nodes is given"
        )
    if result["stamp_uncertainty_ns"] and result["n"]:
        step = time_text(result["stamp_uncertainty_ns"])
        lines.append(f"each ± {step} (k = 2) by step and clock of the timestamps; how late they are is not in it")
    lines.append(TimestampNumbers(**result["timestamps"]).text)
    if result["too_long"]:
        lines.append(f"{count_text(result['too_long'], 'pair')} longer than --max-gap: unpaired")
    if result["unusable_lines"]:
        lines.append(
            f"{count_text(result['unusable_lines'], 'line')} omitted: no id or no time where a pattern matched"
        )
    if result["backsteps"]:
        earlier = count_text(result["backsteps"], "line is", "lines are")
        lines.append(f"{earlier} stamped earlier than the line before; --sort pairs in the order of the timestamps")
    return "\n".join(lines + _omitted(result))
