"""Virtual analyzers through the real sigrok-cli: channels, rates, several at once, and what makes them real."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from patience import PATIENCE_S
from virtualbench import ONE, TICK_NS, Sigrok, bench_text, capture, changes, edges, served

from gpiorig.capture.sync import sync_line
from gpiorig.vbench.serving.process import VirtualBenchProcess

pytestmark = pytest.mark.slow  # each test starts a bench, and most a sigrok-cli
STROBE = "P8_45"
TWO = """
[analyzers.one]
samplerate_hz = 24_000_000
sync = "P8_20"
[analyzers.two]
samplerate_hz = 16_000_000
sync = "P8_39"
"""


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory, tick: Path) -> Iterator[VirtualBenchProcess]:
    """A bench with one analyzer, which several captures have one after the other: their time follows each other's."""
    with served(tmp_path_factory.mktemp("usual"), bench_text(), tick) as process:
        yield process


def test_one_shot_of_14_channels(usual: VirtualBenchProcess) -> None:
    """A one-shot capture has exactly the samples asked for, and the tick where it is due."""
    strobes = changes(capture(usual, "la", samples=480_000), STROBE)

    assert 19 <= len(strobes) <= 20
    assert np.all(np.abs(np.diff(strobes) - TICK_NS * 24 // 1000) <= 24)  # an interrupt may wait for an instruction


def test_eight_channels(usual: VirtualBenchProcess) -> None:
    """With logic_channels=8 a sample is one byte, and shows the same."""
    driver = usual.endpoints["analyzers"]["la"] + ":logic_channels=8"
    got = Sigrok(driver, "--samples", "480000").samples(1)

    assert 480_000 == got.size
    assert 19 <= len(changes(got, STROBE)) <= 20


@pytest.mark.parametrize("rate_hz", [1_000_003, 100_000_000])
def test_any_rate(usual: VirtualBenchProcess, rate_hz: int) -> None:
    """Rates in steps of 1 Hz, up to 100 MS/s: the tick is as many samples long as it should be."""
    strobes = changes(capture(usual, "la", samples=rate_hz // 50, rate_hz=rate_hz), STROBE)

    assert np.all(np.abs(np.diff(strobes) * 1e9 / rate_hz - TICK_NS) < 2000)


def test_too_high_a_rate_is_refused(usual: VirtualBenchProcess) -> None:
    """Beyond 100 MS/s the analyzer refuses, sigrok-cli reports it and ends, and the analyzer can be used again."""
    driver = usual.endpoints["analyzers"]["la"]
    command = ["sigrok-cli", "-d", driver, "-c", "samplerate=100000001", "--samples", "100", "-O", "binary"]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    again = capture(usual, "la", samples=1000)

    assert b"" == refused.stdout.encode()
    assert "samplerate" in refused.stderr
    assert 1000 == again.size


def test_continuous_until_told_to_stop(usual: VirtualBenchProcess) -> None:
    """A continuous capture continues until `q` on sigrok-cli's standard input."""
    driver = usual.endpoints["analyzers"]["la"]
    command = ["sigrok-cli", "-d", driver, "-c", "samplerate=1000000", "--continuous", "-O", "binary"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        first = running.stdout.read(2_000_000)
        running.communicate(b"q", timeout=PATIENCE_S)

    assert 0 == running.returncode
    assert 999 <= len(changes(np.frombuffer(first, "<u2"), STROBE)) <= 1000


def test_two_analyzers_agree_by_the_sync_line(tmp_path: Path, tick: Path) -> None:
    """Two analyzers of other rate, error and phase: the sync line tells the pulses of both, and a line fits them.

    The residual of a straight line through (sample of one, sample of the other) is at most one sample of the slower.
    """
    virtual = """
[virtual.sync]
clock_ppb = 4_000
[virtual.analyzers.one]
clock_ppb = -31_000
phase_ps = 11_000
[virtual.analyzers.two]
clock_ppb = 22_000
phase_ps = 123_456_789_012
"""
    with served(tmp_path, bench_text(analyzers=TWO, la="one:", virtual=virtual), tick) as process:
        drivers = process.endpoints["analyzers"]
        first = Sigrok(drivers["one"], "--samples", "24000000")
        second = Sigrok(drivers["two"], "--samples", "16000000", rate_hz=16_000_000)
        one, two = first.samples(2), second.samples(2)

    a = sync_line.read(edges(one), "P8_20")
    b = sync_line.read(edges(two, rate_hz=16_000_000), "P8_39")
    assert a.damaged + b.damaged <= 2  # cut in two by the start or the end
    common, at_a, at_b = np.intersect1d(a.positions, b.positions, return_indices=True)
    assert len(common) >= 85  # 1 s, less the 123 ms that the second began later
    x, y = a.samples[at_a].astype(float), b.samples[at_b].astype(float)
    slope, offset = np.polyfit(x - x.mean(), y, 1)
    assert np.max(np.abs(y - (slope * (x - x.mean()) + offset))) <= 1.0
    assert abs(slope / (16 / 24) - 1 - 53e-6) < 1e-6  # 22 ppm fast against 31 ppm slow


def test_edges_near_a_sampling_instant(tmp_path: Path, tick: Path) -> None:
    """With a window as wide as a sample, ticks that lie on an exact grid are seen up to a sample off it."""
    exact, loose = (
        bench_text(virtual=f"[virtual.analyzers.la]\nwindow_ps = {window_ps}\n") for window_ps in (0, 41_000)
    )
    strobes = []
    for number, text in enumerate((exact, loose)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with served(folder, text, tick) as process:
            strobes.append(changes(capture(process, "la", samples=4_800_000), STROBE))

    shift = strobes[1] - strobes[0]
    assert set(np.unique(shift)) == {0, 1} or set(np.unique(shift)) == {-1, 0}


def test_thresholds_delay_edges(tmp_path: Path, tick: Path) -> None:
    """A channel that sees rising edges 1 us late and falling ones 2 us late."""
    late = "[virtual.analyzers.la.thresholds]\nP8_45 = { rise_ps = 1_000_000, fall_ps = 2_000_000 }\n"
    strobes = []
    for number, text in enumerate((bench_text(), bench_text(virtual=late))):
        folder = tmp_path / str(number)
        folder.mkdir()
        with served(folder, text, tick) as process:
            strobes.append(changes(capture(process, "la", samples=240_000), STROBE))

    assert [24, 48] == (strobes[1] - strobes[0])[:2].tolist()


def test_lines_are_on_the_analyzer_that_the_file_says(tmp_path: Path, tick: Path) -> None:
    """On a bench with two analyzers only the one that a line is on sees it; without sync, nothing else is there."""
    both = ONE + "[analyzers.lb]\nsamplerate_hz = 24_000_000\n"
    with served(tmp_path, bench_text(analyzers=both, la="lb:"), tick) as process:
        drivers = process.endpoints["analyzers"]
        running = [Sigrok(drivers[name], "--samples", "240000") for name in ("la", "lb")]
        la, lb = (sigrok.samples(2) for sigrok in running)

    assert not la.any()
    assert 9 <= len(changes(lb, STROBE)) <= 10
