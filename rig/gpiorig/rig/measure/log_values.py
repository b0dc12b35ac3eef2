"""Delays that lines of text contain: tables of them, and lines with both times of a delay."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import log_lines, log_times

GROUP = re.compile(r"(?P<role>value|begin|end)(?:_(?P<unit>s|ms|us|ns))?")
WANTED = "put a delay in (?P<value_ms>…), or its two times in (?P<begin_us>…) and (?P<end_us>…), with their unit."


@dataclass(frozen=True, slots=True)
class Values:
    """Delays by node, in the order of the lines.

    Parameters
    ----------
    delays_ns
        By node: the group `node`, else that of a recording, else "".
    missing
        By node: integers of the group `id` that are not there between its least and its largest.
    lines
        Lines there are.
    unusable
        Matches without a number.
    """

    delays_ns: dict[str, list[int]]
    missing: dict[str, int]
    lines: int
    unusable: int


def read(paths: list[Path], text: str, *, unit: str) -> Values:
    """Every match of a pattern in any text is a delay.

    Parameters
    ----------
    paths
        Recordings, or texts of any format.
    text
        A regular expression with the group `value`, or with `begin` and `end`; a unit may end their names. A group
        `id`, of integers, counts those that are missing.
    unit
        Of groups whose name has none.

    Raises
    ------
    RigError
        The groups are not there, or no line has a delay.
    """
    pattern = log_lines.compiled(text, option="--value", groups=())
    groups = _groups(pattern, unit)
    delays: dict[str, list[int]] = {}
    ids: dict[str, set[int]] = {}
    lines = unusable = 0
    for path in paths:
        for line in log_lines.texts(path):
            lines += 1
            for match in log_lines.matches(pattern, line):
                named = match.groupdict()
                node = named.get("node") or line.node
                if (named.get("id") or "").isdecimal():
                    ids.setdefault(node, set()).add(int(named["id"]))
                try:
                    delay = sum(sign * log_times.in_ns(match[name], unit=group) for name, group, sign in groups)
                except ValueError:
                    unusable += 1
                    continue
                delays.setdefault(node, []).append(delay)
    if not delays:
        where = ", ".join(map(str, paths))
        raise RigError(f"{where}: no delay in {lines} lines that --value {text!r} finds; try it on one of them.")
    missing = {node: max(some) - min(some) + 1 - len(some) for node, some in ids.items()}
    return Values(delays, missing, lines, unusable)


def _groups(pattern: re.Pattern[str], unit: str) -> list[tuple[str, str, int]]:
    """Name, unit and sign of each group that a delay is the sum of."""
    groups = [(name, match) for name in pattern.groupindex if (match := GROUP.fullmatch(name))]
    if sorted(match["role"] for _, match in groups) not in (["value"], ["begin", "end"]):
        raise RigError(f"--value {pattern.pattern!r}: has no delay; {WANTED}")
    return [(name, match["unit"] or unit, -1 if match["role"] == "begin" else 1) for name, match in groups]
