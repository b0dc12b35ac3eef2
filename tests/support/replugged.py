"""Two FX2 boards with a sync line, on a virtual bench: one is unplugged in the middle of a capture, and comes back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from commandline import Finished, gpiorig
from numpy.typing import NDArray

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches
from gpiorig.vbench.boards import truth

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
RATE_HZ = 24e6
PER_PS = RATE_HZ * (1 - 3e-6) / 1e12  # samples of the first one, whose time the recording has


@dataclass(frozen=True)
class Replugged:
    """What came of it.

    Attributes
    ----------
    done
        The command.
    recording
        Its recording, of both boards on one time axis.
    gap_s
        How long the second board was away, by the recording.
    edges
        Edges before and after the gap, of both boards.
    farthest
        Samples between an edge and its place in the truth, of the edge for which these are most.
    """

    done: Finished
    recording: Recording
    gap_s: float
    edges: tuple[int, int]
    farthest: float


def replugged(folder: Path, image: Path) -> Replugged:
    """A capture of 8 s, against the truth of the virtual bench in picoseconds."""
    file, run = folder / "bench.toml", folder / "run"
    file.write_text(BENCH.replace('pace = "real-time"', f'pace = "real-time"\ntruth = "{folder / "truth"}"'))
    firmware = [word for node in "ab" for word in ("--firmware", f"{node}={image}")]
    done = gpiorig("capture", "--bench", file, *firmware, "--restart", "20s", "--duration", "8s", "-o", run)
    recording = Recording.open(run)
    edges = recording.edges()
    ((gap_from, gap_to),) = edges.gaps.tolist()
    seen = {name: edges.channel(f"{name}.strobe")[0] for name in "ab"}
    seen = {name: samples[(samples < gap_from) | (samples > gap_to)] for name, samples in seen.items()}
    there = {name: truth.read(folder / "truth", benches.load(file)).channel(f"{name}.strobe")[0] for name in "ab"}
    # Where the recording begins in the truth: tick.c repeats itself after a while, by a clock of its own on each board.
    begins = seen["a"][0] - there["a"] * PER_PS
    farthest = min(max(_farthest(seen[name], there[name] * PER_PS + begin) for name in "ab") for begin in begins)
    before = sum(int(np.searchsorted(samples, gap_from)) for samples in seen.values())
    after = sum(samples.size for samples in seen.values()) - before
    return Replugged(done, recording, (gap_to - gap_from) / RATE_HZ, (before, after), farthest)


def _farthest(samples: NDArray[np.int64], places: NDArray[np.float64]) -> float:
    """How far the farthest of the samples is from the nearest of the places."""
    after = np.clip(np.searchsorted(places, samples), 1, places.size - 1)
    return float(np.max(np.minimum(np.abs(places[after] - samples), np.abs(places[after - 1] - samples))))
