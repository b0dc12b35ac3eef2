"""What `gpiorig bench plan --json` prints."""

from __future__ import annotations

import msgspec

from gpiorig.rig.bench.finding import Finding
from gpiorig.rig.plain_json import Result
from gpiorig.rig.planning.drawing import Wire


class PlannedAnalyzer(Result, frozen=True, kw_only=True):
    """A model of analyzer: whether it does it, with how many, at which rate, how well; or why it does not."""

    name: str
    title: str
    does_it: bool
    analyzers: int | None
    samplerate_hz: int | None
    expanded_ns: float | None
    libsigrok: str
    usb_ids: tuple[str, ...]
    reasons: tuple[str, ...]


class PlannedLoad(Result, frozen=True, kw_only=True):
    """What an analyzer of the bench asks of the host."""

    channels: int
    bytes_s: int
    bus_bytes_s: int | None
    transfer_bytes: int | None
    stall_s: float | None


class PlannedNode(Result, frozen=True, kw_only=True):
    """A node: its lines with pin, header, channel and colour, its image, its probes in half of a round trip."""

    board: str
    bus_width: int
    wires: tuple[Wire, ...]
    probe_events: float | None
    probe_most_ns: float | None


class PlannedBench(Result, frozen=True, kw_only=True):
    """The plan; `choice` and `bench`, the text of its file, are empty where no analyzer does it."""

    choice: str
    bench: str
    analyzers: tuple[PlannedAnalyzer, ...]
    delay_ns: float
    duration_s: float
    expanded_ns: float | None = None
    disk_bytes: int | None = None
    nodes: dict[str, PlannedNode] = msgspec.field(default_factory=dict)
    loads: dict[str, PlannedLoad] = msgspec.field(default_factory=dict)
    parts: dict[str, int] = msgspec.field(default_factory=dict)
    images: dict[str, str] = msgspec.field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
