"""Two analyzers without a sync line, aligned by the frames that a radio receiver on each receives."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import directbench
import numpy as np
import pytest
from commandline import gpiorig
from numpy.typing import NDArray
from twoanalyzers import EXPERIMENT, two_analyzers

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.sync import alignment, frame_line
from gpiorig.capture.sync.frame_line import Frames

SYNC = 'sync = "P8_20"\n'
LINES = ("strobe", "d0", "d1", "tap.frame_timestamp")
NODES = {
    "beacon": ("one:P8_20", "one:P8_21", "one:P8_30"),
    "left": ("one:P8_27", "one:P8_39", "one:P8_40", "one:P8_29"),
    "right": ("two:P8_45", "two:P8_46", "two:P8_43", "two:P8_44"),
}
DELAYS_PS = {"left": 10_000, "right": 1_010_000}  # at 3 m and 303 m of the beacon
CHANNEL = 11  # not that of the ping-pong
BEACON = f"""
[nodes.beacon]
start = true
app = "interferer"
interval_us = 10_000
spacing = "poisson"
payload = 16
channel = {CHANNEL}
[nodes.left]
channel = {CHANNEL}
[nodes.right]
channel = {CHANNEL}
"""


def bench() -> str:
    """The bench of two analyzers, with a sender and two receivers in place of the sync line."""
    one, two = two_analyzers().replace("16_000_000", "24_000_000").split(SYNC, maxsplit=1)
    text = f'{one}sync_frames = "left.tap.frame_timestamp"\n' + two.replace(
        SYNC, 'sync_frames = "right.tap.frame_timestamp"\nsync_delay_ns = 1000\nsync_delay_limit_ns = 10\n'
    )
    text = text.replace("[virtual.sync]\nclock_ppb = 4_000\n", "")
    for name, channels in NODES.items():
        lines = [f'"{line}" = "{channel}"' for line, channel in zip(LINES, channels, strict=False)]
        text += "\n".join(["", f"[nodes.{name}]", 'board = "iotlab-m3"', f"[nodes.{name}.lines]", *lines])
    for name, delay_ps in DELAYS_PS.items():
        text += f'\n[[virtual.links]]\nfrom = "beacon"\nto = "{name}"\ndelay_ps = {delay_ps}'
    return text


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """A ping-pong whose boards have an analyzer each, 43 ppm apart, begun 23 us apart."""
    return directbench.record(tmp_path_factory.mktemp("frames"), bench(), EXPERIMENT + BEACON)


@pytest.mark.slow
def test_what_two_analyzers_saw_falls_on_each_other(both: Recording) -> None:
    """Rate and delay are those of the bench; the instants differ by no more than sampling."""
    (note,) = both.info.alignments
    assert ("complete", 43_000) == (both.state, pytest.approx(note.rate_ppb, abs=200))
    assert note.residual_max_ns <= 2e9 / 24e6
    assert (1000, 10) == (note.delay_ns, note.delay_limit_ns)
    assert 100 < note.pulses


@pytest.mark.slow
def test_merge_of_the_parts_is_what_run_made(both: Recording, tmp_path: Path) -> None:
    """`gpiorig merge --frames` of the analyzers' own recordings gives the same edges; what it lacks is named."""
    parts = [both.folder / "analyzers" / name for name in ("one", "two")]
    lines = [f"--frames={part}={name}.tap.frame_timestamp" for part, name in zip(parts, DELAYS_PS, strict=True)]
    done = gpiorig("merge", *parts, "-o", tmp_path / "both", *lines)
    assert (0, "") == (done.status, done.stderr)
    assert f"{both.info.alignments[0].pulses} frames" in done.stdout
    merged = Recording.open(tmp_path / "both").edges()
    assert np.array_equal(both.edges().samples, merged.samples)
    assert np.array_equal(both.edges().levels, merged.levels)

    for words, message in (
        (lines[:1], f"{parts[1]}: no receiver is named for it"),
        ([lines[0], f"--frames={parts[1]}=elsewhere"], "no channel 'elsewhere'"),
        (["--frames=elsewhere=a"], "--frames elsewhere=a: write RUN=CHANNEL"),
    ):
        done = gpiorig("merge", *parts, "-o", tmp_path / "refused", *words)
        assert 2 == done.status
        assert message in done.stderr


RATE_HZ = Fraction(24_000_000)
FRAMES = 2000


def received(times_ns: NDArray[np.float64], lengths_ns: NDArray[np.float64], *, ppm: float, begin_s: float) -> Frames:
    """What a receiver's analyzer records of frames, with a clock of its own."""
    samples = np.rint((times_ns - begin_s * 1e9) * (1 + ppm * 1e-6) * float(RATE_HZ) / 1e9).astype(np.int64)
    there = samples >= 0
    return Frames(samples[there], lengths_ns[there], RATE_HZ)


def air(random: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Frames of two lengths at random intervals of 20 ms on average: instants, and how long they take."""
    return np.cumsum(random.exponential(20e6, FRAMES) + 1e6), random.choice([640e3, 2_720e3], FRAMES)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_receivers_that_miss_frames_and_are_late(seed: int) -> None:
    """A third is missed on each side, a receiver's instants scatter by 300 ns, some are late by more."""
    random = np.random.default_rng(seed)
    times_ns, lengths_ns = air(random)
    left, right = (random.random(FRAMES) > 1 / 3 for _ in range(2))
    late_ns = random.normal(0, 300, FRAMES) + 4000 * (random.random(FRAMES) < 0.01)
    reference = received(times_ns[left], lengths_ns[left], ppm=-20, begin_s=0)
    other = received((times_ns + late_ns)[right], lengths_ns[right], ppm=80, begin_s=7.3)

    x, y, noise_ns = frame_line.in_common(reference, other)
    fit = alignment.fit(x, y, reference_hz=RATE_HZ, aligned_hz=RATE_HZ, noise_ns=noise_ns)

    seen = np.count_nonzero(left & right & (times_ns > 7.3e9))
    assert 0.95 * seen < fit.pulses <= seen
    assert 300 == pytest.approx(noise_ns, rel=0.25)
    assert 100_000 == pytest.approx(fit.rate_ppb, abs=50)
    assert 300 == pytest.approx(fit.residual_std_ns, rel=0.1)
    instants_ns = np.array([10e9, 30e9])
    own = (instants_ns - 7.3e9) * (1 + 80e-6) * 24e6 / 1e9
    expected = instants_ns * (1 - 20e-6) * 24e6 / 1e9
    assert np.all(np.abs(fit.renumber(np.rint(own).astype(np.int64)) - expected) * 1e9 / 24e6 < 100)


def test_frames_at_equal_intervals_are_refused() -> None:
    """Which of them are the same is unknown."""
    times_ns = np.arange(FRAMES) * 20e6
    regular = [received(times_ns, np.full(FRAMES, 640e3), ppm=0, begin_s=begin_s) for begin_s in (0, 3.0)]
    with pytest.raises(CaptureError, match="intervals that repeat"):
        frame_line.in_common(*regular)


def test_receivers_of_different_radios_are_refused() -> None:
    """Nothing falls on each other; nor does it where a receiver received nothing."""
    left, right = (received(*air(np.random.default_rng(seed)), ppm=0, begin_s=0) for seed in (1, 2))
    silent = Frames(left.samples[:0], left.lengths_ns[:0], RATE_HZ)
    for other in (right, silent):
        with pytest.raises(CaptureError, match="no frames in common"):
            frame_line.in_common(left, other)
