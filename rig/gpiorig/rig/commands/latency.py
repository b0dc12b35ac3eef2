"""`gpiorig latency`: how long requests took, by the lines of a log."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from gpiorig.analysis.measure import log_lines as loglatency
from gpiorig.analysis.measure.log_lines import Latencies, Mark
from gpiorig.analysis.number_text import NS_PER_S, count_text, time_text
from gpiorig.analysis.statistics.summary import summarize
from gpiorig.capture.edges.waveform import of_parts
from gpiorig.capture.recording.recording import DESCRIPTION, Recording
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import frame_delays, log_times, log_values
from gpiorig.rig.measure import log_lines as loglines
from gpiorig.rig.measure.log_lines import Line
from gpiorig.rig.plain_json import without_nan
from gpiorig.rig.progress import iterate
from gpiorig.rig.recordings import standing

MAX_NODES = 10  # in text


def run(options: argparse.Namespace) -> int:
    """Read, pair, print."""
    if options.value is not None:
        return _values(options)
    if captures := frame_delays.captures(options):
        return frame_delays.run(options, captures, _summary)
    if not (options.request and options.response):
        raise RigError(
            "give --request and --response, or --value for delays that lines hold; only packet captures need neither."
        )
    words = {"--request": options.request, "--response": options.response}
    patterns = [loglines.compiled(text, option=option, groups=("id",)) for option, text in words.items()]
    own_time = [loglines.TIME in pattern.groupindex for pattern in patterns]
    if len(set(own_time)) > 1:
        raise RigError(f"only one of the patterns has the group `{loglines.TIME}`; give it to both, or to none.")
    longest_ns = None if options.max_gap is None else int(options.max_gap * 10**9)
    read = [loglines.read(log, options, own_time=own_time[0]) for log in options.logs]
    unusable: list[str] = []
    several = len(read) > 1
    marks: Iterable[Mark] = chain.from_iterable(
        _marks(lines, patterns, options, own_time=own_time[0], name=log.stem if several else "", unusable=unusable)
        for log, (lines, _, _) in zip(options.logs, read, strict=True)
    )
    if several or options.sort:
        marks = sorted(marks, key=attrgetter("timestamp_ns"))
    latencies = loglatency.pair(marks, longest_ns=longest_ns)
    if not (latencies.unpaired_requests or latencies.unpaired_responses):
        where = ", ".join(map(str, options.logs))
        if unusable:
            raise RigError(f"{where}: of no matching line `id` and `time` can be read, as of this: {unusable[0]!r}.")
        raise RigError(f"{where}: no line is a request or a response; try the patterns on one of its lines.")
    result = _numbers(latencies, max(resolution_ns for _, resolution_ns, _ in read), len(unusable))
    head = {"source": "; ".join(source for _, _, source in read), **_head(options.logs, as_json=options.json)}
    print(json.dumps({**head, **result}, allow_nan=False) if options.json else _text(result))
    return 0


def _values(options: argparse.Namespace) -> int:
    """Delays that the lines contain."""
    if options.request or options.response:
        raise RigError("--value finds complete delays; omit --request and --response.")
    values = log_values.read(options.logs, options.value, unit=options.time_unit or "s")
    everything = [delay for delays in values.delays_ns.values() for delay in delays]
    result = _summary_of(everything) | {
        "lines": values.lines,
        "unusable_lines": values.unusable,
        "missing_ids": sum(values.missing.values()),
        "nodes": {
            node: _summary_of(delays) | {"missing_ids": values.missing.get(node, 0)}
            for node, delays in sorted(values.delays_ns.items())
        },
    }
    head = {"source": "; ".join(map(str, options.logs)), **_head(options.logs, as_json=options.json)}
    print(json.dumps({**head, **result}, allow_nan=False) if options.json else _values_text(result))
    return 0


def _summary_of(delays_ns: list[int]) -> dict[str, Any]:
    return _summary(np.array(delays_ns, dtype=np.int64), 0.0)


def _values_text(result: dict[str, Any]) -> str:
    def line(name: str, part: dict[str, Any]) -> str:
        missing = f"; {count_text(part['missing_ids'], 'number')} missing" if part["missing_ids"] else ""
        return f"{name}: {count_text(part['n'], 'delay')}, {_quantiles(part)}{missing}"

    nodes = list(result["nodes"].items())
    lines = [line("all", result)] if len(nodes) != 1 else []
    lines += [line(name or "log", part) for name, part in nodes[:MAX_NODES]]
    lines += _more(len(nodes))
    if result["unusable_lines"]:
        lines.append(
            f"{count_text(result['unusable_lines'], 'match', 'matches')} omitted: no number, or too large a one"
        )
    return "\n".join(lines)


def _more(nodes: int) -> list[str]:
    return [f"and {nodes - MAX_NODES} more nodes; --json prints all"] * (nodes > MAX_NODES)


def _quantiles(part: dict[str, Any]) -> str:
    names = ("min", "p5", "median", "mean", "p95", "p99", "max")
    return ", ".join(f"{name} {time_text(part[f'{name}_ns'], digits=4)}" for name in names)


def _head(logs: list[Path], *, as_json: bool) -> dict[str, Any]:
    """Whether they are of a virtual bench, their state and remarks, which are printed."""
    kinds = [Recording.open(log).info.virtual if (log / DESCRIPTION).exists() else None for log in logs]
    return {"virtual": of_parts(kinds), **standing.all_announced(logs, as_json=as_json)}


def _marks(
    lines: Iterator[Line],
    patterns: list[re.Pattern[str]],
    options: argparse.Namespace,
    *,
    own_time: bool,
    name: str,
    unusable: list[str],
) -> Iterator[Mark]:
    """What is a request or a response, every match in a line; a line that is both is a response first, then a request.

    Lines that match but have no id or no time go to `unusable`. `name` is the node where nothing else gives one.
    """
    for line in iterate(lines, "reading", unit="lines"):
        both = [
            (is_response, match)
            for is_response in (True, False)
            for match in loglines.matches(patterns[is_response], line)
        ]
        # Each match of a line that carries its own times stands where it happened.
        for is_response, match in sorted(both, key=lambda row: row[1].start()) if own_time else both:
            named = match.groupdict()
            node = named.get("node") or line.node or name
            try:
                stamp = (
                    log_times.in_ns(named[loglines.TIME], unit=options.time_unit or "s") if own_time else line.stamp_ns
                )
            except ValueError:
                unusable.append(line.text)
                continue
            if not named["id"]:
                unusable.append(line.text)
                continue
            key = (named["id"],) if options.across_nodes else (node, named["id"])
            yield Mark(stamp, key, node, is_response)


def _numbers(latencies: Latencies, resolution_ns: float, unusable: int) -> dict[str, Any]:
    nodes = sorted({*latencies.unpaired_requests, *latencies.unpaired_responses})
    delays_ns, none = latencies.by_node(), np.empty(0, dtype=np.int64)
    return {
        **_summary(latencies.delays_ns, resolution_ns),
        "unpaired_request": sum(latencies.unpaired_requests.values()),
        "unpaired_response": sum(latencies.unpaired_responses.values()),
        "too_long": latencies.too_long,
        "unusable_lines": unusable,
        "backsteps": latencies.backsteps,
        "unpaired_ids": {
            side: None if mark is None else mark.key[-1]
            for side, mark in (("request", latencies.unpaired_request), ("response", latencies.unpaired_response))
        },
        "nodes": {
            node: {
                **_summary(delays_ns.get(node, none), resolution_ns),
                "unpaired_request": latencies.unpaired_requests.get(node, 0),
                "unpaired_response": latencies.unpaired_responses.get(node, 0),
            }
            for node in nodes
        },
    }


def _summary(delays_ns: Any, resolution_ns: float) -> dict[str, Any]:
    """Statistics; the uncertainty is that of the stamps' step alone, which does not cover how late they are."""
    values: dict[str, Any] = dataclasses.asdict(summarize(delays_ns, samplerate_hz=Fraction(NS_PER_S)))
    del values["lost"]
    values["stamp_uncertainty_ns"] = 2 * resolution_ns / math.sqrt(6) if resolution_ns else None
    return dict(without_nan(values))


def _text(result: dict[str, Any]) -> str:
    def line(name: str, part: dict[str, Any]) -> str:
        counts = (count_text(part["unpaired_request"], "request"), count_text(part["unpaired_response"], "response"))
        left = f"{' and '.join(counts)} unpaired"
        if not part["n"]:
            return f"{name}: no pair; {left}"
        return f"{name}: {count_text(part['n'], 'pair')}, {_quantiles(part)}; {left}"

    lines = [line("all", result)] if len(result["nodes"]) != 1 else []
    lines += [line(name or "log", part) for name, part in list(result["nodes"].items())[:MAX_NODES]]
    lines += _more(len(result["nodes"]))
    ids = result["unpaired_ids"]
    if not result["n"] and ids["request"] is not None and ids["response"] is not None:
        lines.append(
            f"no id of a request is that of a later response: {ids['request']!r} of a request, {ids['response']!r} of "
            "a response; the group `id` must be the same text on both sides, by node unless --across-nodes is given"
        )
    if result["stamp_uncertainty_ns"] and result["n"]:
        step = time_text(result["stamp_uncertainty_ns"])
        lines.append(f"each ± {step} (k = 2) by the step of the timestamps; how late they are is not in it")
    if result["too_long"]:
        lines.append(f"{count_text(result['too_long'], 'pair')} longer than --max-gap: unpaired")
    if result["unusable_lines"]:
        lines.append(
            f"{count_text(result['unusable_lines'], 'line')} omitted: no id or no time where a pattern matched"
        )
    if result["backsteps"]:
        earlier = count_text(result["backsteps"], "line is", "lines are")
        lines.append(f"{earlier} stamped earlier than the line before; --sort pairs in the order of the timestamps")
    return "\n".join(lines)
