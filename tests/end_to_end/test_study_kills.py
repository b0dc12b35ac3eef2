"""`gpiorig study run` that is killed while it records on the virtual bench, and is called again."""

from __future__ import annotations

import contextlib
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from payloadstudy import study_tables, study_text

MOMENTS, SEED = 20, 17
PATIENCE_S = 240.0
STUDY = study_text(experiment='packets = 15\nwarmup = "5 packets"', show='kind = "line"\nx = "payload"')


def study(folder: Path, *, kill_after_s: float | None = None) -> tuple[int, float]:
    """Run the study; its status, and how long it took."""
    begin_s = time.monotonic()
    words = ["study", "run", str(folder.parent / "s.toml"), "-o", str(folder)]
    process = subprocess.Popen([sys.executable, "-m", "gpiorig.rig.cli", *words], stdout=subprocess.DEVNULL)
    if kill_after_s is not None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(kill_after_s)
        process.kill()
    return process.wait(PATIENCE_S), time.monotonic() - begin_s


@pytest.mark.deep
@pytest.mark.timeout(3600)
def test_a_killed_study_ends_with_the_same_study_tables(tmp_path: Path) -> None:
    """Killed at one of many moments, and at a second one while it resumes; byte for byte the same."""
    (tmp_path / "s.toml").write_text(STUDY)
    status, took_s = study(tmp_path / "reference")
    assert 0 == status
    expected, draw = study_tables(tmp_path / "reference"), random.Random(SEED)

    killed = 0
    for number in range(MOMENTS):
        folder = tmp_path / str(number)
        for moment in (number + draw.random(), draw.random() * MOMENTS):
            killed += study(folder, kill_after_s=moment / MOMENTS * took_s)[0] == -signal.SIGKILL
        assert 0 == study(folder)[0]
        assert expected == study_tables(folder), f"moment {number}"
    assert killed >= MOMENTS / 2
