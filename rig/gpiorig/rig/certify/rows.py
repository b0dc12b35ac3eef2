"""The rows of one line: rows.toml, of which `make generate` makes those of each board's image, too."""

from __future__ import annotations

from importlib import resources
from typing import Literal

import msgspec


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of one line.

    Attributes
    ----------
    key, code, text
        Its name, its number on the line, and what runs while the line is high.
    kernel
        The part of the image that runs.
    boards
        Those that have the row; a board that is like one has it, too.
    turns
        Of a pulse and of the next; one number: of each pulse.
    repeats
        How often in a round.
    unit
        ``cycles`` of the processor per turn; ``us`` per pulse; ``ppm`` of `tick_us` per turn; ``ns`` of a square wave.
    setup
        The board's full clock, with or without the flash's cache, or the slow one with 0, 1 or 2 wait states.
    tick_us
        Nominal length of a turn of a clock.
    """

    key: str
    code: int
    text: str
    kernel: str
    boards: tuple[str, ...]
    turns: tuple[int, ...]
    repeats: int
    unit: Literal["cycles", "us", "ppm", "ns"]
    setup: Literal["full", "ws0", "ws1", "ws2", "uncached"] = "full"
    tick_us: float = 0.0

    @property
    def slow(self) -> bool:
        """Whether the clock is the board's slow one."""
        return self.setup.startswith("ws")


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    row: tuple[Row, ...]


ROWS = msgspec.toml.decode(resources.files(__package__).joinpath("rows.toml").read_bytes(), type=_Table).row
