"""Doubts: what makes all numbers of a recording questionable, whatever kind of packets it has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events


def silent_nodes(events: Events, *, among: Sequence[str] | None = None) -> list[str]:
    """A sentence for each node whose symbol bus shows nothing; `among`: the nodes that have one, without it all."""
    return [
        f"Node {name} is silent: its symbol bus shows no frame, so what it sent and read is not known; "
        "is it wired as in the bench file, and does its firmware have probes?"
        for name, frames in zip(events.node_names, events.frames_seen.tolist(), strict=True)
        if not frames and (among is None or name in among)
    ]


def equal_ids(node: str, ids: NDArray[np.int32]) -> list[str]:
    """A sentence if all packets of a node have one id: int32[p], those that it sent by a call."""
    if len(ids) < 2 or (ids != ids[0]).any():
        return []
    return [
        f"All {len(ids)} packets of node {node} have the id {ids[0]}: only time distinguishes them; "
        "does the firmware count its packets?"
    ]
