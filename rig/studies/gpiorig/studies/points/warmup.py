"""The warm-up of a run: what is sent before its end does not count."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpiorig.rig import durations
from gpiorig.rig.errors import BenchError, RigError

_PACKETS = re.compile(r"([1-9]\d*) packets?")


@dataclass(frozen=True, slots=True)
class Warmup:
    """It ends a time after the initiator's first packet, or when the initiator has sent some packets.

    Parameters
    ----------
    text
        As written.
    seconds, packets
        One of the two is 0.
    """

    text: str
    seconds: float = 0.0
    packets: int = 0


def parse(text: object, *, what: str) -> Warmup:
    """A warm-up such as ``2 s`` or ``50 packets``; raises `BenchError`."""
    words = str(text).strip()
    if match := _PACKETS.fullmatch(words):
        return Warmup(words, packets=int(match[1]))
    try:
        return Warmup(words, seconds=float(durations.seconds(words)))
    except RigError as error:
        raise BenchError(
            f'{what}: warmup is {text!r}; write a time or packets, such as "2 s" or "50 packets".'
        ) from error
