"""`gpiorig latency`: how long requests took, by the lines of a log."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpiorig.rig import inputs

if TYPE_CHECKING:
    import re

    from gpiorig.analysis.loglatency import Latencies, Mark
    from gpiorig.rig.loglines import Line

EPILOG = """\
examples:
  gpiorig latency iotlab.log --request 'send (?P<id>\\d+)' --response 'got (?P<id>\\d+)'
  gpiorig latency iotlab.log --request 'tx id=(?P<id>\\d+)' --response 'rx id=(?P<id>\\d+)' --across-nodes --json
  gpiorig latency run1 --request 'to (?P<node>\\S+) (?P<id>\\d+)' --response 'from (?P<node>\\S+) (?P<id>\\d+)'
  gpiorig latency a.txt --request '(?P<time>[\\d.]+) ping (?P<id>\\d+)' --response '(?P<time>[\\d.]+) pong (?P<id>\\d+)'

A response belongs to the latest request before it with the same `id` and `node`. The node is the group of that name;
without one, that of the log; with --across-nodes it does not matter. A pattern is looked for in what the node said,
then in the whole line (stamp;node;text). A log of no known format needs the group `time` in both patterns.

The host stamps a line when it has read it, not when the node wrote it: `gpiorig serial --audit` and the report's clock
audit say how much later that is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a pairing of lines."""
    parser.add_argument("log", type=Path, metavar="LOG|RUN", help="a log of a known format, a recording, or any text")
    parser.add_argument("--request", required=True, metavar="REGEX", help="with the group `id`, perhaps `node`, `time`")
    parser.add_argument("--response", required=True, metavar="REGEX", help="the same")
    parser.add_argument("--across-nodes", action="store_true", help="a response may come from another node")
    parser.add_argument("--time-unit", choices=["s", "ms", "us", "ns"], default="s", help="of the group `time` (s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    inputs.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Read, pair, print."""
    from gpiorig.analysis import loglatency
    from gpiorig.rig import loglines
    from gpiorig.rig.errors import RigError

    words = {"--request": options.request, "--response": options.response}
    patterns = [loglines.compiled(text, option=option, groups=("id",)) for option, text in words.items()]
    own_time = [loglines.TIME in pattern.groupindex for pattern in patterns]
    if len(set(own_time)) > 1:
        raise RigError(f"only one of the patterns has the group `{loglines.TIME}`; give it to both, or to none.")
    lines, resolution_ns, source = loglines.read(options.log, options, own_time=own_time[0])
    found = loglatency.pair(_marks(lines, patterns, options, own_time=own_time[0]))
    if not (found.unpaired_requests or found.unpaired_responses):
        raise RigError(f"{options.log}: no line is a request or a response; try the patterns on one of its lines.")
    result = _numbers(found, resolution_ns)
    print(json.dumps({"source": source, **result}, allow_nan=False) if options.json else _text(result))
    return 0


def _marks(
    lines: Iterator[Line], patterns: list[re.Pattern[str]], options: argparse.Namespace, *, own_time: bool
) -> Iterator[Mark]:
    """The lines that are a request or a response; one that is both is a response first, then a request."""
    from tqdm import tqdm

    from gpiorig.analysis.loglatency import Mark
    from gpiorig.rig import loglines

    for line in tqdm(lines, desc="reading", unit=" lines", unit_scale=True, disable=None, leave=False):
        for is_response in (True, False):
            found = loglines.match(patterns[is_response], line)
            if found is None:
                continue
            named = found.groupdict()
            node = named.get("node") or line.node
            key = (named["id"],) if options.across_nodes else (node, named["id"])
            stamp = loglines.own_time_ns(found, unit=options.time_unit) if own_time else line.stamp_ns
            yield Mark(stamp, key, node, is_response)


def _numbers(found: Latencies, resolution_ns: float) -> dict[str, Any]:
    nodes = sorted({*found.unpaired_requests, *found.unpaired_responses})
    return {
        **_summary(found.delays_ns, resolution_ns),
        "unpaired_request": sum(found.unpaired_requests.values()),
        "unpaired_response": sum(found.unpaired_responses.values()),
        "backsteps": found.backsteps,
        "nodes": {
            node: {
                **_summary(found.of(node), resolution_ns),
                "unpaired_request": found.unpaired_requests.get(node, 0),
                "unpaired_response": found.unpaired_responses.get(node, 0),
            }
            for node in nodes
        },
    }


def _summary(delays_ns: Any, resolution_ns: float) -> dict[str, Any]:
    """Statistics; the uncertainty is that of the stamps' step alone, which says nothing of how late they are."""
    import dataclasses
    from fractions import Fraction

    from gpiorig.analysis.quantity import NS_PER_S
    from gpiorig.analysis.statistics import summarize
    from gpiorig.rig.plainjson import without_nan

    values: dict[str, Any] = dataclasses.asdict(summarize(delays_ns, samplerate_hz=Fraction(NS_PER_S)))
    del values["lost"]
    values["stamp_uncertainty_ns"] = 2 * resolution_ns / math.sqrt(6) if resolution_ns else None
    return dict(without_nan(values))


def _text(result: dict[str, Any]) -> str:
    from gpiorig.analysis.quantity import time_text

    def line(name: str, part: dict[str, Any]) -> str:
        left = f"{part['unpaired_request']} requests and {part['unpaired_response']} responses unpaired"
        if not part["n"]:
            return f"{name}: no pair; {left}"
        names = ("min", "p5", "median", "mean", "p95", "p99", "max")
        values = ", ".join(f"{each} {time_text(part[f'{each}_ns'], digits=4)}" for each in names)
        return f"{name}: {part['n']} pairs, {values}; {left}"

    lines = [line("all", result)] if len(result["nodes"]) != 1 else []
    lines += [line(name or "log", part) for name, part in result["nodes"].items()]
    lines += [f"{result['backsteps']} lines are stamped earlier than the line before them"] * bool(result["backsteps"])
    return "\n".join(lines)
