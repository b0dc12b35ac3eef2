"""The line of a board that runs the image of `gpiorig bench certify`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import images
import numpy as np

from gpiorig.capture.edges.edges import Edges
from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.ends import VirtualAnalyzer, VirtualThreshold
from gpiorig.vbench.description.world import VirtualNode

RATE_HZ = 24_000_000
PINS = {"iotlab-m3": "PB9", "nrf52840dk": "P1.10", "nucleo-l476rg": "PC8", "telosb": "P6.6"}
# A little more than a round takes.
ROUND_PS = {
    "iotlab-m3": 500 * 10**9,
    "nrf52840dk": 500 * 10**9,
    "nucleo-l476rg": 500 * 10**9,
    "telosb": 2500 * 10**9,
}
NONE = VirtualThreshold()


def line(
    board: str,
    *,
    timing: Mapping[str, int] | None = None,
    node: VirtualNode | None = None,
    analyzer: VirtualAnalyzer | None = None,
    threshold: VirtualThreshold = NONE,
) -> Edges:
    """A round of rows and more, on the channel `node.strobe`."""
    boards = VirtualBoards(seed=1)
    try:
        boards.change_timing(timing or {})
        image = images.build(board, "PROGRAM=certify", program="certify").read_bytes()
        index = boards.add_board(board, image, node or VirtualNode())
        config = analyzer or VirtualAnalyzer()
        number = boards.add_analyzer(samplerate_hz=RATE_HZ, unitsize=1, config=config, key=0)
        boards.set_threshold(number, 0, threshold)
        boards.probe(number, 0, index, PINS[board])
        boards.run(ROUND_PS[board])
        samples, levels = boards.analyzer_edges(number)
    finally:
        boards.close()
    levels &= np.uint64(1)
    changes = np.concatenate([[True], levels[1:] != levels[:-1]])
    return Edges.from_blocks(
        [(samples[changes].copy(), levels[changes].copy())],
        samplerate_hz=Fraction(RATE_HZ),
        channels=("node.strobe",),
        end=int(samples[-1]) + 1,
    )
