"""The numbers of the timing model that fit the points of programs.S best, and each point left out in turn.

`python -m silicon.fit` with PYTHONPATH=rig/vbench/tests; about a minute. CoreMark is not among the points of the fit.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.vbench.description.timing import PARAMETERS
from silicon.points import Point, Program, load

# All combinations of what concerns the flash and branches, in the order of their values; the others one at a time.
TOGETHER = {
    "refill_decoded": (1, 2),
    "branch_keeps_line": (0, 1),
    "branch_waits": (0, 1),
    "fetch_ahead": (0, 1, 2),
}
ALONE = {
    "apb2_wait_cycles": (0, 2),
    "refill": (1, 3),
    "refill_ram": (0,),
    "refill_unaligned": (0,),
    "it_folds": (0,),
    "address_interlock": (0,),
    "store_load": (0,),
}
# Shown, not chosen: table 3-1 of the TRM says that P depends on alignment and width, and the points are indifferent.
DOCUMENTED = "refill_unaligned"
# The divider of APB2 is not known there: no part of the fit.
UNKNOWN_CLOCK = ("loop-f103-ram-pin3", "loop-f103-ram-pin4")

Changes = Mapping[str, int]


def candidates() -> list[Changes]:
    """The model first, so that it wins where others fit as well."""
    grid = [dict(zip(TOGETHER, values, strict=True)) for values in itertools.product(*TOGETHER.values())]
    grid.sort(key=lambda changes: sum(value != PARAMETERS[name].cortex_m3.model for name, value in changes.items()))
    return [*grid, *({name: value} for name, values in ALONE.items() for value in values)]


@dataclass(frozen=True, slots=True)
class Fit:
    """Relative deviations, of each candidate (row) from each point (column)."""

    points: tuple[Point, ...]
    candidates: tuple[Changes, ...]
    deviations: NDArray[np.float64]

    def best(self, *, without: int | None = None) -> int:
        """The candidate with the least root of mean squares, without a point."""
        squares = self.deviations**2
        if without is not None:
            squares = np.delete(squares, without, axis=1)
        sums = np.round(squares.sum(axis=1), 9)
        sums[[DOCUMENTED in changes for changes in self.candidates]] = np.inf
        return int(np.argmin(sums))

    def left_out(self) -> list[tuple[Point, Changes, float]]:
        """Each point with what the others choose, and its deviation there."""
        chosen = [self.best(without=column) for column in range(len(self.points))]
        return [
            (point, self.candidates[row], float(self.deviations[row, column]))
            for column, (point, row) in enumerate(zip(self.points, chosen, strict=True))
        ]


def fit() -> Fit:
    """Run every program under every candidate."""
    points = tuple(p for p in load() if isinstance(p.model, Program) and p.id not in UNKNOWN_CLOCK)
    tried = tuple(candidates())
    return Fit(points, tried, np.array([[_nearest(point, changes) for point in points] for changes in tried]))


def _nearest(point: Point, changes: Changes) -> float:
    assert isinstance(point.model, Program)
    return min((point.deviation(value) for value in point.model.cycles(changes)), key=abs)


def main() -> None:
    """Print what fits best, what each change costs, and the points left out in turn."""
    result = fit()
    rms = 100 * np.sqrt((result.deviations**2).mean(axis=1))
    print(f"best: {dict(result.candidates[result.best()])}, root of mean squares {rms[result.best()]:.2f} %\n")
    print("| changed | root of mean squares |\n| -- | --: |")
    for row in np.argsort(rms, kind="stable"):
        print(
            f"| {', '.join(f'{name} = {value}' for name, value in result.candidates[row].items())} | {rms[row]:.2f} % |"
        )
    print("\n| left out | the others choose | deviation |\n| -- | -- | --: |")
    for point, changes, deviation in sorted(result.left_out(), key=lambda found: -abs(found[2])):
        moved = {n: v for n, v in changes.items() if v != PARAMETERS[n].cortex_m3.model}
        print(f"| {point.id} | {moved or 'the model'} | {100 * deviation:+.1f} % |")


if __name__ == "__main__":
    main()
