"""Lattices: whether delays lie on levels a fixed distance apart, as the slots of a backoff make them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MIN_LEVELS = 4
MIN_SPACING = 10  # samples: at less, the samples themselves are the lattice
TOLERANCE = 0.05  # of the spacing: how far a level may lie from its place


@dataclass(frozen=True, slots=True)
class Lattice:
    """Levels of a lattice.

    Parameters
    ----------
    spacing_samples
        Distance of neighbouring levels, float64 samples: least squares over all levels.
    levels
        Levels that occur.
    width_samples
        Widest spread of the delays of one level.
    """

    spacing_samples: float
    levels: int
    width_samples: int


def find(delays: NDArray[np.int64]) -> Lattice | None:
    """The lattice of the delays, or None when there is none.

    Sorted delays are cut into levels wherever neighbours are further apart than a quarter of the widest such
    distance. They are a lattice when there are `MIN_LEVELS` at least, each narrower than a quarter of the
    smallest distance between two, and all distances are multiples of the smallest, which is `MIN_SPACING` at
    least, within `TOLERANCE`.
    """
    ordered = np.sort(delays)
    gaps = np.diff(ordered)
    if not len(gaps) or not gaps.max():
        return None
    cuts = np.flatnonzero(4 * gaps > gaps.max()) + 1
    groups = np.split(ordered, cuts)
    if len(groups) < MIN_LEVELS:
        return None
    centres = np.array([np.median(group) for group in groups])
    width = max(int(group[-1] - group[0]) for group in groups)
    smallest = float(np.diff(centres).min())
    places = np.rint((centres - centres[0]) / smallest)
    spacing = float(np.polyfit(places, centres, 1)[0])
    places = np.rint((centres - centres[0]) / spacing)
    error = np.abs(centres - centres[0] - places * spacing).max()
    if spacing < MIN_SPACING or 4 * width > spacing or error > TOLERANCE * spacing:
        return None
    return Lattice(spacing_samples=spacing, levels=len(groups), width_samples=width)
