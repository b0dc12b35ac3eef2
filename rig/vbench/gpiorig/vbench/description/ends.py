"""What a virtual bench has towards the host: its analyzers, the serial path, the sync line; and their faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from gpiorig.rig.errors import BenchError
from gpiorig.vbench.description.modelled_usb import UsbModel

# A larger error is not that of a clock.
ClockError = Annotated[int, Meta(ge=-100_000_000, le=100_000_000)]

Instant = Annotated[int, Meta(ge=0, le=10**12)]  # us of virtual time since the boards left reset; up to 11 days
Span = Annotated[int, Meta(ge=1, le=10**12)]
DelayPs = Annotated[int, Meta(ge=0, le=10**9)]
Microseconds = Annotated[int, Meta(ge=0, le=10**6)]
Ppm = Annotated[int, Meta(ge=1, le=1_000_000)]


class VirtualThreshold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How late a channel of an analyzer sees edges.

    Attributes
    ----------
    rise_ps, fall_ps
        A rising and a falling one.
    """

    rise_ps: DelayPs = 0
    fall_ps: DelayPs = 0


class VirtualAnalyzer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An analyzer: where its samples come out, its clock, and how exactly its channels see edges.

    Attributes
    ----------
    usb
        Such a device on a modelled USB, whose samples come over the TCP port, in place of a BeagleLogic.
    port
        TCP port on 127.0.0.1; 0: any free one.
    clock_ppb
        Error of its clock.
    phase_ps
        From the start of a capture to its first sample.
    drift_ppb, drift_period_ms
        Its clock's error goes up and down by this much, in this time.
    window_ps
        An edge this near to a sampling instant is seen by it or by the next.
    thresholds
        By channel.
    """

    usb: UsbModel | None = None
    port: Annotated[int, Meta(ge=0, le=65_535)] = 0
    clock_ppb: ClockError = 0
    phase_ps: Annotated[int, Meta(ge=0, le=10**12)] = 0
    drift_ppb: ClockError = 0
    drift_period_ms: Annotated[int, Meta(ge=1, le=10**9)] = 600_000
    window_ps: DelayPs = 0
    thresholds: dict[str, VirtualThreshold] = {}


class VirtualSync(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The source of the sync line.

    Attributes
    ----------
    clock_ppb
        Error of its clock.
    """

    clock_ppb: ClockError = 0


class VirtualSerial(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The way from a board's TX pin to the host's program (rig/vbench/vboards/src/hostpath/mod.rs has the sources).

    The adapter's defaults are an FT232R's with Linux's driver; the reader's are assumptions about an ordinary PC.

    Attributes
    ----------
    latency_timer_ms
        Of the adapter.
    packet_bytes
        User bytes of a full USB packet.
    request_packets
        Packets that the driver asks for at once.
    poll_us
        How often the host asks.
    buffer_bytes
        Of the adapter; what does not fit is lost.
    readers
        A thread for each port, or a single one for all.
    wake_us, wake_tail_us
        Until a waiting reader runs: at least, and a random time of this mean more.
    other_period_us, other_us
        In every such period other work of the host, of this length.
    read_us
        Per read, timestamped at its end.
    line_us
        Above 0: each line takes this long and has its own timestamp.
    """

    latency_timer_ms: Annotated[int, Meta(ge=1, le=255)] = 16
    packet_bytes: Annotated[int, Meta(ge=1, le=510)] = 62
    request_packets: Annotated[int, Meta(ge=1, le=64)] = 8
    poll_us: Annotated[int, Meta(ge=125, le=10_000)] = 1000
    buffer_bytes: Annotated[int, Meta(ge=1, le=65_536)] = 256
    readers: Literal["per_port", "one"] = "per_port"
    wake_us: Microseconds = 20
    wake_tail_us: Microseconds = 30
    other_period_us: Microseconds = 20_000
    other_us: Microseconds = 500
    read_us: Microseconds = 10
    line_us: Microseconds = 0


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """A fault has a kind. Times are in us of virtual time since the boards left reset.

    Attributes
    ----------
    analyzer
        Whose; the only one, if it is not given.
    node, channel, other
        Whose; a second channel.
    from_us, for_us
        When it begins, and how long it lasts; by default to the end.
    at_us, every_us
        When it comes; in place of a list of instants the mean time between random ones.
    ppm
        How many of a million.
    level, wins
        The level that is seen.
    """


class _Lasting(Fault, frozen=True):
    """A fault that is there from an instant on, for a while or, by default, to the end."""

    from_us: Instant = 0
    for_us: Span | None = None


class _Short(_Lasting, frozen=True):
    """A fault that comes at given instants, or at random ones with this mean time between two."""

    at_us: list[Instant] = []
    every_us: Span | None = None


class Glitch(_Short, frozen=True, kw_only=True, tag="glitch"):
    """A channel sees its line inverted for a random time between the two widths.

    Attributes
    ----------
    width_ps
        The least and the most.
    """

    channel: str
    width_ps: Annotated[list[Annotated[int, Meta(ge=1, le=10**12)]], Meta(min_length=2, max_length=2)]


class Stuck(_Lasting, frozen=True, kw_only=True, tag="stuck"):
    """A channel sees one level whatever its line does."""

    channel: str
    level: Literal[0, 1]


class Floating(_Lasting, frozen=True, kw_only=True, tag="floating"):
    """Nothing drives a channel, as with a clip that is off: it changes at random.

    Attributes
    ----------
    toggle_hz
        How often on average.
    """

    channel: str
    toggle_hz: Annotated[int, Meta(ge=1, le=10**9)]


class Swapped(_Lasting, frozen=True, kw_only=True, tag="swapped"):
    """Two channels of an analyzer are swapped."""

    channel: str
    other: str


class Joined(_Lasting, frozen=True, kw_only=True, tag="joined"):
    """Two lines of an analyzer touch: where they differ, both are at the level that wins."""

    channel: str
    other: str
    wins: Literal[0, 1] = 0


class Dropped(_Short, frozen=True, kw_only=True, tag="dropped"):
    """An analyzer loses a block of samples and continues; nothing that it sends shows it.

    Attributes
    ----------
    samples
        How many each time.
    """

    samples: Annotated[int, Meta(ge=1, le=2**40)]
    analyzer: str = ""


class Dies(Fault, frozen=True, kw_only=True, tag="dies"):
    """An analyzer's connection closes in the middle of a capture; one on the USB sends nothing more."""

    at_us: Instant
    analyzer: str = ""


class Stalls(Fault, frozen=True, kw_only=True, tag="stalls"):
    """An analyzer sends nothing more, and its connection stays."""

    at_us: Instant
    analyzer: str = ""


class SerialStall(Fault, frozen=True, kw_only=True, tag="serial_stall"):
    """A node's serial adapter hands nothing over for a while; what exceeds its buffer is lost."""

    node: str
    from_us: Instant
    for_us: Span


class Garbled(_Lasting, frozen=True, kw_only=True, tag="garbled"):
    """One bit flips in `ppm` of a million bytes of a node's serial line."""

    node: str
    ppm: Ppm


class LostBytes(_Lasting, frozen=True, kw_only=True, tag="lost_bytes"):
    """`ppm` of a million bytes of a node's serial line are lost."""

    node: str
    ppm: Ppm


class LostLines(_Lasting, frozen=True, kw_only=True, tag="lost_lines"):
    """`ppm` of a million lines of a node's serial line are lost."""

    node: str
    ppm: Ppm


ChannelFault = Glitch | Stuck | Floating | Swapped | Joined
AnalyzerFault = Dropped | Dies | Stalls
SerialFault = SerialStall | Garbled | LostBytes | LostLines
EndFault = ChannelFault | AnalyzerFault | SerialFault

Where = Callable[[str], tuple[str, str]]  # "la:P8_45" -> ("la", "P8_45"), or ValueError


def channels(fault: ChannelFault) -> tuple[str, ...]:
    """The channels that a fault is about."""
    return (fault.channel, fault.other) if isinstance(fault, Swapped | Joined) else (fault.channel,)


def check(analyzers: dict[str, VirtualAnalyzer], serial: VirtualSerial, *, where: Where, what: str) -> None:
    """Raise `BenchError` if the analyzers' channels or the serial path cannot be."""
    for name, analyzer in analyzers.items():
        for channel in analyzer.thresholds:
            try:
                where(f"{name}:{channel}")
            except ValueError as error:
                raise BenchError(f"{what}: virtual.analyzers.{name}.thresholds: {error}") from error
    if serial.buffer_bytes < serial.packet_bytes:
        raise BenchError(
            f"{what}: virtual.serial: buffer_bytes = {serial.buffer_bytes} holds no packet of {serial.packet_bytes}."
        )


def check_fault(fault: EndFault, *, nodes: set[str], analyzers: set[str], where: Where, what: str) -> None:
    """Raise `BenchError` if the fault is about something that the bench does not have."""
    kind = type(fault).__struct_config__.tag
    place = f"{what}: virtual.faults, {kind}"
    if isinstance(fault, ChannelFault):
        try:
            ends = {where(channel)[0] for channel in channels(fault)}
        except ValueError as error:
            raise BenchError(f"{place}: {error}") from error
        if len(ends) > 1:
            raise BenchError(f"{place}: the channels are of different analyzers; clips of one are swapped or joined.")
        if isinstance(fault, Glitch) and fault.width_ps[0] > fault.width_ps[1]:
            raise BenchError(f"{place}: width_ps is [least, most], such as [5_000, 20_000].")
    elif isinstance(fault, AnalyzerFault):
        if fault.analyzer not in analyzers and (fault.analyzer or len(analyzers) > 1):
            raise BenchError(
                f"{place}: there is no analyzer `{fault.analyzer}`; the bench has {', '.join(sorted(analyzers))}."
            )
    elif fault.node not in nodes:
        raise BenchError(f"{place}: there is no node `{fault.node}`; the bench has {', '.join(sorted(nodes))}.")
    if isinstance(fault, _Short) and bool(fault.at_us) == bool(fault.every_us):
        raise BenchError(f"{place}: give either at_us = [instants] or every_us = mean time between two.")
