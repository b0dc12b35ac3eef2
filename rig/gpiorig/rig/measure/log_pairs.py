"""Lines that are requests and responses, by patterns with named groups."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

from gpiorig.analysis.measure import log_lines as loglatency
from gpiorig.analysis.measure.log_lines import Latencies, Mark
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import log_groups
from gpiorig.rig.measure import log_lines as loglines
from gpiorig.rig.measure.log_groups import Group
from gpiorig.rig.measure.log_lines import Line
from gpiorig.rig.progress import iterate

OPTIONS = ("--request", "--response")


@dataclass(frozen=True, slots=True)
class Side:
    """A pattern with its groups by role, and what is taken off its ids."""

    pattern: re.Pattern[str]
    groups: dict[str, Group]
    less: int | None

    @property
    def has_time(self) -> bool:
        """Whether the pattern finds the time of a line."""
        return loglines.TIME in self.groups


@dataclass(frozen=True, slots=True)
class Paired:
    """What was made of logs.

    Attributes
    ----------
    latencies
        The pairs.
    resolution_ns
        Step of the timestamps; 0: not known.
    source
        What was read, as text.
    unusable
        Texts of matching lines without an id or a time.
    omitted
        Matching lines that are not the first or the last of their id, as `--rows` has it.
    requests
        By node the ids of all requests, where they are to be counted.
    has_ids
        Whether the patterns have ids.
    """

    latencies: Latencies
    resolution_ns: float
    source: str
    unusable: list[str]
    omitted: int
    requests: dict[str, list[str]]
    has_ids: bool


def read(options: argparse.Namespace) -> Paired:
    """Read the logs of the command line, and pair their lines."""
    sides = _sides(options)
    own_time, has_ids = ("time" in sides[0].groups, "id" in sides[0].groups)
    logs = [loglines.read(log, options, own_time=own_time) for log in options.logs]
    unusable: list[str] = []
    several = len(logs) > 1
    marks: Iterator[Mark] | list[Mark] = chain.from_iterable(
        _marks(lines, sides, options, name=log.stem if several else "", unusable=unusable)
        for log, (lines, _, _) in zip(options.logs, logs, strict=True)
    )
    if several or options.sort:
        marks = sorted(marks, key=attrgetter("timestamp_ns"))
    omitted = 0
    if options.rows is not None:
        everything = list(marks)
        marks = loglatency.picked(everything, request=options.rows[0], response=options.rows[-1])
        omitted = len(everything) - len(marks)
    requests: dict[str, list[str]] = {}
    longest_ns = None if options.max_gap is None else int(options.max_gap * 10**9)
    latencies = loglatency.pair(_counted(marks, requests) if options.ids else marks, longest_ns=longest_ns)
    if not (latencies.unpaired_requests or latencies.unpaired_responses):
        where = ", ".join(map(str, options.logs))
        if unusable:
            raise RigError(f"{where}: of no matching line `id` and `time` can be read, as of this: {unusable[0]!r}.")
        raise RigError(f"{where}: no line is a request or a response; try the patterns on one of its lines.")
    return Paired(
        latencies,
        max(resolution_ns for _, resolution_ns, _ in logs),
        "; ".join(source for _, _, source in logs),
        unusable,
        omitted,
        requests,
        has_ids,
    )


def _sides(options: argparse.Namespace) -> tuple[Side, Side]:
    """The patterns of both sides, which agree in what they find.

    Raises
    ------
    RigError
        Only one of them has the time or the id, or both have the number to compare with.
    """
    sides = []
    for option, text, less in zip(OPTIONS, (options.request, options.response), (0, options.id_offset), strict=True):
        pattern = re.compile(text)
        groups = dict(log_groups.of_pattern(pattern, option=option))
        sides.append(Side(pattern, groups, None if options.id_offset is None else less))
    for role in ("time", "id"):
        if len({role in side.groups for side in sides}) > 1:
            raise RigError(f"only one of the patterns has the group `{role}`; give it to both, or to none.")
    if all("against" in side.groups for side in sides):
        raise RigError("both patterns have the group `against`; give it to one.")
    if "id" not in sides[0].groups:
        for option, given in (("--id-offset", options.id_offset), ("--ids", options.ids)):
            if given is not None:
                raise RigError(f"{option}: the patterns have no group (?P<id>…); put the id in one.")
    return sides[0], sides[1]


def _counted(marks: Iterator[Mark] | list[Mark], requests: dict[str, list[str]]) -> Iterator[Mark]:
    """The same, with the ids of the requests put into `requests` by node."""
    for mark in marks:
        if not mark.is_response:
            requests.setdefault(mark.node, []).append(mark.id)
        yield mark


def _marks(
    lines: Iterator[Line], sides: tuple[Side, Side], options: argparse.Namespace, *, name: str, unusable: list[str]
) -> Iterator[Mark]:
    """What is a request or a response, every match in a line; a line that is both is a response first, then a request.

    Lines that match but have no id or no time go to `unusable`. `name` is the node where nothing else gives one.
    """
    for line in iterate(lines, "reading", unit="lines"):
        both = [
            (is_response, match)
            for is_response in (True, False)
            for match in loglines.matches(sides[is_response].pattern, line)
        ]
        # Each match of a line that carries its own times stands where it happened.
        for is_response, match in sorted(both, key=lambda row: row[1].start()) if sides[0].has_time else both:
            mark = _mark(match, line, sides[is_response], options, name=name, is_response=is_response)
            if mark is None:
                unusable.append(line.text)
            else:
                yield mark


def _mark(
    match: re.Match[str], line: Line, side: Side, options: argparse.Namespace, *, name: str, is_response: bool
) -> Mark | None:
    """The request or response of a match; None where something in it cannot be read."""
    named = match.groupdict()
    node = named.get("node") or line.node or name
    at_ns, key, against = line.stamp_ns, "", math.nan
    try:
        if time := side.groups.get("time"):
            at_ns = time.ns(named[time.name], unit=options.time_unit or "s")
        if number := side.groups.get("id"):
            key = number.key(named[number.name], less=side.less)
            if not key:
                return None
        if (number := side.groups.get("against")) and named[number.name] is not None:
            against = float(number.number(named[number.name]))
    except ValueError:
        return None
    keys = [node] * (not options.across_nodes) + [key] * ("id" in side.groups)
    return Mark(at_ns, tuple(keys), node, is_response, key, against)
