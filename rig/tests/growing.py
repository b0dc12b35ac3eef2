"""A recording of 60 packets for tests, and one that grows: it is written again part by part."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import directbench
import numpy as np
import pytest
import shared

from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.recording.segment_writer import SegmentWriter
from gpiorig.rig import resources

PACKETS = 60


def recorded(factory: pytest.TempPathFactory) -> Path:
    """A short recording with losses on the air, not to be written to."""

    def make(folder: Path) -> None:
        text = resources.benches()["demo"].read_text()
        assert "loss_ppm" not in text
        text = text.replace('from = "responder"', 'loss_ppm = 300_000\nfrom = "responder"')
        experiment = resources.experiments()["pingpong"].read_text()
        directbench.record(folder / "base", text, experiment, packets=PACKETS)

    return shared.filled(factory, "live-recording", make) / "base" / "run"


@dataclass
class Growing:
    """A recording that is written again, part by part."""

    source: Recording
    recording: Recording
    writer: SegmentWriter
    written: int = 0

    @classmethod
    def begin(cls, source: Path, folder: Path) -> Growing:
        """Its description, and a writer that has its lock."""
        original = Recording.open(source)
        recording = Recording.create(folder, original.info).update(state="capturing", files={})
        return cls(original, recording, SegmentWriter(recording.edges_folder, segment_bytes=1 << 16))

    def write(self, share: float) -> int:
        """Write until this share of the samples; returns the sample."""
        edges = self.source.edges()
        until = int(edges.end * share)
        stop = int(np.searchsorted(edges.samples, until))
        self.writer.append(edges.samples[self.written : stop], edges.levels[self.written : stop], watermark=until)
        self.written = stop
        return until

    def end(self) -> None:
        """End in order."""
        self.writer.close()
        self.recording.finish(unchecked="a test made it")
