"""The `[virtual]` section for the core: the part `section` of the virtual bench (gpiorig.rig.bench.virtual_section)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from gpiorig.analysis.delays.instruments import Setting
from gpiorig.rig import strict_toml
from gpiorig.rig.bench import boards
from gpiorig.rig.bench.bench import BEAGLELOGIC_CHANNELS, Bench
from gpiorig.rig.bench.node import Node
from gpiorig.rig.errors import BenchError
from gpiorig.vbench.description import model_doubt as doubts
from gpiorig.vbench.description import virtual as description
from gpiorig.vbench.description.ends import Dropped, VirtualAnalyzer
from gpiorig.vbench.description.modelled_usb import MODELS
from gpiorig.vbench.description.virtual import Virtual
from gpiorig.vbench.description.world import VirtualNode

# How long a radio may take from its power to its first SPI access (rig/vbench/vboards/src/radio/cc2420/timing.rs);
# others have `typical` only.
RADIO_STARTS = {"CC2420": ("typical", "maximum")}
MAX_HZ = 100_000_000  # of the virtual analyzer and of libsigrok's `beaglelogic` driver (0.5.2, api.c)


class _File(msgspec.Struct):
    """A bench file, of which only the section is read."""

    virtual: Virtual


def of(bench: Bench) -> Virtual:
    """The section of a bench; a bench of boards has that of an empty one."""
    return msgspec.convert(bench.virtual or {}, Virtual)


def complete(table: Mapping[str, Any], *, source: str) -> dict[str, Any]:
    """The table with every key; raises `BenchError` with the key if one of it is unknown or impossible."""
    virtual = strict_toml.convert({"virtual": table}, _File, what=source).virtual
    every: dict[str, Any] = msgspec.to_builtins(virtual)
    return every


def check(bench: Bench, *, source: str) -> None:
    """Raise `BenchError` where the section does not fit the bench."""
    virtual = of(bench)
    for name, node in bench.nodes.items():
        _check_node(name, node, virtual, source=source)
        for wired in node.lines.values():
            _check_channel(bench, wired, source=source)
    for name, analyzer in bench.analyzers.items():
        if analyzer.sync:
            _check_channel(bench, f"{name}:{analyzer.sync}", source=source)
        if analyzer.samplerate_hz > MAX_HZ:
            raise BenchError(
                f"{source}: analyzers.{name}.samplerate_hz is {analyzer.samplerate_hz}; a virtual analyzer takes up to "
                f"{MAX_HZ}."
            )
    description.check(
        virtual,
        nodes=bench.nodes.keys(),
        analyzers=bench.analyzers.keys(),
        where=lambda channel: place(bench, channel),
        what=source,
    )


def place(bench: Bench, channel: str) -> tuple[str, str]:
    """The analyzer and its channel that a bench file means; raises `ValueError` if the analyzer has no such channel."""
    analyzer, name = bench.place(channel)
    if name not in (names := channels(of(bench), analyzer)):
        raise ValueError(f"the virtual analyzer has no channel {name}; it has {', '.join(names)}.")
    return analyzer, name


def channels(virtual: Virtual, analyzer: str) -> tuple[str, ...]:
    """The channels of an analyzer, in the order of the bits of a sample."""
    model = virtual.analyzers.get(analyzer, VirtualAnalyzer()).usb
    return MODELS[model].channels if model else BEAGLELOGIC_CHANNELS


def pins(name: str, node: Node, virtual: Virtual) -> dict[str, str]:
    """Where each line of a node comes out: its board's pins, and the node's own."""
    return node.described_board.pins | virtual.nodes.get(name, VirtualNode()).pins


def driver(bench: Bench, analyzer: str) -> str | None:
    """Sigrok's driver of an analyzer; None: the bench states it when it runs."""
    model = of(bench).analyzers.get(analyzer, VirtualAnalyzer()).usb
    return MODELS[model].driver if model else None


def parameters(bench: Bench) -> dict[str, int]:
    """What of the section are parameters of a recording."""
    return {"bench_seed": of(bench).seed}


def model_changes(bench: Bench) -> dict[str, int]:
    """Settings of the timing model that are not its own: of all boards, and NODE.NAME of one."""
    virtual = of(bench)
    nodes = {f"{node}.{name}": value for node, table in virtual.nodes.items() for name, value in table.timing.items()}
    return virtual.timing | nodes


def model_doubt(board: str) -> tuple[Setting, ...]:
    """The numbers of a board's timing model that are in doubt; none where that was not measured."""
    return doubts.of(board)


def has_own_time(bench: Bench) -> bool:
    """Whether its time is not the host's, and may stand still."""
    return of(bench).pace == "fast"


def drops(bench: Bench, analyzer: str) -> bool:
    """Whether an analyzer loses samples by a fault that is asked for."""
    only = next(iter(bench.analyzers))
    return any(isinstance(fault, Dropped) and (fault.analyzer or only) == analyzer for fault in of(bench).faults)


def _check_channel(bench: Bench, channel: str, *, source: str) -> None:
    try:
        place(bench, channel)
    except ValueError as error:
        raise BenchError(f"{source}: {error}") from error


def _check_node(name: str, node: Node, virtual: Virtual, *, source: str) -> None:
    board = node.described_board
    if board.name not in boards.names():
        raise BenchError(
            f"{source}: nodes.{name}.board: no model of {board.name} exists; use one of {', '.join(boards.names())}."
        )
    has_pins = pins(name, node, virtual)
    if unknown := sorted(node.lines.keys() - has_pins.keys()):
        raise BenchError(
            f"{source}: nodes.{name}.lines: the virtual {board.name} has no pin for {', '.join(unknown)}; it has "
            f"{', '.join(sorted(has_pins))}. Name others in [virtual.nodes.{name}.pins]."
        )
    described = virtual.nodes.get(name, VirtualNode())
    start = described.radio_start
    starts = RADIO_STARTS.get(board.radio.name, ("typical",))
    if start not in starts:
        raise BenchError(
            f"{source}: virtual.nodes.{name}.radio_start is `{start}`; the virtual {board.radio.name} has "
            f"{', '.join(starts)}."
        )
    if described.build_code is not None and board.radio.name != "nRF52840":
        raise BenchError(
            f"{source}: virtual.nodes.{name}.build_code is `{described.build_code}`; {board.name} has no nRF52840. "
            "Delete it."
        )
