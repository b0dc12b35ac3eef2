"""Names of delays: the complete path, its steps, kinds of steps, and parts of the radio waits."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

from gpiorig.analysis.delays.part_names import PART_NAMES
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.packets.path import DIRECTIONS, POINTS, RETRANSMISSIONS, STEPS, TURN_AROUND, Kind

RTT = "rtt"
ONE_WAY = "delay"
LOSS = "loss"
EVERY = "*"
# Names for all steps of a kind.
KINDS = {
    "stack": Kind.SOFTWARE,
    "mac": Kind.MAC,
    "driver": Kind.DRIVER,
    "wait": Kind.RADIO_WAIT,
    "retransmission": Kind.RETRANSMISSION,
    "air": Kind.AIR,
    "isr": Kind.INTERRUPT,
    "fragments": Kind.FRAGMENTS,
    "application": Kind.APPLICATION,
}
SHORT = tuple(dict.fromkeys(short for short, _ in STEPS.values())) + RETRANSMISSIONS
_POINT = "|".join(re.escape(point.name) for point in POINTS)
_STEP = re.compile(
    rf"(?:(?:(?:{'|'.join(DIRECTIONS)})(?: hop \d+)?|hop \d+|{TURN_AROUND}): )?"
    rf"(?:{'|'.join(map(re.escape, SHORT))}|(?:{_POINT}) to (?:{_POINT}))"
    rf"(?:: (?P<part>{'|'.join(PART_NAMES)}))?"
)


def is_delay(text: str) -> bool:
    """Tell whether a text is the name of a delay that some run may have."""
    return text in (RTT, ONE_WAY, EVERY, *KINDS) or _STEP.fullmatch(text) is not None


def part_of(text: str) -> str:
    """The part of a radio wait that a name asks for; empty for complete delays."""
    match = _STEP.fullmatch(text)
    return (match["part"] or "") if match else ""


def matching(quantity: str, names: Iterable[str], kinds: Mapping[str, Kind], parts: Iterable[str]) -> tuple[str, ...]:
    """The names, among those of a run, that a name stands for.

    That is `RTT` or `ONE_WAY`, the full name of a step, its name without the direction or the hop (``udp to ipv6``, in
    all), a name of `KINDS`, the full name of a part, or `EVERY`. `kinds` are those of the steps.

    Raises
    ------
    QuantityError
        This run has no such delay.
    """
    names, parts = tuple(names), tuple(parts)
    if quantity in names or quantity in parts:
        return (quantity,)
    if quantity == EVERY:
        return names
    matches = tuple(name for name in names if kinds.get(name) is KINDS.get(quantity, ""))
    matches = matches or tuple(name for name in names if name.partition(": ")[2] == quantity)
    if matches:
        return matches
    some_kinds = [name for name, kind in KINDS.items() if kind in kinds.values()]
    known = dict.fromkeys([*names, *parts, *some_kinds, *(name.partition(": ")[2] for name in kinds)])
    near = difflib.get_close_matches(quantity, known, n=1)
    some = ", ".join(f"`{name}`" for name in [*names[:2], *some_kinds])
    hint = f"did you mean `{near[0]}`?" if near else f"it has {some} and other steps (docs/guide/compare.md)."
    raise QuantityError(f"`{quantity}`: this run has no such delay; {hint}")
