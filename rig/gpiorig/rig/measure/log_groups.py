"""Named groups of patterns of log lines: their names state what they hold, such as `time_us` or `id_le_hex`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import log_times

NUMBERED = ("id", "time", "value", "begin", "end", "against")
NAME = re.compile(rf"({'|'.join(NUMBERED)})(?:_(s|ms|us|ns))?(?:_(le|be))?(_hex)?")
DELAY = {"value", "begin", "end"}
TIMED = {"time", *DELAY}
MAX_BYTES = 8
BYTES = re.compile(r"0[xX][0-9a-fA-F]{1,2}|[0-9a-fA-F]+")
BETWEEN_BYTES = re.compile(r"[\s,;:.\[\](){}-]*")


@dataclass(frozen=True, slots=True)
class Group:
    """A named group of a pattern.

    Attributes
    ----------
    name, role
        ``time_us`` and ``time``.
    unit
        Of its numbers; "": that of the command line.
    order
        ``le`` or ``be`` of a list of bytes, the lowest or the highest one first; "" of a number.
    base
        Of numbers without ``0x``: 10 or 16.
    """

    name: str
    role: str
    unit: str
    order: str
    base: int

    def number(self, text: str | None) -> int | Decimal:
        """The number that the group holds; raises `ValueError` if it is not one."""
        if self.order:
            return _of_bytes(text or "", self.order, self.base)
        return log_times.number(text, base=self.base)

    def ns(self, text: str | None, *, unit: str) -> int:
        """The time that the group holds, in ns; raises `ValueError` as `log_times.in_ns`."""
        if self.order or self.base != 10 or (text and log_times.HEX.fullmatch(text)):
            text = str(self.number(text))
        return log_times.in_ns(text, unit=self.unit or unit)

    def key(self, text: str | None, *, less: int | None) -> str:
        """An id as text, of a number its digits; with an offset to be taken off it, it has to be an integer."""
        if less is None and not self.order and self.base == 10:
            return text or ""
        number = self.number(text)
        if number != int(number):
            raise ValueError(f"{text!r} is not an integer")
        return str(int(number) - (less or 0))


def of_pattern(pattern: re.Pattern[str], *, option: str) -> Mapping[str, Group]:
    """The numbered groups of a pattern by role.

    Raises
    ------
    RigError
        A role comes twice, or has a unit that it cannot have.
    """
    groups: dict[str, Group] = {}
    for name in pattern.groupindex:
        match = NAME.fullmatch(name)
        if match is None:
            continue
        role, unit, order, base = match.groups(default="")
        if role in groups:
            raise RigError(f"{option} {pattern.pattern!r}: has the groups {groups[role].name} and {name}; keep one.")
        if unit and role not in TIMED:
            raise RigError(f"{option} {pattern.pattern!r}: {name} is not a time; name the group {role}.")
        groups[role] = Group(name, role, unit, order, 16 if base else 10)
    return groups


def _of_bytes(text: str, order: str, base: int) -> int:
    """The integer that a list of bytes is: ``[16, 39]``, ``10 27`` or ``0x10,0x27``, hexadecimal also ``1027``."""
    parts = BYTES.findall(text)
    if not BETWEEN_BYTES.fullmatch(BYTES.sub("", text)):
        raise ValueError(f"{text!r} is not a list of bytes")
    if base == 16 and len(parts) == 1 and len(parts[0]) % 2 == 0 and parts[0][:2].lower() != "0x":
        parts = re.findall("..", parts[0])
    values = [int(part, 0 if part[:2].lower() == "0x" else base) for part in parts]
    if not 0 < len(values) <= MAX_BYTES or max(values) > 255:
        raise ValueError(f"{text!r} is not a list of 1 to {MAX_BYTES} bytes")
    return int.from_bytes(bytes(values), "little" if order == "le" else "big")
