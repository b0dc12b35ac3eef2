"""Lengths of the queues of a node at instants."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME


def queue_lengths(events: Events, *, node: str, instants: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """How many messages waited in each queue of a node just before each instant.

    Posts minus fetches, counted from the smallest length of the queue, because what was in it when the recording began
    is not known. The count restarts after lost samples.

    Parameters
    ----------
    events
        Of the complete recording.
    node
        Name of the node.
    instants
        int64[k], samples.

    Returns
    -------
    dict
        ``queue 3`` for the queue with id 3: int64[k]. Empty where the node shows no queue.
    """
    post = BY_NAME["queue.post"].code
    changes = events.positions("queue.post", "queue.fetch", node=events.node(node))
    by_queue = {}
    for queue in np.unique(events.ids[changes]).tolist():
        positions = changes[events.ids[changes] == queue]
        samples = events.samples[positions]
        change = np.where(events.codes[positions] == post, 1, -1)
        # After each event, and at the start of each interval without lost samples.
        begins = np.concatenate([[events.start], events.gaps[:, 1]]) - 1
        at = np.concatenate([samples, begins])
        order = np.argsort(at, kind="stable")
        total = np.cumsum(np.concatenate([change, np.zeros_like(begins)])[order])
        interval = np.cumsum(order >= len(samples)) - 1
        least = np.full(len(begins), np.iinfo(np.int64).max)
        np.minimum.at(least, interval, total)
        lengths = total - least[interval]
        place = np.maximum(np.searchsorted(at[order], instants) - 1, 0)
        by_queue[f"queue {queue}" if queue >= 0 else "queue"] = lengths[place]
    return by_queue
