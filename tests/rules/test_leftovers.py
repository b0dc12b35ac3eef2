"""The check that nothing is left of a run of the tests, on runs of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import ROOT
from patience import wait_until

TIDY = """
import subprocess, tempfile

def test_tidy(tmp_path):
    subprocess.run(["true"])
    with tempfile.TemporaryDirectory():
        (tmp_path / "kept").touch()
"""
UNTIDY = """
import subprocess, tempfile, time
from pathlib import Path

def test_untidy():
    subprocess.run("setsid sleep 654321 >/dev/null 2>&1 &", shell=True)
    time.sleep(0.5)  # until it is a process of its own
    tempfile.mkdtemp(prefix="gpiorig-bench-")
    Path("runs").mkdir()
    Path("runs/a").touch()
    Path("b").touch()
    (Path.home() / ".config").mkdir()
    (Path.home() / ".config" / "PulseView.conf").touch()
"""


def run_tests(place: Path, text: str, *words: str) -> tuple[int, list[str]]:
    """Run tests in a checkout of their own: exit status, and the reported leftovers."""
    folder = place / "checkout"
    folder.mkdir()
    (folder / "test_it.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / ".gitignore").write_text("/runs/\n__pycache__/\n")
    subprocess.run(["git", "init", "-q", folder], check=True)
    command = [sys.executable, "-m", "pytest", "-p", "leftovers", "-p", "no:cacheprovider"]
    command += [f"--basetemp={place / 'temporary'}", *words, "test_it.py"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tests" / "support"), "PYTEST_ADDOPTS": ""}
    environment = {name: text for name, text in environment.items() if not name.startswith("PYTEST_XDIST")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    _, _, report = done.stdout.partition("left behind by the tests")
    return done.returncode, [line for line in report.splitlines()[1:] if line and not line.startswith("=")]


@pytest.mark.slow  # starts pytest, and its workers
@pytest.mark.parametrize("words", [(), ("-n", "2")])
def test_a_run_that_leaves_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Files in a test's own folder and what it deletes are not leftovers."""
    assert (0, []) == run_tests(tmp_path, TIDY, *words)


@pytest.mark.slow  # waits for the process to end
@pytest.mark.parametrize("words", [(), ("-n", "2")])
def test_what_is_left_fails_the_run(tmp_path: Path, words: tuple[str, ...]) -> None:
    """A process that has left the run's session, a temporary folder, files in the checkout and in the home."""
    status, lines = run_tests(tmp_path, UNTIDY, *words)
    checkout = tmp_path / "checkout"

    assert 1 == status
    assert [f"file or folder: {checkout / name}" for name in ("b", "runs")] == lines[:2]
    assert f"in the home: {tmp_path / 'temporary' / 'home' / '.config' / 'PulseView.conf'}" == lines[2]
    assert lines[3].startswith("process ")
    assert lines[3].endswith(": sleep 654321")
    assert Path(lines[4].removeprefix("temporary file or folder: ")).name.startswith("gpiorig-bench-")
    assert 5 == len(lines)
    command = Path("/proc", lines[3].split()[1].rstrip(":"), "cmdline")
    wait_until(lambda: not command.exists() or not command.read_bytes())  # ended, be it not yet waited for
