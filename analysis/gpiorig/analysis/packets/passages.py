"""Instants at which visits passed the points of a path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.packets.occurrences import NONE, Positions
from gpiorig.analysis.packets.path import FIRST, FIRSTS, POINTS
from gpiorig.capture import mapped

COLUMNS = {point.name: column for column, point in enumerate((*POINTS, *FIRSTS))}


Instants = tuple[NDArray[np.int64], ...]  # one column per point, in the order of `COLUMNS`


@dataclass(frozen=True, slots=True, eq=False)
class Passages:
    """One row per visit with a parent: how the packet came there.

    Parameters
    ----------
    visits
        int64[k], rows of the visits.
    readings, sendings
        int64[k], rows of the reception and of the transmission that brought it there.
    samples
        Per point of `COLUMNS` int64[k], the instants, -1 missing; first attempts only where a packet was repeated.
    """

    visits: Positions
    readings: Positions
    sendings: Positions
    samples: Instants


@dataclass(frozen=True, slots=True, eq=False)
class Further:
    """How packets came to their further deliveries at a visit, after the first: one row per delivery and hop.

    Parameters
    ----------
    deliveries
        int64[k], position of the delivery that the row leads to.
    passages
        The passages up to it; `visits` has the end of each hop.
    """

    deliveries: Positions
    passages: Passages


def column(samples: Instants, name: str) -> NDArray[np.int64]:
    """int64[k], the instants of a point by name; without an earlier attempt the first one is that of the point."""
    at = samples[COLUMNS[name]]
    if not name.endswith(FIRST):
        return at
    latest = samples[COLUMNS[name.removesuffix(FIRST)]]
    return np.where(at == NONE, latest, at) if at.strides[0] else latest


def absent(rows: int) -> NDArray[np.int64]:
    """int64[rows], all -1, which take the memory of one."""
    return np.broadcast_to(np.int64(NONE), rows)


def rows_of(samples: Instants, rows: Positions) -> Instants:
    """The columns with some of their rows."""
    return tuple(column[rows] if column.strides[0] else absent(len(rows)) for column in samples)


def inserted(above: Instants, rows: Instants, at: Positions) -> Instants:
    """The columns with more rows, each before the row at its place."""
    if not len(at):
        return above
    return tuple(
        mapped.stored(np.insert(column, at, more))
        if column.strides[0] or more.strides[0]
        else absent(len(column) + len(at))
        for column, more in zip(above, rows, strict=True)
    )
