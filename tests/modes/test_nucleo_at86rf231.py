"""Two Nucleo-L476RG with an AT86RF231 each play ping-pong on the virtual bench, all the way through sigrok-cli."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import ROOT, gpiorig
from modebench import assert_frames_complete

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

PACKETS = 50


@pytest.mark.slow
def test_no_packet_and_no_frame_is_lost(tmp_path: Path) -> None:
    """Every request has its reply and its timeline, and every frame of the symbol buses arrives complete."""
    folder = tmp_path / "run"
    bench, experiment = (
        Path(__file__).parents[1] / "data" / "nucleo_at86rf231_bench.toml",
        ROOT / "experiments/pingpong.toml",
    )
    done = gpiorig("run", bench, experiment, "-o", folder, "--packets", str(PACKETS), "--no-report")
    assert (0, "") == (done.status, done.stderr)
    result = analyse(open_recording(Recording.open(folder)))
    assert PACKETS == len(result.timelines.rtt)
    assert_frames_complete(result)
