"""Lattices: whether delays lie on levels a fixed distance apart, as the slots of a backoff make them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MIN_DELAYS = 30  # fewer fall on something like levels by chance
MIN_LEVELS = 4
MIN_SPACING = 10  # samples: at less, the samples themselves are the lattice
TOLERANCE = 0.05  # of the spacing: how far a level may lie from its place
MAIN_LEVEL = 0.02  # share of the delays that a level needs to take part in the fit
ON_LEVELS = 0.99  # share of the delays that must lie on levels: a few may have met something else


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

    Sorted delays are cut into levels where the distances of neighbours jump most, in ratio: those within a level are
    samples, those between levels a spacing or more. The spacing is fitted to the main levels, or to all where few are
    main. Levels whose places are no multiple of it within `TOLERANCE`, or that are wider than a quarter of it, are off
    the lattice, and hold 1 - `ON_LEVELS` of the delays at most.
    """
    if len(delays) < MIN_DELAYS:
        return None
    ordered = np.sort(delays)
    gaps = np.diff(ordered)
    sizes = np.unique(np.maximum(gaps, 1))
    if len(sizes) < 2:
        return None
    jump = int(np.argmax(sizes[1:] / sizes[:-1]))
    groups = np.split(ordered, np.flatnonzero(gaps > sizes[jump]) + 1)
    centres = np.array([np.median(group) for group in groups])
    counts = np.array([len(group) for group in groups])
    main = centres[counts >= MAIN_LEVEL * len(ordered)]
    main = main if len(main) >= MIN_LEVELS else centres
    if len(main) < MIN_LEVELS:
        return None
    smallest = float(np.diff(main).min())
    spacing, origin = np.polyfit(np.rint((main - main[0]) / smallest), main, 1)
    if spacing < MIN_SPACING:
        return None
    widths = np.array([int(group[-1] - group[0]) for group in groups])
    places = (centres - origin) / spacing
    on = (np.abs(places - np.rint(places)) <= TOLERANCE) & (4 * widths <= spacing)
    if counts[on].sum() < ON_LEVELS * len(ordered):
        return None
    # A delay beside its level's others, such as that of a first packet, is a group of its own, at the same place.
    levels: dict[float, list[NDArray[np.int64]]] = {}
    for index in np.flatnonzero(on):
        levels.setdefault(float(np.rint(places[index])), []).append(groups[index])
    widest = max(int(level[-1][-1] - level[0][0]) for level in levels.values())
    return Lattice(spacing_samples=float(spacing), levels=len(levels), width_samples=widest)
