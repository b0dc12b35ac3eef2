"""The core runs benches of boards and reads every file without gpiorig-vbench, which it names where it is needed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import commandline
import core_only
import pytest
from commandline import Demo, gpiorig_running

import gpiorig
from gpiorig.rig import distributions, resources

DEMO = resources.benches()["demo"]
PACKETS = "6"


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The bench file of boards that another process serves."""
    file = tmp_path_factory.mktemp("served") / "boards.toml"
    serving = ("bench", "virtual", DEMO, "--pace", "real-time", "--json", "--bench-file", file)
    with gpiorig_running(*serving) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield file


@pytest.mark.slow
def test_a_bench_of_boards_needs_no_virtual_bench(boards: Path, tmp_path: Path) -> None:
    """`run` with its report where there is none; and where there is one, `run` loads no part of it.

    A recording by real time may notice that the host was slow.
    """
    for words in (("run",), ("--boards", "run", "--no-report")):
        folder = tmp_path / words[-1]
        done, asked = core_only.run(*words, boards, "pingpong", "--packets", PACKETS, "-o", folder)
        assert (done.returncode in (0, 1), asked) == (True, []), done.stderr
    assert (tmp_path / "run" / "report" / "report.html").is_file()
    done, asked = core_only.run("capture", "--bench", boards, "--duration", "300ms", "-o", tmp_path / "lines")
    assert (done.returncode in (0, 1), asked) == (True, []), done.stderr
    done, asked = core_only.run("bench", "check", boards)
    assert (0, []) == (done.returncode, asked), done.stderr


@pytest.mark.slow
def test_recordings_are_read(demo: Demo, tmp_path: Path) -> None:
    """One of a virtual bench, too, with the numbers that the distribution gives; and third-party files."""
    run, exported = tmp_path / "run", tmp_path / "demo.vcd"
    shutil.copytree(demo.folder, run)
    assert 0 == commandline.gpiorig("export", run, "-o", exported, "--to", "200ms").status
    done, asked = core_only.run("import", exported, "-o", tmp_path / "imported")
    assert (0, []) == (done.returncode, asked), done.stderr

    for words in (("measure", run, "--period", "initiator.strobe:rise"), ("info", run), ("packets", run)):
        done, asked = core_only.run(*words, "--json")
        complete = commandline.gpiorig(*words, "--json")
        assert (0, 0, []) == (complete.status, done.returncode, asked), done.stderr
        assert complete.numbers == json.loads(done.stdout), words
    done, asked = core_only.run("report", run, "--json")
    numbers = json.loads(done.stdout)
    assert (0, []) == (done.returncode, asked), done.stderr
    assert demo.numbers["packets_timelined"] == numbers["packets_timelined"]


@pytest.mark.slow
def test_recordings_are_served(demo: Demo) -> None:
    """`view` shows the page of a recording."""
    command = [sys.executable, core_only.__file__, "view", str(demo.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[0]
            with urllib.request.urlopen(address, timeout=60) as page:
                assert b"Virtual bench" in page.read()
        finally:
            process.terminate()


REFUSED = {
    "demo": ("demo",),
    "serve": ("bench", "virtual", DEMO),
    "run": ("run", DEMO, "pingpong", "-o", "run"),
    "name": ("run", "demo", "pingpong", "-o", "run"),
    "check": ("bench", "check", DEMO),
    "capture": ("capture", "--bench", DEMO, "--duration", "1s", "-o", "run"),
}


@pytest.mark.parametrize("words", REFUSED.values(), ids=REFUSED)
def test_what_needs_it_says_what_to_install(words: tuple[str | Path, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """One error with the remedy of a checkout (tests/rules/test_package.py has that of a wheel), and status 2."""
    portions = [portion for portion in gpiorig.__path__ if not Path(portion, "vbench").exists()]
    monkeypatch.setattr(gpiorig, "__path__", portions)
    monkeypatch.setattr(distributions, "parts", lambda group: {})
    done = commandline.gpiorig(*words)

    assert (2, 1) == (done.status, done.stderr.count("gpiorig-vbench")), done.stderr
    assert "Run `make setup`." in done.stderr
