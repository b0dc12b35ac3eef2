"""What to do with a table whose columns are not clear: the options, or the command, that fit what is in them.

Each is run by a test on the table that it is named for (tests/commands/test_remedies.py).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from gpiorig.capture.text.table_head import LEVEL_WORDS, NUMBER, TIME_PATTERN, Head
from gpiorig.capture.text.table_order import group_column

INTEGER = re.compile(r"-?\d{1,18}$", re.ASCII)
DELAY_PATTERN = re.compile(r"latency|(?:^|[\W_])lat(?:$|[\W_])|delay|rtt|round.?trip|duration|elapsed|response", re.I)
UNIT_AT_END = re.compile(r"[\W_](s|ms|us|ns)[\W_]*$")
DELAY = r"[-+]?[\d.][-+\d.e]*"  # as a pattern of `latency --value`
IN_TEXT = (
    "if it is text with times, `gpiorig clocks` and `gpiorig latency` read it by patterns with (?P<host>…) or "
    "(?P<time>…)"
)


def next_step(path: Path, head: Head, *, time: int | None) -> str:
    """Return what to do with a table in which a column is not of levels, or none is a time.

    Parameters
    ----------
    path
        The file.
    head
        Its first lines.
    time
        The column of the times; None where none is found.
    """
    assumed, group = _times_and_groups(head, time)
    levels = [place for place in _columns(head) if place not in (assumed, group) and _all(head, place, LEVEL_WORDS)]
    if assumed is None or not levels:
        return _as_delays(path, head, time)
    columns = {} if assumed == time and (head.header or not time) else {"time": _name(head, assumed)}
    columns |= {} if group is None else {"group": _name(head, group)}
    others = [place for place in _columns(head) if place not in (assumed, group, *levels)]
    texts = [place for place in others if not _all(head, place, NUMBER)]
    if not others:
        return f"give {_option(columns)}"
    if len(levels) == 1 and texts:
        named = columns | {"time": _name(head, assumed), **_keyed(head, texts[-1], levels[0], others)}
        words = f"if column {head.name(texts[-1])} names the channel of each row, give {_option(named)}"
        return f"{words}; else {_chosen(head, columns, levels)}" if head.header else words
    if not head.header:
        return _with_names(path, head, assumed, levels)
    words = f"if it is a capture, {_chosen(head, columns, levels)}"
    has_delays = any(DELAY_PATTERN.search(head.header[place]) for place in others)
    return f"{words}; {_as_delays(path, head, time)}" if has_delays else words


def port(head: Head, place: int) -> str:
    """Return the options of a table that has all levels in one field."""
    time, group = _times_and_groups(head, _time(head))
    columns = {"time": "1" if time is None else _name(head, time), "levels": _name(head, place)}
    if group is not None:
        return f"give {_option(columns | {'group': _name(head, group)})}"
    integers = [column for column in _columns(head) if column not in (time, place) and _all(head, column, INTEGER)]
    name = _name(head, integers[0]) if integers else ""
    return f"give {_option(columns)}" + (f", with group={name} if times begin again in each {name}" if name else "")


def keyed(head: Head, given: Mapping[str, str]) -> str:
    """Return the options of a table whose rows name a channel, where `given` has one of channel and level alone."""
    levels = [place for place in _columns(head) if place != _time(head) and _all(head, place, LEVEL_WORDS)]
    texts = [place for place in _columns(head) if not _all(head, place, NUMBER) and place not in levels]
    if not levels or not ("channel" in given or texts):
        return "no column has levels alone, such as 0, 1, x, low or high"
    channel = {} if "channel" in given else {"channel": _name(head, texts[-1])}
    return f"give {_option({**given, **channel, 'level': _name(head, levels[0])})}"


def _as_delays(path: Path, head: Head, time: int | None) -> str:
    """The command that reads a delay in each row; of a table without numbers, how text is read."""
    numbers = [place for place in _columns(head) if _all(head, place, NUMBER)]
    others = [place for place in numbers if place != time]
    if not numbers or (not others and len(_columns(head)) > 1):
        return f"a capture has a column of times and others of levels; {IN_TEXT}"
    fractions = [place for place in others if not _all(head, place, INTEGER)]
    named = [place for place in others if head.header and DELAY_PATTERN.search(head.header[place])]
    place = (named or fractions or others or numbers)[-1]
    unit = UNIT_AT_END.search(head.header[place]) if head.header else None
    value = f"value_{unit[1]}" if unit else "value"
    before = rf"(?:[^{re.escape(head.separator)}]*{re.escape(head.separator)}\s*){{{place}}}" if place else ""
    pattern = f"^{before}(?P<{value}>{DELAY})"
    words = f"gpiorig latency {shlex.quote(str(path))} --value {shlex.quote(pattern)}"
    words += "" if unit else " --time-unit ms"
    return f"if column {head.name(place)} is a delay in each row, give `{words}`"


def _with_names(path: Path, head: Head, time: int, levels: list[int]) -> str:
    """How a table without names, of which some columns are channels, gets some that can be chosen."""
    names = head.separator.join("time" if place == time else f"column{place + 1}" for place in _columns(head))
    command = f"`(echo {shlex.quote(names)}; cat {shlex.quote(str(path))}) > named.csv`"
    channels = ",".join(f"column{place + 1}" for place in levels)
    return f"if it is a capture, name its columns in a first line, {command}, and choose --channels {channels}"


def _times_and_groups(head: Head, time: int | None) -> tuple[int | None, int | None]:
    """The column of the times, and that of the groups in which they begin again; None for one that is not there."""
    rows = [fields for _, fields in head.rows if len(fields) == len(_columns(head))]
    for assumed in dict.fromkeys([time] if head.header and time is not None else [time, _time(head)]):
        others = [place for place in _columns(head) if place != assumed]
        group = None if assumed is None else group_column(rows, assumed, others)
        if group is not None:
            return assumed, group
    return (_time(head) if time is None else time), None


def _chosen(head: Head, columns: Mapping[str, str], levels: list[int]) -> str:
    channels = shlex.quote(",".join(head.header[place] for place in levels))
    return f"choose {_option(columns)} --channels {channels}" if columns else f"choose --channels {channels}"


def _keyed(head: Head, channel: int, level: int, others: list[int]) -> dict[str, str]:
    """The channel of a row, its level, and the number of its node, if that is before the channel."""
    columns = {"channel": _name(head, channel), "level": _name(head, level)}
    has_node = channel - 1 in others and _all(head, channel - 1, INTEGER)
    return columns | ({"node": _name(head, channel - 1)} if has_node else {})


def _columns(head: Head) -> range:
    return range(len(head.header) or max((len(fields) for _, fields in head.rows), default=0))


def _all(head: Head, place: int, pattern: re.Pattern[str]) -> bool:
    """Whether all fields of a column are like this, and not all are empty."""
    fields = [row[place] for _, row in head.rows if place < len(row)]
    return any(fields) and all(pattern.match(field) for field in fields)


def _time(head: Head) -> int | None:
    """The column that is named like a time; else the first of numbers that are not integers, or of numbers."""
    numbers = [place for place in _columns(head) if _all(head, place, NUMBER)]
    named = [place for place in numbers if place < len(head.header) and TIME_PATTERN.search(head.header[place])]
    fractions = [place for place in numbers if not _all(head, place, INTEGER)]
    return next(iter([*named, *fractions, *numbers]), None)


def _name(head: Head, place: int) -> str:
    """What `--columns` calls a column: its name, or its number where that does not work."""
    name = head.header[place] if place < len(head.header) else ""
    return name if name and head.header.count(name) == 1 and not set(name) & set(",=") else str(place + 1)


def _option(columns: Mapping[str, str]) -> str:
    return f"--columns {shlex.quote(','.join(f'{role}={name}' for role, name in columns.items()))}"
