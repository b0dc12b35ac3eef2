"""Board types and their radios: one TOML file each, data only. A file adds a board, or a radio."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from gpiorig.rig.bench.flashing import Method
from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import convert, parse
from gpiorig.rig.strict_toml import load as load_toml


class Constant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a constant of a radio, which firmware, model and analysis share.

    Attributes
    ----------
    ns, uncertainty_ns
        Its value and half width.
    source, witness
        Where it is from, and who confirms it without sharing that source; without a witness a report states so.
    """

    name: str
    ns: int
    source: str
    uncertainty_ns: int = 0
    witness: str = ""

    @property
    def text(self) -> str:
        """The value with its source."""
        return f"{self.ns / 1e3:g} µs, {self.name} ({self.source}{'' if self.witness else '; unwitnessed'})"


class StateCurrent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is drawn in a state, in A, its half width, and where both are from."""

    amperes: float
    source: str
    uncertainty: float = 0.0


class Radio(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the analysis must know of a radio, and what its virtual model can do.

    Attributes
    ----------
    frame_timestamp
        Parts of the time from the first bit on the air to the edge of the frame timestamp line.
    profile_timestamps_ns
        Their sum with another `radio_profile`.
    decoder, decoder_pins
        The sigrok decoder of its SPI bus; the pins that the decoder declares after those of SPI, in its order, and the
        line of a bench on each, or nothing.
    busy_ns, poll_ns
        How long after its interrupt at the end of a reception it is busy with the acknowledgement, and how often the
        driver asks.
    waits_in_software
        Whether it is the driver that waits before a transmission.
    currents
        What it draws while it sends, listens, and does neither.
    """

    name: str
    frame_timestamp: tuple[Constant, ...]
    profile_timestamps_ns: dict[str, int] = {}
    decoder: str | None = None
    decoder_pins: dict[str, str] = {}
    busy_ns: int = 0
    poll_ns: int = 0
    waits_in_software: bool = False
    currents: dict[Literal["send", "listen", "off"], StateCurrent] = {}

    @property
    def frame_timestamp_ns(self) -> int:
        """From the first bit on the air to the edge of the frame timestamp line."""
        return sum(part.ns for part in self.frame_timestamp)

    @property
    def frame_timestamp_uncertainty_ns(self) -> int:
        """Half width of that."""
        return sum(part.uncertainty_ns for part in self.frame_timestamp)

    @property
    def frame_timestamp_source(self) -> str:
        """Its parts with their sources."""
        return " + ".join(part.text for part in self.frame_timestamp)

    @property
    def unwitnessed(self) -> str:
        """The parts without a witness, and by how much each may be wrong; empty where all have one."""
        parts = (part for part in self.frame_timestamp if not part.witness)
        return ", ".join(f"{part.name}, {part.ns / 1e3:g} ± {part.uncertainty_ns / 1e3:g} µs" for part in parts)


class SymbolBus(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A symbol lasts `symbol_ns` at least; a quiet of `frame_gap_ns`, longer than any symbol, ends a frame.

    Attributes
    ----------
    event_ns, event_with_id_ns
        What an event without and with an id takes the processor, for plans; None: that was not measured.
    """

    symbol_ns: int
    frame_gap_ns: int
    event_ns: int | None = None
    event_with_id_ns: int | None = None


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board type: where its lines come out, how its symbol bus behaves, which image it runs, which radio it has.

    Attributes
    ----------
    like
        The board whose file has the keys that this one's leaves out, such as a variant with another radio.
    bus_width
        Data lines of the symbol bus, unless its image is built with another number (GPIORIG_WIDTH).
    buses
        Its symbol bus, by each width that the pins can have.
    min_hold_ns
        The least of the build option GPIORIG_HOLD_NS, where its port has one.
    flash
        How it takes an image, where `gpiorig flash` can do it.
    timer_ppm
        By how much the rate of its timer changes in a run without a fault; None: it has a crystal.
    headers
        Where a clip finds the pin of each line, and `ground`.
    supply_v, currents
        Voltage of its supply, and what it draws without its radio while the processor runs and sleeps; for estimates.
    """

    name: str
    baudrate: int
    firmware: str
    bus_width: int
    buses: dict[Literal["1", "2", "4", "8"], SymbolBus]
    pins: dict[str, str]
    radio_name: str = msgspec.field(name="radio")
    like: str = ""
    min_hold_ns: int | None = None
    flash: Method | None = None
    timer_ppm: float | None = None
    headers: dict[str, str] = {}
    supply_v: float = 3.0
    currents: dict[Literal["run", "sleep"], StateCurrent] = {}

    @property
    def machine(self) -> str:
        """The board whose processor, clocks and pins it has: the one that it is like, or itself."""
        return self.like or self.name

    @property
    def widths(self) -> tuple[int, ...]:
        """The widths that its symbol bus can have."""
        return tuple(map(int, self.buses))

    @property
    def symbol_ns(self) -> int:
        """How long a symbol lasts at least, with `bus_width` data lines."""
        return self.bus(self.bus_width).symbol_ns

    @property
    def frame_gap_ns(self) -> int:
        """How long a quiet ends a frame, with `bus_width` data lines."""
        return self.bus(self.bus_width).frame_gap_ns

    @property
    def data_lines(self) -> tuple[str, ...]:
        """Names of the data lines of the symbol bus, the least significant bit first."""
        return data_lines(self.bus_width)

    def bus(self, width: int) -> SymbolBus:
        """Its symbol bus with this many data lines; raises `KeyError` where the pins cannot have them."""
        return {int(key): bus for key, bus in self.buses.items()}[width]

    @property
    def radio(self) -> Radio:
        """Its radio; raises `BenchError` if there is no such radio, or its file is wrong."""
        return _radio(self.radio_name)


def timestamp_ns(board: Board, node: str, parameters: Mapping[str, Any]) -> int:
    """From the first bit on the air to the edge of a node's frame timestamp line, with the settings of a recording."""
    radio = board.radio
    profile = parameters.get(f"{node}.radio_profile", parameters.get("radio_profile"))
    return radio.profile_timestamps_ns.get(str(profile), radio.frame_timestamp_ns)


T = TypeVar("T", Radio, dict[str, Any])


def data_lines(width: int) -> tuple[str, ...]:
    """Names of the data lines of a symbol bus of this width, the least significant bit first."""
    return tuple(f"d{bit}" for bit in range(width))


def names(folder: str = ".") -> list[str]:
    """Names of the boards that have a file, or of the radios in the folder ``radios``."""
    entries = (files("gpiorig.rig") / "boards" / folder).iterdir()
    return sorted(entry.name.removesuffix(".toml") for entry in entries if entry.name.endswith(".toml"))


@cache
def load(name: str) -> Board:
    """The board of that name.

    Raises
    ------
    BenchError
        There is no such board, or its file is wrong.
    """
    what = f"board file {name}.toml"
    return check(_board(_load(".", name, dict, "board"), what=what), what=what)


def load_file(path: Path) -> Board:
    """The board of a file outside the package; raises as `load`."""
    what = f"board file {path}"
    return check(_board(load_toml(path, dict, what="board file"), what=what), what=what)


def is_file(name: str) -> bool:
    """Whether a bench file means a file by this name of a board: a path, or a name with the ending of one."""
    return "/" in name or name.endswith(".toml")


def check(board: Board, *, what: str) -> Board:
    """The board itself; raises `BenchError` where its parts contradict each other."""
    if board.bus_width not in board.widths:
        raise BenchError(f"{what}: bus_width is {board.bus_width}; [buses] has {', '.join(board.buses)}. Add it there.")
    _ = board.radio
    return board


def _board(keys: dict[str, Any], *, what: str) -> Board:
    """The board of a file with these keys, and those of the board that it is like."""
    like = keys.get("like", "")
    base = _load(".", like, dict, "board") if isinstance(like, str) and like else {}
    return convert({**base, **keys}, Board, what=what)


@cache
def _radio(name: str) -> Radio:
    return _load("radios", name, Radio, "radio")


def _load(folder: str, name: str, kind: type[T], what: str) -> T:
    if name not in names(folder):
        raise BenchError(f"unknown {what} `{name}`; {what}s with a description: {', '.join(names(folder))}.")
    return parse(
        (files("gpiorig.rig") / "boards" / folder / f"{name}.toml").read_text(), kind, what=f"{what} file {name}.toml"
    )
