"""Signals: a few of the moments of `signal_moments.py`, 200 in the deep suite; and a recorder that is stopped."""

from __future__ import annotations

import math
import os
import random
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest
from commandline import Demo, gpiorig, gpiorig_running
from patience import PATIENCE_S, wait_until
from signal_moments import PIPE, QUERY, STAGES, VERBS, one_signal, prepare, table

from gpiorig.capture.recording.recording import Recording

MOMENTS = (
    *(("report", "start-up", signal.SIGINT), ("report", "working", signal.SIGHUP)),
    *(("report", "drawing", signal.SIGTERM), ("report", "drawing", signal.SIGINT)),
    *(("run", "start-up", signal.SIGTERM), ("run", "recording", signal.SIGHUP), ("run", "recording", signal.SIGINT)),
    *(("capture", "recording", signal.SIGTERM), ("export sr", "working", signal.SIGINT)),
    *(("store query", "working", signal.SIGTERM), ("packets", "start-up", PIPE), ("view", "working", signal.SIGHUP)),
)


@pytest.fixture(scope="module")
def recording(demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the demo's, with what the verbs read next to it."""
    folder = tmp_path_factory.mktemp("signals") / "run"
    shutil.copytree(demo.folder, folder)
    prepare(folder, names=[name for name, _, _ in MOMENTS])
    return folder


@pytest.mark.parametrize(("verb", "stage", "number"), MOMENTS, ids=lambda value: getattr(value, "name", value))
def test_a_signal_ends_a_command_and_leaves_nothing(
    tmp_path: Path, recording: Path, verb: str, stage: str, number: signal.Signals
) -> None:
    """No traceback, no process, no temporary file, no half of a file; and its status tells the signal."""
    draw = random.Random(f"{verb} {stage} {number}")
    after_s = draw.uniform(0, STAGES[stage] / 2)
    outcome = one_signal(
        VERBS[verb], number, recording, tmp_path / "try", stage=stage, after_s=after_s, group=draw.random() < 0.5
    )

    assert [] == list(outcome.faults), f"{outcome.stage}, after {outcome.seconds:.2f} s"


def test_a_query_that_works_for_long_ends(recording: Path) -> None:
    """DuckDB's own threads work on it, and the main thread waits without looking for signals."""
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGTERM)).start()
    done = gpiorig("store", "query", "-s", recording.parent / "store", QUERY)

    assert (128 + signal.SIGTERM, "gpiorig store: interrupted\n") == (done.status, done.stderr)


@pytest.mark.deep
@pytest.mark.parametrize("verb", VERBS)
def test_signals_at_all_stages_of_all_verbs(tmp_path: Path, recording: Path, verb: str) -> None:
    """As those above: 200 signals in all."""
    prepare(recording, names=[verb])

    assert [] == table([verb], math.ceil(200 / len(VERBS)), 1, recording, tmp_path)


@pytest.mark.slow
def test_a_recorder_that_was_stopped_does_not_blame_its_analyzer(tmp_path: Path) -> None:
    """It was stopped for longer than the analyzer may be silent; the samples come, and it continues."""
    folder = tmp_path / "run"
    words = ["-d", "demo:logic_channels=8:analog_channels=0", "--samplerate", "1MHz", "--samples", "6000000"]
    with gpiorig_running("capture", *words, "--silence", "1s", "-o", folder) as capture:
        wait_until(lambda: any(path.stat().st_size for path in folder.glob("edges/*.seg")))
        capture.send_signal(signal.SIGSTOP)
        time.sleep(3.0)
        capture.send_signal(signal.SIGCONT)
        output, complained = capture.communicate(timeout=PATIENCE_S)

    assert "no sample for" not in output + complained
    assert 6_000_000 == Recording.open(folder).edges().end
