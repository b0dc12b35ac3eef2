"""The reference firmware on virtual Nucleo-L476RG with MRF24J40MA: two, one with an M3, other modes of the MAC."""

from __future__ import annotations

from pathlib import Path

import directbench
import pytest
from commandline import ROOT
from modebench import assert_frames_complete

from gpiorig.rig.bench import benches
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

BENCH = (ROOT / "tests/data/nucleo_mrf24j40_bench.toml").read_text()
M3 = BENCH.replace('[nodes.responder]\nboard = "nucleo-l476rg-mrf24j40"', '[nodes.responder]\nboard = "iotlab-m3"')
PACKETS = 40


@pytest.mark.parametrize(
    ("bench", "mode"),
    [(BENCH, "pingpong"), (M3, "pingpong"), (BENCH, "busy"), (BENCH, "macping"), (BENCH, "nocsma")],
    ids=["pair", "with an M3", "busy", "macping", "without CSMA"],
)
def test_no_packet_and_no_frame_is_lost(tmp_path: Path, bench: str, mode: str) -> None:
    """Every request has its reply and its timeline, and every frame of the symbol buses arrives complete."""
    experiment = experiments.load(ROOT / f"experiments/{mode}.toml", benches.loads(bench), packets=PACKETS)
    result = analyse(open_recording(directbench.record(tmp_path / "bench", bench, experiment)))
    assert PACKETS == len(result.timelines.rtt)
    assert_frames_complete(result)
