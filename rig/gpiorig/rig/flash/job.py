"""One image for one board, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpiorig.rig.errors import FlashError
from gpiorig.rig.flash.content import Content

Progress = Callable[[str], None]


class WrongBoardError(FlashError):
    """Another board, or another chip, than the bench file has there: nothing was written, and it is not tried again."""


class LockedError(FlashError):
    """The chip cannot be read or written until all of it is erased: it is not tried again."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a board is to hold; with `only_different` it is read first, and left if it holds that already."""

    image: str
    content: Content
    only_different: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """A board that holds its image: whether it did before, what was read back, and the chip's own identity."""

    same: bool
    read_back: Content
    chip: str
    uid: str | None = None
