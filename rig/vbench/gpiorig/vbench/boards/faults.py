"""The faults of a bench file, as calls of the virtual boards."""

from __future__ import annotations

from collections.abc import Iterator

from gpiorig.rig.bench.bench import Bench
from gpiorig.vbench.boards.vboards import AnalyzerFaultCall, VirtualBoards
from gpiorig.vbench.description import section
from gpiorig.vbench.description.ends import (
    AnalyzerFault,
    ChannelFault,
    Dies,
    Dropped,
    Floating,
    Garbled,
    Glitch,
    Joined,
    LostBytes,
    LostLines,
    SerialStall,
    Stalls,
    Stuck,
)
from gpiorig.vbench.description.virtual import Virtual
from gpiorig.vbench.description.world import BrownOut, ClockStep


def analyzer_calls(bench: Bench, analyzer: str) -> list[AnalyzerFaultCall]:
    """The faults of one analyzer and its wiring; those of channels that it does not sample are in it."""
    calls: list[AnalyzerFaultCall] = []
    for fault in section.of(bench).faults:
        if isinstance(fault, ChannelFault) and section.place(bench, fault.channel)[0] == analyzer:
            calls += _channel_calls(bench, fault)
        elif isinstance(fault, AnalyzerFault) and (fault.analyzer or next(iter(bench.analyzers))) == analyzer:
            calls += _block_calls(fault)
    return calls


def closes_connection(bench: Bench, analyzer: str) -> bool:
    """Whether the analyzer's end closes its connection; otherwise it falls silent."""
    ends = [fault for fault in section.of(bench).faults if isinstance(fault, Dies | Stalls)]
    own = [fault for fault in ends if (fault.analyzer or next(iter(bench.analyzers))) == analyzer]
    return bool(own) and isinstance(min(own, key=lambda fault: fault.at_us), Dies)


def add_serial_faults(bench: Bench, boards: VirtualBoards, index: dict[str, int]) -> None:
    """Add the faults of the serial lines; `index` is the board of each node."""
    kinds = {Garbled: "garbled", LostBytes: "lost_bytes", LostLines: "lost_lines"}
    for fault in section.of(bench).faults:
        if isinstance(fault, SerialStall):
            boards.serial_fault(index[fault.node], "stall", ppm=0, from_us=fault.from_us, for_us=fault.for_us)
        elif isinstance(fault, Garbled | LostBytes | LostLines):
            boards.serial_fault(
                index[fault.node], kinds[type(fault)], ppm=fault.ppm, from_us=fault.from_us, for_us=fault.for_us
            )


def clock_steps(virtual: Virtual, node: str) -> list[ClockStep]:
    """The steps of a node's clock."""
    return [fault for fault in virtual.faults if isinstance(fault, ClockStep) and fault.node == node]


def add_brown_outs(virtual: Virtual, boards: VirtualBoards, index: dict[str, int]) -> None:
    """Add the failures of the boards' supplies."""
    for fault in virtual.faults:
        if isinstance(fault, BrownOut):
            boards.brown_out(index[fault.node], fault)


def _number(bench: Bench, channel: str) -> int:
    analyzer, name = section.place(bench, channel)
    return section.channels(section.of(bench), analyzer).index(name)


def _channel_calls(bench: Bench, fault: ChannelFault) -> Iterator[AnalyzerFaultCall]:
    channel = _number(bench, fault.channel)
    span = (fault.from_us, fault.for_us)
    if isinstance(fault, Stuck):
        yield AnalyzerFaultCall("stuck", channel, fault.level, 0, *span)
    elif isinstance(fault, Floating):
        yield AnalyzerFaultCall("floating", channel, fault.toggle_hz, 0, *span)
    elif isinstance(fault, Glitch):
        for times in _instants(fault):
            yield AnalyzerFaultCall("glitch", channel, fault.width_ps[0], fault.width_ps[1], *times)
    elif isinstance(fault, Joined):
        yield AnalyzerFaultCall("joined", channel, _number(bench, fault.other), fault.wins, *span)
    else:
        yield AnalyzerFaultCall("swapped", channel, _number(bench, fault.other), 0, *span)


def _block_calls(fault: AnalyzerFault) -> Iterator[AnalyzerFaultCall]:
    if isinstance(fault, Dropped):
        for times in _instants(fault):
            yield AnalyzerFaultCall("dropped", 0, fault.samples, 0, *times)
    else:
        yield AnalyzerFaultCall("end", from_us=fault.at_us)


def _instants(fault: Glitch | Dropped) -> Iterator[tuple[int, int | None, int]]:
    """(from, for, every) of each call: one for all random instants, or one per given instant."""
    if fault.every_us:
        yield fault.from_us, fault.for_us, fault.every_us
    for at_us in fault.at_us:
        yield at_us, None, 0
