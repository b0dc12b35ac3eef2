"""Bench files: which analyzers, which nodes, which channel is which line of which node."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import boards, consoles
from gpiorig.rig.bench import virtual as bench_virtual
from gpiorig.rig.bench.consoles import Console
from gpiorig.rig.bench.virtual import Virtual
from gpiorig.rig.bench.world import VirtualNode
from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import load as load_toml
from gpiorig.rig.strict_toml import parse

# The channels of libsigrok's `beaglelogic` driver, in its order (libsigrok 0.5.2, src/hardware/beaglelogic/api.c).
BEAGLELOGIC_CHANNELS = (
    *("P8_45", "P8_46", "P8_43", "P8_44", "P8_41", "P8_42", "P8_39", "P8_40"),
    *("P8_27", "P8_29", "P8_28", "P8_30", "P8_21", "P8_20"),
)

# The highest rate of libsigrok's driver (same file) and of the virtual analyzer.
MAX_VIRTUAL_HZ = 100_000_000

# Lines other than symbol bus and spans: serial output, and the radio's SPI bus, whose chip select is `tap.select`.
OTHER_LINES = ("uart_tx", "spi_clk", "spi_mosi", "spi_miso")

# Names become parts of file and channel names.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


class Analyzer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A logic analyzer: samplerate, and sigrok's driver with its connection; a virtual one has none before it runs.

    `sync` is the channel that the sync line is on (docs/reference/sync-line.md). The last three are limits of what it
    may be off by, where they are better known than by its driver (docs/guide/uncertainty.md).
    """

    samplerate_hz: Annotated[int, Meta(le=1_000_000_000)]
    driver: str | None = None
    sync: str | None = None
    clock_ppm: Annotated[float, Meta(ge=0, le=100_000)] | None = None
    skew_ns: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None
    aperture_ns: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None


class Node(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board on the bench: its type, its serial port, and the analyzer channel of each of its lines.

    `console` names how experiments talk to its firmware; None: as to our applications, which identify themselves.
    `baudrate` is that of its firmware on the serial port, where that is not the board's reference firmware's;
    `bus_width` and `symbol_ns` are what its image was built with (GPIORIG_WIDTH, GPIORIG_HOLD_NS), where that is not
    the board's; `frame_gap_ns` is the quiet that ends a frame, where that does not follow from them. `debug` is where
    it is flashed: an adapter's serial number or USB path, or the address of a virtual one.
    """

    board: str
    lines: dict[str, str]
    serial: str | None = None
    firmware: str | None = None
    console: str | None = None
    baudrate: Annotated[int, Meta(ge=300, le=12_000_000)] | None = None
    bus_width: Literal[1, 2, 4, 8] | None = None
    symbol_ns: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    frame_gap_ns: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    debug: str | None = None

    @property
    def described_console(self) -> Console | None:
        """The console that is named; raises `BenchError` if it has no description."""
        return None if self.console is None else consoles.load(self.console)

    @property
    def bits_per_second(self) -> int:
        """The rate of its serial port."""
        return self.baudrate or boards.load(self.board).baudrate

    @property
    def held_ns(self) -> int:
        """How long a symbol of its bus lasts at least."""
        return self.symbol_ns or boards.load(self.board).bus(self.width).symbol_ns

    @property
    def width(self) -> int:
        """How many data lines its symbol bus has."""
        return self.bus_width or boards.load(self.board).bus_width

    @property
    def data_lines(self) -> tuple[str, ...]:
        """Names of the data lines of its symbol bus, the least significant bit first."""
        return boards.data_lines(self.width)

    @property
    def gap_ns(self) -> int:
        """How long a quiet ends a frame: the board's at this width, longer with a longer hold, unless it is given."""
        bus = boards.load(self.board).bus(self.width)
        return self.frame_gap_ns or max(bus.frame_gap_ns, bus.frame_gap_ns * self.held_ns // bus.symbol_ns)


class Bench(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A complete bench; `virtual` is there on a virtual one only."""

    name: str
    analyzers: dict[str, Analyzer]
    nodes: dict[str, Node]
    virtual: Virtual | None = None

    @property
    def described_consoles(self) -> dict[str, Console | None]:
        """The console that is named for each node; None: it identifies itself."""
        return {name: node.described_console for name, node in self.nodes.items()}


def load(path: Path) -> Bench:
    """The checked bench of a file; raises `BenchError` with the file, the key and the remedy."""
    return check(load_toml(path, Bench, what="bench file"), what=f"bench file {path}")


def loads(text: str, *, what: str = "bench") -> Bench:
    """As `load`, from text."""
    return check(parse(text, Bench, what=what), what=what)


def check(bench: Bench, *, what: str) -> Bench:
    """The bench itself, if it can be; raises `BenchError` otherwise."""
    if not bench.nodes or not bench.analyzers:
        raise BenchError(f"{what}: needs at least one `[nodes.NAME]` and one `[analyzers.NAME]`.")
    for name in (*bench.nodes, *bench.analyzers):
        if not _NAME.fullmatch(name):
            raise BenchError(f"{what}: name `{name}`: use up to 64 letters, digits, - and _, a letter first.")
    for name, analyzer in bench.analyzers.items():
        if bench.virtual is None and analyzer.driver is None:
            raise BenchError(
                f'{what}: analyzers.{name} has no `driver`; give sigrok\'s, such as driver = "fx2lafw", '
                "or add a `[virtual]` section."
            )
    for name, node in bench.nodes.items():
        _check_node(name, node, virtual=bench.virtual, what=what)
    _check_ports(bench, what=what)
    _check_channels(bench, what=what)
    _check_samplerates(bench, what=what)
    if bench.virtual is not None:
        bench_virtual.check(
            bench.virtual,
            nodes=bench.nodes.keys(),
            analyzers=bench.analyzers.keys(),
            where=lambda channel: place(bench, channel),
            what=what,
        )
    return bench


def from_recording(recording: Recording) -> Bench:
    """The bench that a recording was made on.

    Raises
    ------
    BenchError
        It has none, as an imported one, or one that is wrong.
    """
    if not recording.info.bench and not any(recording.info.channels):
        raise BenchError(
            f"{recording.folder}: contains no edges of an analyzer. `gpiorig info` shows its content, "
            "for packets all of it; read lines of nodes with `gpiorig serial`, `latency` or `clocks`."
        )
    if not recording.info.bench:
        raise BenchError(
            f"{recording.folder}: has no bench, which names what its channels carry, so its edges are not events: "
            "give its file to `gpiorig report --bench`, or use `measure`, `decode` or `export`, which need none."
        )
    return loads(recording.info.bench, what=f"bench in {recording.folder}")


def place(bench: Bench, channel: str) -> tuple[str, str]:
    """The analyzer and its channel that a bench file means: `la:P8_45`, or `P8_45` where there is one analyzer.

    Raises
    ------
    ValueError
        The bench has no such channel.
    """
    analyzer, colon, name = channel.partition(":")
    if not colon:
        analyzer, name = next(iter(bench.analyzers)), channel
        if len(bench.analyzers) > 1:
            raise ValueError(f"channel `{channel}` of which analyzer? Write {analyzer}:{channel}.")
    if analyzer not in bench.analyzers:
        raise ValueError(f"channel `{channel}`: there is no analyzer `{analyzer}`.")
    if bench.virtual is not None and name not in BEAGLELOGIC_CHANNELS:
        raise ValueError(f"the virtual analyzer has no channel {name}; it has {', '.join(BEAGLELOGIC_CHANNELS)}.")
    return analyzer, name


def settle_ns(bench: Bench, node: str) -> int:
    """How long after a strobe edge the data lines of a node are read in a merged recording: a sample of its analyzer.

    Rounded down, so that it is one sample where that analyzer is the reference; 0 where there is one analyzer.
    """
    channel = bench.nodes[node].lines.get("strobe")
    if channel is None or len(bench.analyzers) == 1:
        return 0
    return 1_000_000_000 // bench.analyzers[place(bench, channel)[0]].samplerate_hz


def pins(name: str, node: Node, virtual: Virtual) -> dict[str, str]:
    """Where each line of a virtual node comes out: its board's pins, and the node's own."""
    return boards.load(node.board).pins | virtual.nodes.get(name, VirtualNode()).pins


def _check_node(name: str, node: Node, *, virtual: Virtual | None, what: str) -> None:
    try:
        board = boards.load(node.board)
    except BenchError as error:
        raise BenchError(f"{what}: nodes.{name}.board: {error}") from error
    try:
        _ = node.described_console
    except BenchError as error:
        raise BenchError(f"{what}: nodes.{name}.console: {error}") from error
    if node.width not in board.widths:
        raise BenchError(
            f"{what}: nodes.{name}.bus_width is {node.width}; the pins of {board.name} can have "
            f"{', '.join(map(str, board.widths))}."
        )
    bus = {"strobe", *node.data_lines}
    missing = sorted(bus - node.lines.keys())
    if missing and bus & node.lines.keys():  # an image without probes has none of them
        narrower = [width for width in board.widths if width < node.width]
        remedy = f" For an image with fewer, write `bus_width = {narrower[0]}`." if narrower else ""
        raise BenchError(
            f"{what}: nodes.{name}.lines lacks {', '.join(missing)}; a symbol bus of width {node.width} has "
            f"{', '.join(sorted(bus))}.{remedy}"
        )
    for line in node.lines.keys() - bus - set(OTHER_LINES):
        if f"{line}.enter" not in BY_NAME:
            raise BenchError(
                f"{what}: nodes.{name}.lines.{line}: no such line; valid are {', '.join((*sorted(bus), *OTHER_LINES))} "
                "and the spans of docs/reference/events.md, such as tap.irq."
            )
    if virtual is not None:
        known = pins(name, node, virtual)
        unknown = sorted(node.lines.keys() - known.keys())
        if unknown:
            raise BenchError(
                f"{what}: nodes.{name}.lines: the virtual {board.name} has no pin for {', '.join(unknown)}; it has "
                f"{', '.join(sorted(known))}. Name others in [virtual.nodes.{name}.pins]."
            )
        start = virtual.nodes.get(name, VirtualNode()).radio_start
        if start not in board.radio.virtual_starts:
            raise BenchError(
                f"{what}: virtual.nodes.{name}.radio_start is `{start}`; the virtual {board.radio.name} has "
                f"{', '.join(board.radio.virtual_starts)}."
            )
    elif node.serial is None and node.console != consoles.NONE:
        raise BenchError(
            f'{what}: nodes.{name} has no `serial`; give its port, such as serial = "/dev/ttyUSB0", or '
            f'console = "{consoles.NONE}" for firmware that is not spoken to.'
        )


def _check_ports(bench: Bench, *, what: str) -> None:
    """A port, however it is named, is one node's."""
    owners: dict[str, str] = {}
    for name, node in bench.nodes.items():
        if bench.virtual is not None or node.serial is None:
            continue
        port = node.serial if "://" in node.serial else os.path.realpath(node.serial)
        if (owner := owners.setdefault(port, name)) != name:
            raise BenchError(
                f"{what}: nodes.{owner} and nodes.{name} have the same `serial`, {node.serial}; each node has a port "
                "of its own (`ls /dev/serial/by-id` names those that are there)."
            )


def _check_samplerates(bench: Bench, *, what: str) -> None:
    """Data lines are read one sample after the strobe's edge, so a symbol must last two samples.

    A recording of so few can be read; to record, it takes three (`symbols.refuse_short`).
    """
    for name, analyzer in bench.analyzers.items():
        held_ns = [
            node.held_ns
            for node in bench.nodes.values()
            if "strobe" not in node.lines or place(bench, node.lines["strobe"])[0] == name
        ]
        symbol_ns = min(held_ns, default=1_000_000)
        least_hz = 2 * 1_000_000_000 // symbol_ns
        if bench.virtual is not None and analyzer.samplerate_hz > MAX_VIRTUAL_HZ:
            raise BenchError(
                f"{what}: analyzers.{name}.samplerate_hz is {analyzer.samplerate_hz}; a virtual analyzer takes up to "
                f"{MAX_VIRTUAL_HZ}."
            )
        if analyzer.samplerate_hz < least_hz:
            raise BenchError(
                f"{what}: analyzers.{name}.samplerate_hz is {analyzer.samplerate_hz}; a symbol of the bus may last "
                f"{symbol_ns} ns, which takes {least_hz} at least, better 24000000."
            )


def _check_channels(bench: Bench, *, what: str) -> None:
    wanted = [channel for node in bench.nodes.values() for channel in node.lines.values()]
    wanted += [f"{name}:{analyzer.sync}" for name, analyzer in bench.analyzers.items() if analyzer.sync]
    try:
        uses = Counter(place(bench, channel) for channel in wanted)
    except ValueError as error:
        raise BenchError(f"{what}: {error}") from error
    twice = sorted(channel for (_, channel), count in uses.items() if count > 1)
    if twice:
        raise BenchError(f"{what}: more than one line on channel {', '.join(twice)}; a channel sees one line.")
