"""Timestamps of nodes with timestamps of the host, found in lines of a log by the named groups of a pattern."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.units import TIME_NS
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import log_lines, log_times
from gpiorig.rig.progress import iterate

UNIT = r"(?:_(?P<unit>s|ms|us|ns))?"
HOST = re.compile(rf"(?:host|host_time|time){UNIT}")
NODE_TIME = re.compile(rf"(?:node_time|ticks|node(?=_(?:s|ms|us|ns)(?:_hex)?$)){UNIT}(?P<hex>_hex)?")
NS_PER_S = 10**9
MAX_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of a pattern by content, and the unit that the name of a group gives; "" if none."""

    node_time: str
    node_unit: str
    node_base: int
    host: str
    host_unit: str
    node: str


@dataclass(slots=True)
class Stamps:
    """The numbers of one node as the log has them, with the places of its boots."""

    numbers: list[int | Decimal] = field(default_factory=list)
    host_ns: list[int] = field(default_factory=list)
    boots: list[int] = field(default_factory=list)

    def ticks(self) -> tuple[NDArray[np.int64], int]:
        """The numbers as integers, and the power of ten by which they were multiplied."""
        exact = [number for number in self.numbers if isinstance(number, Decimal)]
        digits = min(max((-int(number.as_tuple().exponent) for number in exact), default=0), MAX_DIGITS)
        room = len(str(log_times.LIMIT)) - 1 - len(str(max((abs(int(number)) for number in self.numbers), default=0)))
        digits = max(min(digits, room), 0)
        if not exact:
            return np.array(self.numbers, dtype=np.int64), digits
        return np.array([int(number * 10**digits) for number in self.numbers], dtype=np.int64), digits


@dataclass(frozen=True, slots=True)
class Found:
    """What a log holds: stamps by node, lines that have some, lines there are, and what was wrong with some stamps."""

    nodes: dict[str, Stamps]
    matched: int
    lines: int
    source: str
    odd: Counter[str]


def groups(pattern: re.Pattern[str]) -> Groups:
    """Find the groups; raises `RigError` with what is missing.

    Without a group for the node's time, `node` holds it: then the log is of one node, or its format names the nodes.
    """
    names = list(pattern.groupindex)
    times = [
        (name, match["unit"], 16 if match["hex"] else 10) for name in names if (match := NODE_TIME.fullmatch(name))
    ]
    hosts = [(name, match["unit"]) for name in names if (match := HOST.fullmatch(name))]
    node = "node" if "node" in names else ""
    if not times and node:
        times, node = [("node", None, 10)], ""
    if len(times) != 1:
        raise RigError(
            f"--pattern {pattern.pattern!r}: {'two groups' if times else 'no group'} for the node's time; "
            "put it in (?P<node_time>…), or in (?P<node_time_us>…) with its unit (s, ms, us, ns)."
        )
    if len(hosts) > 1:
        raise RigError(f"--pattern {pattern.pattern!r}: two groups for the host's time; one of them is (?P<host>…).")
    host, host_unit = hosts[0] if hosts else ("", None)
    name, unit, base = times[0]
    return Groups(name, unit or "", base, host, host_unit or "", node)


def read(path: Path, options: argparse.Namespace, *, pattern: re.Pattern[str], boot: re.Pattern[str] | None) -> Found:
    """Read all stamps of a log or of a recording.

    Parameters
    ----------
    path
        A recording, a log of a known format, or, if the pattern finds the host's time, any text.
    options
        Of `inputs.add_arguments`, and `host_unit`.
    pattern
        Of the lines that carry stamps.
    boot
        Of lines that report that a node booted.
    """
    where = groups(pattern)
    lines, _, source = log_lines.read(path, options, own_time=bool(where.host))
    nodes: dict[str, Stamps] = {}
    odd: Counter[str] = Counter()
    matched = count = 0
    unit = where.host_unit or options.host_unit
    booted: set[str] = set()
    nameless = 0
    for line in iterate(lines, "reading", unit="lines"):
        count += 1
        if boot is not None and (reported := log_lines.match(boot, line)):
            booted.add(reported.groupdict().get("node") or line.node)
            nameless += "" in booted
        stamped = False
        for match in log_lines.matches(pattern, line):
            node = (match[where.node] if where.node else line.node) or ""
            try:
                host_ns = log_times.in_ns(match[where.host], unit=unit) if where.host else line.stamp_ns
                number = log_times.number(match[where.node_time], base=where.node_base)
                if abs(int(number)) >= log_times.LIMIT:
                    raise ValueError(match[where.node_time])
            except ValueError:
                odd["timestamps whose time is not a number, or too large a one"] += 1
                continue
            stamps = nodes.setdefault(node, Stamps())
            if booted & {node, line.node}:
                stamps.boots.append(len(stamps.numbers))
                booted -= {node, line.node}
            stamps.numbers.append(number)
            stamps.host_ns.append(host_ns)
            stamped = True
        matched += stamped
    if nameless and len(nodes) > 1:
        raise RigError(
            f"--boot {options.boot!r}: its lines do not name which of {len(nodes)} nodes booted; "
            "put the node in a group (?P<node>…) of it."
        )
    return Found(nodes, matched, count, source, odd)


def tick_hz(options: argparse.Namespace, where: Groups, digits: int) -> Fraction | None:
    """Ticks per second as the command line or the group's name gives it; None if neither does."""
    unit = where.node_unit or options.node_unit
    rate: Fraction | None = options.tick_hz
    if rate is not None:
        return Fraction(rate * 10**digits)
    return Fraction(NS_PER_S * 10**digits, TIME_NS[unit]) if unit else None
