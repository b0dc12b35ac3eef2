"""Samples that a virtual analyzer loses are found, with their number."""

from __future__ import annotations

from pathlib import Path

import pytest
from patience import PATIENCE_S
from virtualbench import ONE, TICK_NS, bench_text, served

from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.sigrok.capture import Capture, Request
from gpiorig.capture.sigrok.conclusion import CODED, conclude

RATE_HZ = 24_000_000
DROPPED = '[[virtual.faults]]\nkind = "dropped"\nsamples = 5_000\nat_us = [310_000, 555_500]\n'


@pytest.mark.slow
def test_lost_blocks_are_found_by_both_kinds_of_heartbeat(tmp_path: Path, tick: Path) -> None:
    """A node's free-running square wave and the coded sync line: two blocks, each with its size, as gaps."""
    channels = ["P8_45=node.strobe", "P8_20=sync"]
    info = RecordingInfo(
        samplerate=f"{RATE_HZ}/1", channels=("node.strobe", *[""] * 12, "sync"), epoch=Epoch(wall=""), virtual=True
    )
    recording = Recording.create(tmp_path / "run", info)
    text = bench_text(analyzers=ONE + 'sync = "P8_20"\n', virtual=DROPPED)
    with served(tmp_path, text, tick) as process:
        request = Request(
            driver=process.endpoints["analyzers"]["la"],
            channels=channels,
            samplerate_hz=RATE_HZ,
            sample_limit=RATE_HZ * 4 // 5,
        )
        capture = Capture.start(request, recording.edges_folder)
        capture.wait_end(deadline_s=PATIENCE_S)
        result = capture.stop()
    finished, beats = conclude(recording, result, heartbeats={"node.strobe": 2 * TICK_NS, "sync": CODED})
    assert 2 == len(beats), finished.info.reason
    free, coded = beats

    assert all(abs(5_000 - loss.samples) <= loss.uncertainty for loss in free.losses + coded.losses)
    assert (2, 2) == (len(free.losses), len(coded.losses))
    assert max(loss.uncertainty for loss in coded.losses) <= 4
    assert max(loss.uncertainty for loss in free.losses) <= 50
    assert ("incomplete", 2) == (finished.info.state, len(finished.edges().gaps))
