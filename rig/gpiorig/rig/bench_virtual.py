"""The `[virtual]` section of a bench file: what only a virtual bench has."""

from __future__ import annotations

from collections.abc import Set
from typing import Annotated

import msgspec
from msgspec import Meta

from gpiorig.rig.errors import BenchError

# Beyond 10 % it is no clock.
ClockError = Annotated[int, Meta(ge=-100_000_000, le=100_000_000)]


class VirtualAnalyzer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """TCP port (0: any free one), and the error and the phase of the virtual analyzer's own clock."""

    port: Annotated[int, Meta(ge=0, le=65_535)] = 0
    clock_ppb: ClockError = 0
    phase_ps: Annotated[int, Meta(ge=0, le=10**12)] = 0


class VirtualNode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The error of the virtual board's clock, and the pins of lines that its board file does not know (span lines)."""

    clock_ppb: ClockError = 0
    pins: dict[str, str] = {}


class VirtualLink(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"sender": "from", "receiver": "to"}):
    """One direction of the air between two nodes."""

    sender: str
    receiver: str
    delay_ps: Annotated[int, Meta(ge=0, le=10**12)] = 0
    loss_ppm: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    rssi_dbm: Annotated[int, Meta(ge=-200, le=30)] = -50


class Virtual(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What only a virtual bench has: the seed, clock errors, the air."""

    seed: Annotated[int, Meta(ge=0, le=2**62)] = 1
    analyzers: dict[str, VirtualAnalyzer] = {}
    nodes: dict[str, VirtualNode] = {}
    links: list[VirtualLink] = []


def check(virtual: Virtual, *, nodes: Set[str], analyzers: Set[str], what: str) -> None:
    """Raise `BenchError` where the section names what the bench does not have."""
    for name in virtual.nodes.keys() - nodes:
        raise BenchError(f"{what}: virtual.nodes.{name}: there is no node `{name}`.")
    for name in virtual.analyzers.keys() - analyzers:
        raise BenchError(f"{what}: virtual.analyzers.{name}: there is no analyzer `{name}`.")
    for link in virtual.links:
        for end in (link.sender, link.receiver):
            if end not in nodes:
                raise BenchError(f"{what}: virtual.links: there is no node `{end}`.")
