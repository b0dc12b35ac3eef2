"""Two FX2 boards with a sync line, on a virtual bench: one is unplugged in the middle of a capture, and comes back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from commandline import gpiorig
from numpy.typing import NDArray

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.virtual import truth

pytestmark = pytest.mark.deep  # in real time, with the loading of firmware
BENCH = """
name = "two FX2"
[analyzers.one]
samplerate_hz = 24_000_000
sync = "D7"
[analyzers.two]
samplerate_hz = 24_000_000
sync = "D7"
[nodes.a]
board = "iotlab-m3"
lines = { strobe = "one:D0", d0 = "one:D1", d1 = "one:D2" }
[nodes.b]
board = "iotlab-m3"
lines = { strobe = "two:D0", d0 = "two:D1", d1 = "two:D2" }
[virtual]
pace = "real-time"
[virtual.analyzers.one]
usb = "fx2lafw"
clock_ppb = -3_000
[virtual.analyzers.two]
usb = "fx2lafw"
clock_ppb = 40_000
[virtual.nodes.a]
clock_ppb = 12_000
[virtual.nodes.b]
clock_ppb = -7_000
[[virtual.faults]]
kind = "usb_unplug"
analyzer = "two"
at_us = 1_500_000
back_s = 0.5
"""
PER_PS = 24e6 * (1 - 3e-6) / 1e12  # samples of the reference
NEAR = 1.5  # samples between an edge and the truth: one of each analyzer, and the alignment


def test_one_of_two_is_replugged(tmp_path: Path, tick: Path) -> None:
    """Every edge before and after is where it was, on one time axis; the gap is as wide as the second one was away."""
    file, run = tmp_path / "bench.toml", tmp_path / "run"
    file.write_text(BENCH.replace('pace = "real-time"', f'pace = "real-time"\ntruth = "{tmp_path / "truth"}"'))
    firmware = [word for node in "ab" for word in ("--firmware", f"{node}={tick}")]
    done = gpiorig("capture", "--bench", file, *firmware, "--restart", "20s", "--duration", "8s", "-o", run)

    assert 1 == done.status, done
    edges = Recording.open(run).edges()
    ((gap_from, gap_to),) = edges.gaps.tolist()
    assert 2.3 < (gap_to - gap_from) / 24e6 < 5  # away, back, with its firmware
    seen = {name: edges.channel(f"{name}.strobe")[0] for name in "ab"}
    seen = {name: samples[(samples < gap_from) | (samples > gap_to)] for name, samples in seen.items()}
    there = {name: truth.read(tmp_path / "truth", benches.load(file)).channel(f"{name}.strobe")[0] for name in "ab"}
    begins = seen["a"][0] - there["a"] * PER_PS  # of the recording: one of these
    # tick.c repeats itself after a while, by a clock of its own on each board.
    assert min(max(_farthest(seen[name], there[name] * PER_PS + begin) for name in "ab") for begin in begins) < NEAR
    assert all(np.sum(samples > gap_to) > 1000 for samples in seen.values())


def _farthest(samples: NDArray[np.int64], places: NDArray[np.float64]) -> float:
    """How far the farthest of the samples is from the nearest of the places."""
    after = np.clip(np.searchsorted(places, samples), 1, places.size - 1)
    return float(np.max(np.minimum(np.abs(places[after] - samples), np.abs(places[after - 1] - samples))))
