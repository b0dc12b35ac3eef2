"""The nodes of a bench file: boards with their lines, and what their images were built with."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from gpiorig.rig.bench import boards, consoles
from gpiorig.rig.bench.boards import Board
from gpiorig.rig.bench.consoles import Console

# Lines other than symbol bus and spans: serial output, the radio's SPI bus, whose chip select is `tap.select`, and what
# a radio shows that no event stands for, to be measured.
OTHER_LINES = ("uart_tx", "spi_clk", "spi_mosi", "spi_miso", "radio_ready", "radio_cca_idle", "radio_cca_busy")


class Node(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board on the bench.

    Attributes
    ----------
    board
        A name, or the path of a board file relative to the bench file; in a bench that was read, its description.
    lines
        The analyzer's channel of each line, as ``D0`` or ``ANALYZER:D0``: strobe and data lines of the symbol bus,
        spans of firmware-gpio-probes/events.toml, `OTHER_LINES`.
    serial
        Its serial port.
    firmware
        Its image; the board's reference firmware otherwise.
    console
        How experiments talk to its firmware (docs/reference/consoles.md); otherwise it identifies itself.
    baudrate
        Of its serial port; that of the board's reference firmware otherwise.
    bus_width, symbol_ns
        What its image was built with (GPIORIG_WIDTH, GPIORIG_HOLD_NS); the board's otherwise.
    frame_gap_ns
        The quiet that ends a frame of its bus; otherwise it follows from the two above.
    debug
        Where it is flashed: an adapter's serial number or USB path, as ``usb:1-2.3``, or a virtual one's address.
    """

    board: str | Board
    lines: dict[str, str] = {}
    serial: str | None = None
    firmware: str | None = None
    console: str | None = None
    baudrate: Annotated[int, Meta(ge=300, le=12_000_000)] | None = None
    bus_width: Literal[1, 2, 4, 8] | None = None
    symbol_ns: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    frame_gap_ns: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    debug: str | None = None

    @property
    def described_board(self) -> Board:
        """The board that is named; raises `BenchError` if it has no description."""
        return boards.load(self.board) if isinstance(self.board, str) else self.board

    @property
    def board_name(self) -> str:
        """The name of its board."""
        return self.board if isinstance(self.board, str) else self.board.name

    @property
    def described_console(self) -> Console | None:
        """The console that is named; raises `BenchError` if it has no description."""
        return None if self.console is None else consoles.load(self.console)

    @property
    def bits_per_second(self) -> int:
        """The rate of its serial port."""
        return self.baudrate or self.described_board.baudrate

    @property
    def held_ns(self) -> int:
        """How long a symbol of its bus lasts at least."""
        return self.symbol_ns or self.described_board.bus(self.width).symbol_ns

    @property
    def width(self) -> int:
        """How many data lines its symbol bus has."""
        return self.bus_width or self.described_board.bus_width

    @property
    def has_bus(self) -> bool:
        """Whether its symbol bus is wired; that of an image without probes is not."""
        return "strobe" in self.lines

    @property
    def data_lines(self) -> tuple[str, ...]:
        """Names of the data lines of its symbol bus, the least significant bit first."""
        return boards.data_lines(self.width)

    @property
    def gap_ns(self) -> int:
        """How long a quiet ends a frame: the board's at this width, longer with a longer hold, unless it is given."""
        bus = self.described_board.bus(self.width)
        return self.frame_gap_ns or max(bus.frame_gap_ns, bus.frame_gap_ns * self.held_ns // bus.symbol_ns)
