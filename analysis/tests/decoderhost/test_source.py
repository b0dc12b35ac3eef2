"""Chunks of a capture against its samples, one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gpiorig.analysis.decoderhost import source
from gpiorig.capture.edges.waveform import Block


def random_capture(rng: random.Random, first: int) -> tuple[list[Block], list[dict[int, int]]]:
    """Blocks of rows with gaps in between, and the level of each sample of each interval without a gap."""
    blocks, intervals, at, level = [], [{}], first, None
    for _ in range(rng.randint(1, 6)):
        start, rows, gaps = at, {}, []
        for _ in range(rng.randint(0 if level is not None else 1, 12)):
            if level is not None and rng.random() < 0.15:
                gaps.append((at, at + rng.randint(1, 4)))
                at, level = gaps[-1][1], None
                intervals.append({})
            if level is None or rng.random() < 0.8:
                level = rows[at] = rng.getrandbits(2)
            for _ in range(rng.randint(1, 3)):
                intervals[-1][at] = level
                at += 1
        assert start <= at
        blocks.append(
            Block(
                np.array(list(rows), dtype=np.int64),
                np.array(list(rows.values()), dtype=np.uint64),
                at,
                np.array(gaps, dtype=np.int64).reshape(-1, 2),
            )
        )
    return blocks, intervals


@pytest.mark.parametrize("first", [0, 5, -50])
def test_chunks_have_the_level_of_every_sample(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of three rows at most follow each other without a hole; only a shift moves what began before 0."""
    monkeypatch.setattr(source, "CHUNK_ROWS", 3)
    for seed in range(60):
        blocks, expected = random_capture(random.Random(seed), first)
        chunks = source.Source(iter(blocks))
        intervals: list[dict[int, int]] = []
        while chunks.next_interval():
            intervals.append({})
            end = None
            while (chunk := chunks.next_chunk()) is not None:
                assert 1 <= len(chunk.samples) == len(chunk.levels) <= 3
                assert end is None or end == chunk.samples[0]
                assert chunk.samples[0] >= 0
                end = chunk.end
                bounds = [*chunk.samples.tolist(), chunk.end]
                for start, stop, level in zip(bounds[:-1], bounds[1:], chunk.levels.tolist(), strict=True):
                    intervals[-1].update(dict.fromkeys(range(start - chunks.shift, stop - chunks.shift), level))
        assert [part for part in expected if part] == intervals, seed
        assert (max(0, -first), sum(len(block.gaps) for block in blocks)) == (chunks.shift, chunks.gaps)
