"""`gpiorig.start_capture` and `gpiorig.start_run`: waiting, timeouts, stopping; captures of a virtual bench."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gpiorig

ABANDONED = """
import os, sys, gpiorig
session = gpiorig.start_capture(sys.argv[1], bench="demo")
os.kill(os.getpid(), {signal})
"""
EDGE = "initiator.strobe:rise"


@pytest.mark.slow
def test_a_capture_until_an_edge(tmp_path: Path) -> None:
    """It runs when it is returned; an edge ends the waiting, and `stop` ends it in order, as a complete recording."""
    with gpiorig.start_capture(tmp_path / "own", bench="demo") as session:
        assert session.is_running and "running" in repr(session)
        with pytest.raises(gpiorig.WaitTimeout, match=r"capture has not ended within 0\.01 s"):
            session.wait(timeout_s=0.01)
        session.wait_for(EDGE, count=3, timeout_s=30)
        with pytest.raises(gpiorig.Error, match=r"no channel 'nosuch'; available channels: initiator\.strobe"):
            session.wait_for("nosuch", timeout_s=1)
        began_s = time.monotonic()
        with pytest.raises(gpiorig.WaitTimeout, match=rf"\d+ of 1000000 edges {EDGE} in 0\.2 s"):
            session.wait_for(EDGE, count=1_000_000, timeout_s=0.2)
        assert time.monotonic() - began_s < 5
        own = session.stop()

    assert (False, "complete", True) == (session.is_running, own.state, own.virtual)
    assert len(own.edges("initiator.strobe").rises) >= 3
    with pytest.raises(gpiorig.Error, match=r"already|exists"):
        gpiorig.start_capture(tmp_path / "own", bench="demo")


@pytest.mark.slow
def test_a_run_that_is_left(tmp_path: Path) -> None:
    """The end of the block ends it; what was recorded stays, and its state tells; the waiter of an edge is told."""
    with gpiorig.start_run("demo", "pingpong", tmp_path / "run", packets=5000) as session:
        pass

    assert not session.is_running
    assert "incomplete" == gpiorig.open(tmp_path / "run").state
    with pytest.raises(gpiorig.Error, match=rf"ended after \d+ of 1000000 edges {EDGE}"):
        session.wait_for(EDGE, count=1_000_000, timeout_s=5)
    with pytest.warns(UserWarning, match="run is incomplete: "):
        session.wait()


def test_what_cannot_start(tmp_path: Path) -> None:
    """The error is that of the command, and there is no folder."""
    with pytest.raises(gpiorig.Error, match="experiment nosuch: no file and no experiment has this name"):
        gpiorig.start_run("demo", "nosuch", tmp_path / "run")
    assert [] == [path for path in tmp_path.iterdir() if path.is_dir()]


@pytest.mark.deep
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_capture_outlives_its_program(tmp_path: Path, number: signal.Signals) -> None:
    """Killed, or ended by an exception: the capture ends in order, and its recording is complete."""
    script = ABANDONED.format(signal=int(number))
    done = subprocess.run([sys.executable, "-c", script, tmp_path / "own"], capture_output=True, check=False)

    assert done.returncode in (-number, 1)
    until_s = time.monotonic() + 20
    while (state := gpiorig.open(tmp_path / "own").state) != "complete":
        assert time.monotonic() < until_s, state
        time.sleep(0.05)
