"""Routes over given instants, and what ran meanwhile."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
from processor import NODE

from gpiorig.analysis.packets.path import Kind, Milestone, Source
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.steps import Step, Steps
from gpiorig.analysis.processor import occupancy

NONE = -1


def route_of(instants, rows, *, node=NODE):
    """A route of steps on one node, from the instants of the milestones of each packet."""
    instants = np.array(instants, dtype=np.int64)
    milestones = [Milestone(f"hop 1.{at}", "app.tx.enter", 0, False, Source.ID) for at in range(instants.shape[1])]
    steps = tuple(Step("", f"{a.name} to {b.name}", a, b, Kind.SOFTWARE, (node,)) for a, b in pairwise(milestones))
    return Route(
        name="node",
        steps=Steps(steps, np.array(rows), np.diff(instants, axis=1), Fraction(1_000_000_000)),
        ids=np.array(rows, dtype=np.int32),
        starts=instants[:, 0],
        lost=0,
        partial=0,
    )


def ran(events, route, packet_of, ways=None, **options):
    """Layers and occupancy of one route."""
    ways = np.full(len(events), NONE, dtype=np.int8) if ways is None else ways
    (found,) = occupancy.for_routes(events, [route], packet_of=packet_of, ways=ways, **options)
    return found
