"""The firmware that makes the sync line, on a virtual board."""

from __future__ import annotations

from fractions import Fraction

import images
import numpy as np
import pytest

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.sync import sync_line
from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.ends import VirtualAnalyzer
from gpiorig.vbench.description.world import VirtualNode

RATE_HZ = 24_000_000
PULSES = 400


@pytest.mark.slow
def test_the_source_makes_the_code_of_the_sync_line() -> None:
    """The reader finds its first pulse at position 0 and each next one; the edges are the timer's: no jitter."""
    image = images.build("iotlab-m3", "PROGRAM=sync", program="sync")

    pulses = sync_line.read(capture(image.read_bytes()), "sync")

    assert np.array_equal(np.arange(PULSES), pulses.positions)
    assert 0 == pulses.damaged
    assert {RATE_HZ * sync_line.PERIOD_NS // 10**9} == set(np.diff(pulses.samples))


def capture(image: bytes) -> Edges:
    """PB9 of a board with this image, for a little longer than `PULSES` periods."""
    boards = VirtualBoards(seed=1)
    try:
        node = boards.add_board("iotlab-m3", image, VirtualNode())
        analyzer = boards.add_analyzer(samplerate_hz=RATE_HZ, unitsize=1, config=VirtualAnalyzer(), key=0)
        boards.probe(analyzer, 0, node, "PB9")
        boards.run(PULSES * sync_line.PERIOD_NS * 1000)
        blocks, end = [boards.analyzer_edges(analyzer)], boards.handed_out(analyzer)
    finally:
        boards.close()
    return Edges.from_blocks(blocks, samplerate_hz=Fraction(RATE_HZ), channels=("sync",), end=end)
