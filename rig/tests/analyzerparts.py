"""A recording of two nodes as two analyzers write it, each with the sync line and a clock of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.recording.segment_writer import SegmentWriter
from gpiorig.capture.sync import sync_line


@dataclass
class Analyzer:
    """What an analyzer writes: the lines of one node, and the sync line, by a clock of its own."""

    writer: SegmentWriter
    samples: NDArray[np.int64]
    levels: NDArray[np.uint64]
    ppm: float
    offset: int
    written: int = 0

    def at(self, samples: NDArray[np.int64]) -> NDArray[np.int64]:
        """Samples of this analyzer."""
        return np.rint(samples * (1 + self.ppm * 1e-6)).astype(np.int64) + self.offset

    def write(self, until: int) -> None:
        """Write until this sample of the source."""
        stop, watermark = int(np.searchsorted(self.samples, until)), int(self.at(np.array([until]))[0])
        placed = self.at(self.samples[self.written : stop])
        placed[placed == self.offset] = 0  # it began before the other
        self.writer.append(placed, self.levels[self.written : stop], watermark=watermark)
        self.written = stop


def split(source: Recording, folder: Path) -> tuple[Recording, list[Analyzer]]:
    """A run of an analyzer for each node, 40 ppm and 2 ms apart."""
    edges = source.edges()
    wide = sync_line.code()[: int(edges.end // 240_000)]
    rises = 1_000 + 240_000 * np.arange(len(wide))
    falls = rises + np.where(wide, 4_800, 2_400)
    samples = np.unique(np.concatenate([edges.samples, rises, falls]))
    sync = np.searchsorted(rises, samples, side="right") - np.searchsorted(falls, samples, side="right")
    levels = edges.levels[np.searchsorted(edges.samples, samples, side="right") - 1]
    levels = levels | sync.astype(np.uint64) << np.uint64(len(edges.channels))
    run = Recording.create(folder, source.info).update(state="capturing", files={})
    parts = []
    for number, node in enumerate(("initiator", "responder")):
        channels = (*(name if name.startswith(f"{node}.") else "" for name in source.info.channels), "sync")
        part = Recording.create(folder / "analyzers" / f"a{number}", run.info).update(channels=channels)
        writer = SegmentWriter(part.edges_folder, segment_bytes=1 << 16)
        parts.append(Analyzer(writer, samples, levels, ppm=40 * number, offset=48_000 * number))
    return run, parts
