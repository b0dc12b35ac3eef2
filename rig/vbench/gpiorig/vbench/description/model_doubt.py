"""What each number of a timing model that is in doubt does to the steps of a packet, by `make sensitivity`."""

from __future__ import annotations

from importlib import resources

import msgspec

from gpiorig.analysis.delays.instruments import Setting
from gpiorig.vbench.description.timing import Range

FILE = "model_doubt.toml"


class Effects(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The range of a number, and what its ends do; `Setting` has the keys."""

    range: Range
    lowest: dict[str, float] = {}
    highest: dict[str, float] = {}


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file: when it was measured, with which sources of the boards, on how many packets; by board and number."""

    date: str
    sources: str
    packets: int
    boards: dict[str, dict[str, Effects]]


MEASURED = msgspec.toml.decode(resources.files(__package__).joinpath(FILE).read_bytes(), type=Measured)


def of(board: str) -> tuple[Setting, ...]:
    """The numbers of a board's timing model that are in doubt; none for a board that was not measured."""
    return tuple(
        Setting(f"{board} {name}", effects.lowest, effects.highest)
        for name, effects in MEASURED.boards.get(board, {}).items()
    )
