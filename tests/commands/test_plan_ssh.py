"""A bench of another machine over a real SSH connection, to a server on this one; skipped where none is installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import privatesshd
import pytest
from commandline import gpiorig
from patience import wait_until
from plan_kills import PLAN
from privatesshd import Server

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import resources
from gpiorig.studies.plans import journal, remote
from gpiorig.studies.plans.folders import DIGITS

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(not privatesshd.is_installed(), reason="no sshd (apt: openssh-server)"),
]
DEMO = resources.benches()["demo"]

# `gpiorig`, which takes its time to end in order, as with a recording of many GB.
SLOW = """
import signal, subprocess, sys, time
process = subprocess.Popen([sys.executable, "-m", "gpiorig.rig.cli", *sys.argv[1:]])
def end(*_):
    process.send_signal(signal.SIGSTOP)
    time.sleep(2)
    process.terminate()
    process.send_signal(signal.SIGCONT)
signal.signal(signal.SIGTERM, end)
sys.exit(process.wait())
"""


def plan_text(server: Server, *, packets: int) -> str:
    """A plan of one point there."""
    text = PLAN.format(packets=packets, runs=1, never=5)
    (server.home / "slow.py").write_text(SLOW)
    program = json.dumps([sys.executable, str(server.home / "slow.py")])
    there = f'file = "{server.address}{server.home}/bench.toml"\nssh = {json.dumps(server.client)}\ngpiorig = {program}'
    return text.replace('file = "demo"', there)


def edges_bytes(server: Server) -> int:
    """What is recorded there by now."""
    return sum(path.stat().st_size for path in server.home.glob(f"{remote.HOME}/*/run/edges/*.seg"))


def test_a_run_over_ssh_whose_connection_is_cut(tmp_path: Path) -> None:
    """The run there ends with its connection; the next attempt is complete, is fetched, and nothing stays there."""
    with privatesshd.served(tmp_path / "ssh") as server:
        shutil.copy(DEMO, server.home / "bench.toml")
        (tmp_path / "plan.toml").write_text(plan_text(server, packets=100))

        def cut() -> None:
            wait_until(lambda: edges_bytes(server) > 10_000)
            assert server.cut() == 1

        cutter = threading.Thread(target=cut)
        cutter.start()
        done = gpiorig("study", "run", tmp_path / "plan.toml")
        cutter.join()
        records = list(journal.read(tmp_path / "out").records)
        failed = [record for record in records if record.event == "failed"]
        left = list((server.home / remote.HOME).iterdir())

    assert 0 == done.status, done.stdout + done.stderr
    assert [("connection", "incomplete")] == [(record.cause, record.state) for record in failed]
    assert "interrupted by SIGTERM" == Recording.open(tmp_path / "out" / failed[0].folder).info.reason
    assert "complete" == Recording.open(tmp_path / "out" / records[-2].folder).state
    assert [] == left


def test_a_plan_that_is_killed_during_a_run_over_ssh(tmp_path: Path) -> None:
    """The next call fetches what the run there had recorded, and records again; nothing stays there."""
    with privatesshd.served(tmp_path / "ssh") as server:
        shutil.copy(DEMO, server.home / "bench.toml")
        (tmp_path / "plan.toml").write_text(plan_text(server, packets=100))
        words = ("study", "run", str(tmp_path / "plan.toml"))
        with subprocess.Popen([sys.executable, "-m", "gpiorig.rig.cli", *words], stdout=subprocess.DEVNULL) as killed:
            wait_until(lambda: edges_bytes(server) > 10_000)
            killed.kill()
        done = gpiorig(*words)
        records = list(journal.read(tmp_path / "out").records)
        left = list((server.home / remote.HOME).iterdir())

    assert 0 == done.status, done.stdout + done.stderr
    events = [record.event for record in records if not record.event.startswith("plan")]
    assert ["started", "gap", "cut", "fetched", "started", "complete"] == events
    fetched = Recording.open(tmp_path / "out" / "kept" / f"{records[-2].point[:DIGITS]}-attempt-1")
    assert ("incomplete", "interrupted by SIGTERM") == (fetched.state, fetched.info.reason)
    assert len(fetched.edges().samples) > 0
    assert [] == left
