"""The world of a virtual bench: the nodes' clocks, the air between them, sources of noise; and faults of the nodes."""

from __future__ import annotations

from collections.abc import Set
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from gpiorig.rig.errors import BenchError
from gpiorig.vbench.description.ends import ClockError, Instant, Span
from gpiorig.vbench.description.timing import Cycles

Level = Annotated[int, Meta(ge=-200, le=30)]
Picoseconds = Annotated[int, Meta(ge=0, le=10**12)]
Shape = Literal["none", "uniform", "triangular"]
RadioStart = Literal["typical", "maximum"]
BuildCode = Literal["D0", "F0"]


class VirtualDrift(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A slow change of a node's clock on top of its constant error.

    Attributes
    ----------
    kind
        ``ramp``: up to `ppb` in `span_ms`, then constant. ``triangle``: to `ppb` and back in `span_ms`, again and
        again. ``wander``: anything within +-`ppb`, drawn again every `span_ms`.
    ppb, span_ms
        How much, and in which time.
    """

    kind: Literal["ramp", "triangle", "wander"]
    ppb: ClockError
    span_ms: Annotated[int, Meta(ge=1, le=10**9)]


class VirtualNode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A virtual board.

    Attributes
    ----------
    clock_ppb, clock_drift
        Error of its clock: a constant, and a slow change.
    clock_jitter_ps
        Each tick of the clock comes later by up to this.
    starts_us
        When it gets its supply.
    radio_start
        How long its radio takes to listen to the processor; ``maximum`` with a CC2420 only, whose regulator then takes
        0.6 ms, not an estimated 0.1 ms.
    build_code
        Of an nRF52840: ``D0`` of revision 2, as without it, ``F0`` of revision 3, whose debug port is closed until it
        is erased.
    pins
        Pins of lines that its board file does not know, such as span lines of your build: ``"isr.radio" = "PA3"``.
    timing
        As `Virtual.timing`, of this board only; it has precedence.
    """

    clock_ppb: ClockError = 0
    clock_drift: VirtualDrift | None = None
    clock_jitter_ps: Picoseconds = 0
    starts_us: Instant = 0
    radio_start: RadioStart = "typical"
    build_code: BuildCode | None = None
    pins: dict[str, str] = {}
    timing: dict[str, Cycles] = {}


class VirtualLink(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"sender": "from", "receiver": "to"}):
    """One direction of the air between two nodes.

    Attributes
    ----------
    sender, receiver
        The nodes.
    delay_ps, rssi_dbm
        Propagation delay, and level at the receiver.
    loss_ppm
        Frames lost per million.
    jitter, jitter_ps
        How much later a frame is found, drawn for each frame: the distribution and its width.
    """

    sender: str
    receiver: str
    delay_ps: Picoseconds = 0
    loss_ppm: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    rssi_dbm: Level = -50
    jitter: Shape = "none"
    jitter_ps: Picoseconds = 0


class VirtualInterferer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bursts of noise.

    Attributes
    ----------
    pattern
        ``periodic``: one every `every_us`. ``poisson``: silences of `every_us` on average. ``on_off``: periodic for
        `on_us`, then nothing for `off_us`.
    centre_khz, width_khz
        Its band.
    burst_us, every_us, on_us, off_us
        Length of a burst, and the times of the pattern.
    from_us
        When it begins.
    level_dbm, levels_dbm
        Its level at every node, and at those that are named.
    """

    pattern: Literal["periodic", "poisson", "on_off"]
    centre_khz: Annotated[int, Meta(ge=1, le=10_000_000)]
    level_dbm: Level
    burst_us: Span
    every_us: Span
    width_khz: Annotated[int, Meta(ge=1, le=1_000_000)] = 2_000
    from_us: Instant = 0
    on_us: Annotated[int, Meta(ge=0, le=10**12)] = 0
    off_us: Annotated[int, Meta(ge=0, le=10**12)] = 0
    levels_dbm: dict[str, Level] = {}


class BrownOut(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="brown_out"):
    """A node has no supply for a while: its lines are low, then it boots with anything in its RAM.

    Attributes
    ----------
    node
        Whose.
    at_us, off_us
        When, in us of virtual time since the boards left reset, and for how long.
    """

    node: str
    at_us: Instant
    off_us: Span


class ClockStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="clock_step"):
    """A node's oscillator stands still, perhaps, so that the node's time falls back; then it is faster by `ppb`.

    Attributes
    ----------
    node
        Whose.
    at_us, gap_us
        When, in us of virtual time since the boards left reset, and for how long it stands still.
    ppb
        How much faster it is from then on.
    """

    node: str
    at_us: Instant
    ppb: ClockError = 0
    gap_us: Annotated[int, Meta(ge=0, le=10**9)] = 0


NodeFault = BrownOut | ClockStep


def check_interferer(interferer: VirtualInterferer, *, nodes: Set[str], what: str) -> None:
    """Raise `BenchError` if it cannot be, or is about nodes that the bench does not have."""
    place = f"{what}: virtual.interferers, {interferer.pattern}"
    for name in interferer.levels_dbm.keys() - nodes:
        raise BenchError(f"{place}: levels_dbm: there is no node `{name}`; the bench has {', '.join(sorted(nodes))}.")
    if interferer.pattern != "poisson" and interferer.every_us < interferer.burst_us:
        raise BenchError(f"{place}: every_us is {interferer.every_us}, less than burst_us, {interferer.burst_us}.")
    if interferer.pattern == "on_off" and interferer.on_us < interferer.every_us:
        raise BenchError(f"{place}: give on_us = at least every_us, and off_us.")


def check_node_fault(fault: NodeFault, *, nodes: Set[str], what: str) -> None:
    """Raise `BenchError` if the fault is about a node that the bench does not have."""
    if fault.node not in nodes:
        raise BenchError(
            f"{what}: virtual.faults, {type(fault).__struct_config__.tag}: there is no node `{fault.node}`; the bench "
            f"has {', '.join(sorted(nodes))}."
        )
