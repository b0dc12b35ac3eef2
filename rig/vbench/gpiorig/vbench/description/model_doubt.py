"""What a timing model may have wrong: what each number in doubt does to the steps of a packet, and what no number does.

The first is measured by `make sensitivity`; the second is how far published measurements are from the fitted model.
"""

from __future__ import annotations

from importlib import resources

import msgspec

from gpiorig.analysis.delays.instruments import Setting
from gpiorig.vbench.description.timing import Range

FILE = "model_doubt.toml"
# By which share programs were shorter and longer on an STM32F103 at 2 wait states than on the model with its best
# numbers: key-word-2ws and coremark-f103-2ws of rig/vbench/tests/silicon/points.toml. Of the STM32L476 there is one
# point, which agrees; that does not make its range narrower [E].
UNEXPLAINED = (-0.034, 0.051)
PROCESSOR = ("software", "mac", "driver", "interrupt", "application")  # kinds of steps that its programs are


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
    """What is in doubt of a board's timing model; nothing for a board that was not measured."""
    numbers = MEASURED.boards.get(board)
    if numbers is None:
        return ()
    lowest, highest = (dict.fromkeys(PROCESSOR, share) for share in UNEXPLAINED)
    return (
        *(Setting(f"{board} {name}", effects.lowest, effects.highest) for name, effects in numbers.items()),
        Setting(f"{board} unexplained", lowest, highest),
    )
