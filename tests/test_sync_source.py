"""The firmware that makes the sync line, on a virtual board."""

from __future__ import annotations

import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
from commandline import ROOT

from gpiorig.capture import syncline
from gpiorig.capture.edges import Edges
from gpiorig.capture.samples import EdgeExtractor
from gpiorig.rig.bench_ends import VirtualAnalyzer
from gpiorig.rig.bench_world import VirtualNode
from gpiorig.rig.virtual.vboards import VirtualBoards

RATE_HZ = 24_000_000
PULSES = 400


def test_the_source_makes_the_code_of_the_sync_line(tmp_path: Path) -> None:
    """The reader finds its first pulse at position 0 and each next one; the edges are the timer's: no jitter."""
    make = ["make", "-s", "-C", ROOT / "firmware-gpio-probes", "BOARD=iotlab-m3", "PROGRAM=sync", f"BUILD={tmp_path}"]
    subprocess.run(make, check=True, capture_output=True)
    image = (tmp_path / "iotlab-m3-sync" / "sync.elf").read_bytes()

    found = syncline.read(capture(image), "sync")

    assert np.array_equal(np.arange(PULSES), found.positions)
    assert 0 == found.damaged
    assert {RATE_HZ * syncline.PERIOD_NS // 10**9} == set(np.diff(found.samples))


def capture(image: bytes) -> Edges:
    """PB9 of a board with this image, for a little longer than `PULSES` periods."""
    boards = VirtualBoards(seed=1)
    try:
        node = boards.add_board("iotlab-m3", image, VirtualNode())
        analyzer = boards.add_analyzer(samplerate_hz=RATE_HZ, unitsize=1, config=VirtualAnalyzer(), key=0)
        boards.probe(analyzer, 0, node, "PB9")
        extractor, blocks, buffer = EdgeExtractor(unitsize=1), [], bytearray(1 << 20)
        for at_ms in range(50, PULSES * syncline.PERIOD_NS // 10**6 + 1, 50):
            boards.run(at_ms * 10**9)
            while count := boards.samples(analyzer, buffer):
                blocks.append(extractor.feed(buffer[:count]))
    finally:
        boards.close()
    return Edges.from_blocks(blocks, samplerate_hz=Fraction(RATE_HZ), channels=("sync",), end=extractor.samples_seen)
