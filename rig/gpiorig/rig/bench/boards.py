"""Board types: one TOML file each, data only. Adding a file adds a board."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec

from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import parse


class Radio(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the analysis must know of a radio.

    Where its frame time stamp line marks the frame, and how well that is known (half width); how long after its
    interrupt at the end of a reception it is busy with the acknowledgement, and how often the driver asks; whether it
    is the driver that waits before a transmission.
    """

    name: str
    frame_timestamp_ns: int
    frame_timestamp_source: str
    frame_timestamp_uncertainty_ns: int
    busy_ns: int = 0
    poll_ns: int = 0
    waits_in_software: bool = False


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board type: where its lines come out, how its symbol bus behaves, which image it runs."""

    name: str
    baudrate: int
    firmware: str
    bus_width: int
    symbol_ns: int
    frame_gap_ns: int
    pins: dict[str, str]
    radio: Radio

    @property
    def data_lines(self) -> tuple[str, ...]:
        """Names of the data lines of the symbol bus, the least significant bit first."""
        return tuple(f"d{bit}" for bit in range(self.bus_width))


def names() -> list[str]:
    """Names of the boards that have a file."""
    return sorted(
        f.name.removesuffix(".toml") for f in (files("gpiorig.rig") / "boards").iterdir() if f.name.endswith(".toml")
    )


@cache
def load(name: str) -> Board:
    """The board of that name.

    Raises
    ------
    BenchError
        There is no such board, or its file is wrong.
    """
    if name not in names():
        raise BenchError(f"unknown board `{name}`; boards with a description: {', '.join(names())}.")
    text = (files("gpiorig.rig") / "boards" / f"{name}.toml").read_text()
    return parse(text, Board, what=f"board file {name}.toml")
