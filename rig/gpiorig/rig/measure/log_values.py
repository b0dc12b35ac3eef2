"""Delays that lines of text contain: tables of them, and lines with both times of a delay."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gpiorig.analysis.measure.log_lines import Delays
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import log_groups, log_lines
from gpiorig.rig.measure.log_groups import Group

REMEDY = "put a delay in (?P<value_ms>…), or its two times in (?P<begin_us>…) and (?P<end_us>…), with their unit."


@dataclass(frozen=True, slots=True)
class Values:
    """Delays in the order of the lines.

    Parameters
    ----------
    delays
        The node of each is the group `node`, else that of a recording, else "".
    ids
        By node: the integers of the group `id`, of matches without a delay, too.
    lines
        Lines there are.
    unusable
        Matches without a number.
    omitted
        Matches that are not the first or the last of their id, as `--rows` has it.
    """

    delays: Delays
    ids: dict[str, list[int]]
    lines: int
    unusable: int
    omitted: int


@dataclass(slots=True)
class _Rows:
    """The columns of the delays."""

    delays_ns: list[int]
    nodes: list[str]
    ids: list[str]
    against: list[float]


def read(options: argparse.Namespace) -> Values:
    """Every match of a pattern in any text is a delay.

    Parameters
    ----------
    options
        `value`: a regular expression with the group `value`, or with `begin` and `end`; a group `id`, of integers,
        counts those that are missing; `logs`: recordings, or texts of any format.

    Raises
    ------
    RigError
        The groups are not there, or no line has a delay.
    """
    pattern = re.compile(options.value)
    groups = log_groups.of_pattern(pattern, option="--value")
    if sorted(groups.keys() & {"value", "begin", "end"}) not in (["value"], ["begin", "end"]):
        raise RigError(f"--value {options.value!r}: has no delay; {REMEDY}")
    rows, ids = _Rows([], [], [], []), dict[str, list[int]]()
    lines = unusable = 0
    for path in options.logs:
        for line in log_lines.texts(path):
            lines += 1
            for match in log_lines.matches(pattern, line):
                named = match.groupdict()
                node = named.get("node") or line.node
                key = _key(groups, named)
                if key.isdecimal():
                    ids.setdefault(node, []).append(int(key))
                try:
                    delay, against = _numbers(groups, named, unit=options.time_unit or "s")
                except ValueError:
                    unusable += 1
                    continue
                rows.delays_ns.append(delay)
                rows.nodes.append(node)
                rows.ids.append(key)
                rows.against.append(against)
    if not rows.nodes:
        where = ", ".join(map(str, options.logs))
        raise RigError(f"{where}: no delay in {lines} lines that --value {options.value!r} finds; try it on one.")
    places = _picked(rows, options)
    delays = Delays(
        delays_ns=np.array(rows.delays_ns, dtype=np.int64)[places],
        nodes=tuple(rows.nodes[place] for place in places),
        ids=tuple(rows.ids[place] for place in places),
        against=np.array(rows.against)[places],
        starts_ns=np.empty(0, dtype=np.int64),
    )
    return Values(delays, ids, lines, unusable, len(rows.nodes) - len(places))


def _key(groups: Mapping[str, Group], named: dict[str, str | None]) -> str:
    try:
        return groups["id"].key(named[groups["id"].name], less=None) if "id" in groups else ""
    except ValueError:
        return ""


def _numbers(groups: Mapping[str, Group], named: dict[str, str | None], *, unit: str) -> tuple[int, float]:
    """The delay in ns, and the number that it is compared with."""
    times = {role: groups[role].ns(named[groups[role].name], unit=unit) for role in groups if role in log_groups.DELAY}
    delay = times["value"] if "value" in times else times["end"] - times["begin"]
    number = groups.get("against")
    if number is None or named[number.name] is None:
        return delay, math.nan
    return delay, float(number.number(named[number.name]))


def _picked(rows: _Rows, options: argparse.Namespace) -> list[int]:
    """The places of the delays that count: of each id of a node the first or the last, or all of them."""
    if options.rows is None:
        return list(range(len(rows.nodes)))
    if len(set(options.rows)) > 1 or not any(rows.ids):
        raise RigError("--rows: of --value give first or last, and put the id in a group (?P<id>…).")
    chosen: dict[tuple[str, str], int] = {}
    for place, key in enumerate(zip(rows.nodes, rows.ids, strict=True)):
        if options.rows[0] == "last" or key not in chosen:
            chosen[key] = place
    return sorted(chosen.values())
