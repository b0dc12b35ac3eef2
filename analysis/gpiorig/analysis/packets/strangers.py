"""Strangers: events at two nodes that are of packets which neither of the two sent, whatever their ids are."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.completions import Completions, Index
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.packets import assignment, overheard, receptions, sequence_numbers, transmissions, visits
from gpiorig.analysis.packets.transmissions import COMMANDS


def find(
    events: Events, index: Index, completed: Completions, *, pair: Collection[int], header_ns: Mapping[str, int]
) -> NDArray[np.bool_] | None:
    """bool[n], events of packets that began at another node than the pair's; None where no other node sends.

    The owner is that of the hops (`gpiorig.analysis.packets.hops`): who transmitted when the frame was on the air. An
    event whose packet is not known, or is one of several, is not counted among them.

    Parameters
    ----------
    pair
        Indices of the two nodes.
    header_ns
        As of `hops.build`.
    """
    others = [node for node in range(len(events.node_names)) if node not in pair]
    if not any(len(index.of(name, node=node)) for node in others for name in COMMANDS):
        return None
    told = sequence_numbers.find(events, index)
    sent = transmissions.find(events, index, completed, told)
    read = receptions.find(events, index, completed, told, sent, header_ns=header_ns)
    heard = overheard.find(events, index, completed, sent, header_ns=header_ns)
    stays, custody = visits.find(events, index, sent, read)
    visit_of = assignment.find(events, index, completed, told, read, heard, stays, custody)
    if not len(stays):
        return None
    origins = stays.nodes[np.flatnonzero(stays.parents < 0)]
    strange = ~np.isin(origins, list(pair))[stays.packets]
    found: NDArray[np.bool_] = (visit_of >= 0) & strange[np.maximum(visit_of, 0)]
    return found
