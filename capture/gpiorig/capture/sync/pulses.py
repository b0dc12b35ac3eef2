"""The pulses of one channel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.errors import CaptureError


def read(edges: Edges, channel: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rising edges of a channel, and how long it then stays high.

    Returns
    -------
    tuple
        int64, shape (n,): samples; float64, shape (n,): ns. A pulse that is cut by either end is omitted.

    Raises
    ------
    CaptureError
        The recording lacks the channel.
    """
    if channel not in edges.channels:
        raise CaptureError(
            f"no channel {channel}", remedy=f"available channels: {', '.join(filter(None, edges.channels))}"
        )
    levels = (edges.levels >> np.uint64(edges.channels.index(channel)) & np.uint64(1)).astype(np.int8)
    changes = np.flatnonzero(np.diff(levels)) + 1
    samples, after = edges.samples[changes], levels[changes]
    if after.size and after[0] == 0:
        samples = samples[1:]
    even = len(samples) // 2 * 2
    rises, falls = samples[0:even:2], samples[1:even:2]
    return rises, np.asarray((falls - rises) * (1e9 / float(edges.samplerate_hz)), dtype=np.float64)
