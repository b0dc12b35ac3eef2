"""The `[virtual]` section of a bench file: what only a virtual bench has."""

from __future__ import annotations

from collections.abc import Set
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from gpiorig.rig import bench_ends
from gpiorig.rig.bench_ends import (
    ClockError,
    EndFault,
    Fault,
    Instant,
    Span,
    VirtualAnalyzer,
    VirtualSerial,
    VirtualSync,
)
from gpiorig.rig.errors import BenchError

Pace = Literal["fast", "real-time"]


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


class BrownOut(Fault, frozen=True, kw_only=True, tag="brown_out"):
    """A node's supply fails, and is back a while later: the board starts anew."""

    node: str
    at_us: Instant
    off_us: Span


class ClockStep(Fault, frozen=True, kw_only=True, tag="clock_step"):
    """A node's oscillator stands still, perhaps, and is faster by `ppb` from then on."""

    node: str
    at_us: Instant
    ppb: ClockError
    gap_us: Annotated[int, Meta(ge=0, le=10**9)] = 0


class Virtual(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What only a virtual bench has: the seed, the pace, clock errors, the air, the serial path, faults."""

    seed: Annotated[int, Meta(ge=0, le=2**62)] = 1
    pace: Pace = "fast"
    analyzers: dict[str, VirtualAnalyzer] = {}
    sync: VirtualSync = VirtualSync()
    serial: VirtualSerial = VirtualSerial()
    nodes: dict[str, VirtualNode] = {}
    links: list[VirtualLink] = []
    faults: list[EndFault | BrownOut | ClockStep] = []


def check(virtual: Virtual, *, nodes: Set[str], analyzers: Set[str], where: bench_ends.Where, what: str) -> None:
    """Raise `BenchError` where the section names what the bench does not have."""
    for name in virtual.nodes.keys() - nodes:
        raise BenchError(f"{what}: virtual.nodes.{name}: there is no node `{name}`.")
    for name in virtual.analyzers.keys() - analyzers:
        raise BenchError(f"{what}: virtual.analyzers.{name}: there is no analyzer `{name}`.")
    for link in virtual.links:
        for end in (link.sender, link.receiver):
            if end not in nodes:
                raise BenchError(f"{what}: virtual.links: there is no node `{end}`.")
    bench_ends.check(virtual.analyzers, virtual.serial, where=where, what=what)
    for fault in virtual.faults:
        if isinstance(fault, BrownOut | ClockStep):
            if fault.node not in nodes:
                raise BenchError(f"{what}: virtual.faults: there is no node `{fault.node}`.")
            continue
        bench_ends.check_fault(fault, nodes=set(nodes), analyzers=set(analyzers), where=where, what=what)
