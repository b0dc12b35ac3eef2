"""The `[virtual]` section of a bench file: what only a virtual bench has."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from gpiorig.rig.errors import BenchError
from gpiorig.vbench.description import ends, modelled_usb, world
from gpiorig.vbench.description.ends import EndFault, VirtualAnalyzer, VirtualSerial, VirtualSync
from gpiorig.vbench.description.modelled_usb import AnyUsbFault
from gpiorig.vbench.description.timing import PARAMETERS, Cycles
from gpiorig.vbench.description.world import NodeFault, VirtualInterferer, VirtualLink, VirtualNode

Pace = Literal["fast", "real-time"]


class Virtual(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What only a virtual bench has.

    Attributes
    ----------
    seed
        Of everything random: the radios' backoff, losses, noise.
    pace
        Of virtual time (docs/evidence/virtual-bench.md).
    truth
        A file for every edge of the wired pins in ps, before any sampling; FILE.air has frames and losses.
    analyzers, sync, serial, nodes, links, interferers, faults
        Tables of their own, below.
    timing
        What is changed of the timing model of a Cortex-M, in cycles: the names of `timing.PARAMETERS`.
    """

    seed: Annotated[int, Meta(ge=0, le=2**62)] = 1
    pace: Pace = "fast"
    analyzers: dict[str, VirtualAnalyzer] = {}
    sync: VirtualSync = VirtualSync()
    serial: VirtualSerial = VirtualSerial()
    nodes: dict[str, VirtualNode] = {}
    links: list[VirtualLink] = []
    interferers: list[VirtualInterferer] = []
    faults: list[EndFault | NodeFault | AnyUsbFault] = []
    truth: str = ""
    timing: dict[str, Cycles] = {}


def check(virtual: Virtual, *, nodes: Set[str], analyzers: Set[str], where: ends.Where, what: str) -> None:
    """Raise `BenchError` where the section names what the bench does not have."""
    for name in virtual.nodes.keys() - nodes:
        raise BenchError(f"{what}: virtual.nodes.{name}: there is no node `{name}`.")
    for name in virtual.analyzers.keys() - analyzers:
        raise BenchError(f"{what}: virtual.analyzers.{name}: there is no analyzer `{name}`.")
    for link in virtual.links:
        for end in (link.sender, link.receiver):
            if end not in nodes:
                raise BenchError(f"{what}: virtual.links: there is no node `{end}`.")
    _check_timing(virtual.timing, table="virtual.timing", what=what)
    for name, node in virtual.nodes.items():
        _check_timing(node.timing, table=f"virtual.nodes.{name}.timing", what=what)
    ends.check(virtual.analyzers, virtual.serial, where=where, what=what)
    models = {name: virtual.analyzers.get(name, VirtualAnalyzer()).usb for name in analyzers}
    modelled_usb.check(models, pace=virtual.pace, what=what)
    for interferer in virtual.interferers:
        world.check_interferer(interferer, nodes=nodes, what=what)
    for fault in virtual.faults:
        if isinstance(fault, NodeFault):
            world.check_node_fault(fault, nodes=nodes, what=what)
            continue
        if isinstance(fault, AnyUsbFault):
            modelled_usb.check_fault(fault, models, what=what)
            continue
        ends.check_fault(fault, nodes=set(nodes), analyzers=set(analyzers), where=where, what=what)


def _check_timing(timing: Mapping[str, int], *, table: str, what: str) -> None:
    for name in timing.keys() - PARAMETERS.keys():
        raise BenchError(f"{what}: {table}: there is no setting `{name}`; known: {', '.join(PARAMETERS)}.")
