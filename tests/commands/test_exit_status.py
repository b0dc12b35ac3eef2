"""Exit statuses: how a command that was interrupted, or went wrong in a way that was not expected, ends."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from commandline import Demo, gpiorig, gpiorig_running
from patience import PATIENCE_S, wait_until
from serial.tools.list_ports_common import ListPortInfo

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import signals
from gpiorig.rig.commands.look import info_work as info

UNPLUGGED = """
name = "without its boards"
[analyzers.la]
driver = "demo:logic_channels=16:analog_channels=0"
samplerate_hz = 24_000_000
[nodes.initiator]
board = "iotlab-m3"
serial = "/dev/ttyNONE"
lines = { strobe = "D0", d0 = "D1", d1 = "D2" }
[nodes.responder]
board = "iotlab-m3"
serial = "/dev/ttyNONE2"
lines = { strobe = "D3", d0 = "D4", d1 = "D5" }
"""


def has_rows(folder: Path) -> bool:
    """Whether a run has written edges."""
    return any(path.stat().st_size for path in folder.glob("edges/*.seg"))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_says_so(tmp_path: Path, number: signal.Signals) -> None:
    """Its status is that of the signal, and the reason names it; what was recorded until then is there."""
    folder = tmp_path / "run"
    with gpiorig_running("run", "demo", "pingpong", "-o", folder, "--packets", "60000", "--no-report") as run:
        wait_until(lambda: has_rows(folder))
        run.send_signal(number)
        output, complained = run.communicate(timeout=PATIENCE_S)
    recording = Recording.open(folder)

    *_, reason, remedy = complained.splitlines()
    assert (128 + number, "", "gpiorig run: interrupted") == (run.returncode, output, reason)
    assert remedy == f"{folder} has what was recorded until then; `gpiorig info {folder}` shows it"
    assert ("incomplete", f"interrupted by {number.name}") == (recording.state, recording.info.reason)
    assert recording.edges().samples.size


def test_a_run_that_recorded_nothing_does_not_block_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A port is not there: those that are there are named, and the folder is free for the next attempt."""
    ports = [ListPortInfo("/dev/ttyUSB7"), ListPortInfo("/dev/ttyACM0")]
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: ports)
    bench = tmp_path / "bench.toml"
    bench.write_text(UNPLUGGED)
    for _ in range(2):
        done = gpiorig("run", bench, "pingpong", "-o", tmp_path / "run", "--packets", "1")

        assert 2 == done.status
        assert "/dev/ttyNONE: there is no such port; there are /dev/ttyACM0, /dev/ttyUSB7: check" in done.stderr
        assert not (tmp_path / "run").exists()


def test_an_error_of_a_run_as_an_object(tmp_path: Path) -> None:
    """With --json the error is on stdout, too, with its kind, and the node whose port it is about."""
    bench = tmp_path / "bench.toml"
    bench.write_text(UNPLUGGED)
    port = gpiorig("run", bench, "pingpong", "-o", tmp_path / "run", "--json")
    experiment = gpiorig("run", bench, "pingpng", "-o", tmp_path / "run", "--json")

    assert (2, "SerialPortError", "initiator") == (
        port.status,
        port.numbers["error"]["kind"],
        port.numbers["error"]["node"],
    )
    assert port.numbers["error"]["text"] in port.stderr
    assert ("BenchError", None) == (experiment.numbers["error"]["kind"], experiment.numbers["error"].get("node"))


@pytest.mark.slow
def test_a_closed_output_is_told_by_the_status(demo: Demo) -> None:
    """As other programs end that SIGPIPE ends: under pipefail, `gpiorig info run | head -1` is 141, and silent."""
    words = shlex.join([sys.executable, "-m", "gpiorig.rig.cli", "info", str(demo.folder)])
    command = f"{words} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)

    assert (141, "") == (done.returncode, done.stderr)


def test_an_unexpected_exception_is_one_line_and_a_file(
    tmp_path: Path, demo: Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The traceback is saved, with the command, for whoever reports it."""

    def fail(waveform: object, **_: object) -> None:
        raise ZeroDivisionError("first line\nsecond line")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(info, "describe", fail)
    done = gpiorig("info", demo.folder)
    (saved,) = tmp_path.iterdir()
    text = saved.read_text()

    assert (2, "") == (done.status, done.stdout)
    assert done.stderr == (
        "gpiorig info: error: ZeroDivisionError: first line; this is a fault of gpiorig: please report it, "
        f"with {saved}\n"
    )
    assert f"['info', '{demo.folder}']" in text
    assert 'raise ZeroDivisionError("first line' in text


def query(waveform: object, **_: object) -> None:
    """DuckDB makes an error of its own of the signal's exception: "Query interrupted"."""
    connection = duckdb.connect()
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
    with signals.calling(connection.interrupt):
        connection.execute("SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b").fetchall()


def destroy(waveform: object, **_: object) -> None:
    """Python ignores the signal's exception in a destructor."""

    class Interrupting:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    Interrupting()
    time.sleep(PATIENCE_S)


@pytest.mark.parametrize("work", [query, destroy], ids=lambda work: work.__name__)
def test_a_signal_whose_exception_is_lost_ends_the_command(
    demo: Demo, monkeypatch: pytest.MonkeyPatch, work: Callable[..., None]
) -> None:
    """It is neither a fault of ours nor forgotten."""
    monkeypatch.setattr(info, "describe", work)
    done = gpiorig("info", demo.folder)

    assert (128 + signal.SIGTERM, "gpiorig info: interrupted") == (done.status, done.stderr.splitlines()[-1])
