"""The table of the steps of a route, with bars."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np


@dataclass(frozen=True, slots=True)
class StepGroup:
    """The rows of a step in the table of steps: the step and its parts.

    Parameters
    ----------
    look
        Class of the colour of its kind.
    rows
        The cells.
    values
        Number of each cell of the first row, to sort by; NaN for words.
    matters
        Whether it is among those that are shown first.
    """

    look: str
    rows: tuple[tuple[str, ...], ...]
    values: tuple[float, ...]
    matters: bool

    @property
    def numbers(self) -> list[float | None]:
        """The values for the script of the page."""
        return [value if math.isfinite(value) else None for value in self.values]

    def bar(self, column: int) -> str:
        """Length of the bar of a share."""
        return f"{100 * min(max(float(np.nan_to_num(self.values[column])), 0.0), 1.0):.1f}%"


@dataclass(frozen=True, slots=True)
class StepTable:
    """The steps of the route whose picture of all packets has the name; `total` is the last row."""

    kind: ClassVar[str] = "steps"
    name: str
    caption: str
    header: tuple[str, ...]
    groups: tuple[StepGroup, ...]
    total: tuple[str, ...]
    note: str

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """All rows."""
        return (*(row for group in self.groups for row in group.rows), self.total)
