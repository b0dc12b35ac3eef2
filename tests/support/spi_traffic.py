"""SPI traffic as samples, for tests: regular, damaged, random."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

CHANNELS = ("clk", "mosi", "miso", "select")
CLK, MOSI, MISO, SELECT = (1 << i for i in range(4))


class Bus:
    """Lines of a bus being built, 8 bits most significant first; the time of each step is drawn."""

    def __init__(self, draw: random.Random, *, mode: int = 0, select_active: int = 0) -> None:
        self._draw = draw
        self._idle = CLK * (mode // 2)
        self._phase = mode % 2
        self._rest = self._idle | (SELECT if select_active == 0 else 0)
        self._levels: list[int] = []
        self._counts: list[int] = []
        self._at = 0
        self._hold(self._rest, 20)

    def _hold(self, level: int, count: int = 0) -> None:
        count = count or self._draw.randrange(2, 8)
        self._levels.append(level)
        self._counts.append(count)
        self._at += count

    def transfer(self, words: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """Bytes out and back; returns the samples at which chip select changes."""
        start, data = self._at, 0
        selected = self._idle | (0 if self._rest & SELECT else SELECT)
        self._hold(selected)
        for out, back in words:
            for place in range(7, -1, -1):
                following = (MOSI if out >> place & 1 else 0) | (MISO if back >> place & 1 else 0)
                # Phase 0: data, then the leading edge. Phase 1: data changes with the leading edge.
                data = data if self._phase else following
                self._hold(selected | data)
                data = following
                self._hold(selected ^ CLK | data)
            self._hold(selected | data)
        end = self._at
        self._hold(self._rest)
        return start, end

    def glitch_of_select(self) -> None:
        """Select for a sample, and nothing else."""
        self._hold(self._rest ^ SELECT, 1)
        self._hold(self._rest)

    def samples(self) -> NDArray[np.uint8]:
        """A sample per byte."""
        return np.repeat(np.array(self._levels, dtype=np.uint8), self._counts)

    def damaged(self, *, glitches: int) -> NDArray[np.uint8]:
        """The same with intervals in which some lines are inverted."""
        samples = self.samples()
        for _ in range(glitches):
            at = self._draw.randrange(samples.size)
            samples[at : at + self._draw.choice((1, 1, 2, 5, 40))] ^= self._draw.randrange(1, 16)
        return samples


def random_lines(draw: random.Random, count: int) -> NDArray[np.uint8]:
    """Lines that change at random, chip select seldom."""
    rng = np.random.default_rng(draw.randrange(1 << 30))
    flips = sum((rng.random(count) < chance).astype(np.uint8) << i for i, chance in enumerate((0.4, 0.3, 0.3, 0.003)))
    return np.bitwise_xor.accumulate(flips.astype(np.uint8))
