"""Noise that an analyzer makes itself: edges at the same place of each block of its samples, on any channel.

Boards with an FX2 do this: 8 noisy samples in each 2048, which are its four buffers of 512 bytes
(WeActStudio/LogicAnalyzerV1#7). A signal has another clock than the analyzer, so its edges wander through the block.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import Edges
from gpiorig.rig.bench.finding import Finding

BLOCKS = (512, 2048)  # samples
CELL = 8  # samples: a place in a block is one of these
MIN_BLOCKS = 1000
MIN_SHARE = 0.25  # of the blocks that have an edge at the place
RATIO = 10  # of that share to the one of the median place
# A line of a radio changes twice for each frame: the shortest of IEEE 802.15.4 (11 bytes at 250 kbit/s) back to back
# are 2841 frames each second. What changes more often while no packets are sent is not a frame of a stranger.
MAX_REST_EDGES_S = 6000


def place(edges: Edges) -> tuple[int, int, float] | None:
    """Return block, place in it and share of blocks of noise that the analyzer makes; None: there is none.

    `edges` are those of one analyzer, in its own samples.
    """
    samples = edges.samples[edges.samples > edges.start]
    noise = None
    for block in BLOCKS:
        blocks = (edges.end - edges.start) // block
        if blocks < MIN_BLOCKS:
            continue
        hits = _hits(samples, block) / blocks
        share = float(hits.max())
        if share >= MIN_SHARE and share >= RATIO * np.median(hits) and (noise is None or share > 1.5 * noise[2]):
            noise = block, int(hits.argmax()) * CELL, share
    return noise


def findings(name: str, edges: Edges) -> Iterator[Finding]:
    """What is wrong with an analyzer."""
    if noise := place(edges):
        block, at, share = noise
        what = (
            f"it is noisy: {share:.0%} of its blocks of {block} samples have edges at sample {at} to {at + CELL}; the "
            "analyzer makes them, not the boards: use another one"
        )
        yield Finding(f"analyzers.{name}", "wrong", what)


def rest_edges_s(samples: NDArray[np.int64], windows: list[tuple[int, int]], *, end: int, rate_hz: float) -> float:
    """Edges each second from the first window to the end, outside of the windows, which are in their order."""
    if not windows:
        return 0.0
    inside = sum(int(np.sum((samples >= start) & (samples < after))) for start, after in windows)
    resting = end - windows[0][0] - sum(after - start for start, after in windows)
    return (int(np.sum(samples >= windows[0][0])) - inside) * rate_hz / resting if resting > 0 else 0.0


def _hits(samples: NDArray[np.int64], block: int) -> NDArray[np.int64]:
    """In how many blocks each place has an edge."""
    cells = np.unique(samples // CELL)
    return np.bincount(cells % (block // CELL), minlength=block // CELL)
