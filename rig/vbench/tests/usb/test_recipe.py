"""The recipe of docs/start/first-bench.md without boards: a section makes it a virtual bench, on a modelled USB."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import gpiorig

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import resources
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

PACKETS = 20
SECTION = '\n[virtual]\npace = "real-time"\n[virtual.analyzers.la]\nusb = "fx2lafw"\n'  # as the page has it


@pytest.mark.slow
def test_two_dk_on_eight_channels_run_without_boards(tmp_path: Path) -> None:
    """By sigrok's own driver of FX2 boards: each packet has its timeline, no frame is damaged."""
    bench = tmp_path / "try.toml"
    bench.write_text(resources.benches()["fx2-two-nrf52840dk"].read_text() + SECTION)

    done = gpiorig("run", bench, "pingpong", "-o", tmp_path / "try", "--packets", str(PACKETS), "--no-report")
    result = analyse(open_recording(Recording.open(tmp_path / "try")))

    assert PACKETS == len(result.timelines.rtt), done.stderr
    assert 0 == len(result.events.damaged)
