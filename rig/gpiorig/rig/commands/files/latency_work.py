"""`gpiorig latency`: how long requests took, by the lines of a log."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from gpiorig.analysis.measure.timestamps import TimestampNumbers
from gpiorig.analysis.number_text import count_text, time_text
from gpiorig.rig import plain_json
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import delay_files, delay_results, frame_delays, latencies
from gpiorig.rig.measure.delay_results import summary_text
from gpiorig.rig.measure.frame_delays import FrameLatency
from gpiorig.rig.measure.latencies import Latency, LatencyNumbers

MAX_NODES = 10  # in text, and in a figure
CLOCK = "the clock of the timestamps"
OF_LINES = {"rows": "--rows", "id_offset": "--id-offset", "ids": "--ids", "nominal": "--nominal"}


RESULTS = {"latency": (LatencyNumbers, FrameLatency)}


def run(options: argparse.Namespace) -> int:
    """Read, pair, print."""
    if options.value is not None:
        return _finish(options, latencies.of_values(options), _values_text)
    if captures := frame_delays.captures(options):
        for name, option in OF_LINES.items():
            if getattr(options, name) is not None:
                raise RigError(f"{option}: {options.logs[0]} is a packet capture; the option is for lines of logs.")
        return frame_delays.run(options, captures)
    if not (options.request and options.response):
        raise RigError(
            "give --request and --response, or --value for delays that lines hold; only packet captures need neither."
        )
    return _finish(options, latencies.of_pairs(options), _text)


def _finish(
    options: argparse.Namespace,
    latency: Latency,
    text: Callable[[dict[str, Any]], str],
) -> int:
    """Write the files, print the result."""
    result = latency.of_logs(options.logs, as_json=options.json)
    results, delays = latency.results, latency.results.delays
    if options.output:
        delay_files.write(options.output, results.table, len(delays.nodes))
    if options.figure:
        nodes = delays.by_node()
        drawn = {name or "log": values for name, values in nodes.items()} if len(nodes) <= MAX_NODES else {}
        delay_files.draw(options.figure, drawn or {"all": delays.delays_ns}, us=1e-3, virtual=bool(result.virtual))
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
