"""Two analyzers without a sync line, aligned by the frames that a radio receiver on each receives."""

from __future__ import annotations

from pathlib import Path

import directbench
import numpy as np
import pytest
from commandline import gpiorig
from twoanalyzers import EXPERIMENT, two_analyzers

from gpiorig.capture.recording.recording import Recording

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
