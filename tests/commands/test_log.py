"""The log of a recording, and the archive for the report of an issue."""

from __future__ import annotations

import getpass
import io
import re
import shutil
import socket
import tomllib
import zipfile
from pathlib import Path

import pytest
from commandline import Demo, gpiorig

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.host import requirements

CAPTURE = ("capture", "-d", "demo:logic_channels=8:analog_channels=0", "--samplerate", "1MHz", "--samples", "50000")


def test_a_recording_has_its_log(demo: Demo) -> None:
    """Each program with its command line and what it printed, the machine, the analyzer, and the end."""
    text = (demo.folder / "log.txt").read_text()

    for words in ("runs: /", "sigrok-cli -l 3 -d beaglelogic:", "libsigrok 0.", "bench virtual --json", "usbfs: "):
        assert words in text
    assert text.endswith("/run is complete\n")
    assert not [name for name in Recording.open(demo.folder).info.files if "log" in name]
    assert () == Recording.open(demo.folder).verify()


def test_a_capture_that_fails_leaves_its_log_next_to_its_place(tmp_path: Path) -> None:
    """The folder is free for the next attempt, and -vv shows the same."""
    words = ("capture", "-d", "beaglelogic:conn=tcp-raw/127.0.0.1/1", "--samplerate", "1MHz", "-o", tmp_path / "run")
    done = gpiorig(*words, "-vv")
    text = (tmp_path / "run.log.txt").read_text()

    assert (2, False) == (done.status, (tmp_path / "run").exists())
    assert f"log: {tmp_path / 'run.log.txt'}" in done.stderr
    assert "sigrok-cli -l 3 -d beaglelogic:conn=tcp-raw/127.0.0.1/1 --scan" in text
    assert "ended by AnalyzerError" in text
    assert {line for line in text.splitlines() if "runs: " in line} <= set(done.stderr.splitlines())


def test_a_wrong_word_leaves_no_log(tmp_path: Path) -> None:
    """Nothing was run, so the error has all."""
    assert 2 == gpiorig("run", "demo", "pingpng", "-o", tmp_path / "run").status
    assert [] == list(tmp_path.iterdir())


def test_a_recording_without_its_log_is_complete(tmp_path: Path) -> None:
    """As one of an older version: it opens, and nothing is missing."""
    folder = tmp_path / "run"
    assert 0 == gpiorig(*CAPTURE, "-o", folder).status
    (folder / "log.txt").unlink()
    assert () == Recording.open(folder).verify()


def test_an_archive_of_the_demo_has_nothing_private(
    tmp_path: Path, demo: Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No user, no host, no home; no samples, unless they are asked for. It is written on an answer, or with --yes."""
    archive, home = tmp_path / "issue.zip", tmp_path / "home" / "alice"
    shutil.copytree(demo.folder, home / "run")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USER", "alice")
    words = ("doctor", "--bundle", archive, "--bench", "demo", "--recording", home / "run")
    asked = gpiorig(*words)
    done = gpiorig(*words, "--yes")
    again = gpiorig(*words, "--yes")
    assert (2, 2) == (asked.status, again.status)
    assert "give --yes" in asked.stderr
    assert "give --force" in again.stderr
    assert 0 == done.status
    with zipfile.ZipFile(archive) as file:
        texts = {name: file.read(name).decode() for name in file.namelist()}
    assert {"doctor.txt", "machine.txt", "bench.toml", "doctor.log.txt"} < texts.keys()
    assert not [name for name in texts if "edges" in name or "serial" in name]
    assert all(name in done.stderr for name in texts)
    private = {re.escape(word) for word in {"alice", str(home), getpass.getuser()} - {"root"}}
    # As a name only: a short one, such as "vm", may be part of a random one of a temporary folder.
    private |= {rf"(?<!\w){re.escape(host)}(?!\w)" for host in {socket.gethostname()} - {"localhost"}}
    assert [] == [(name, word) for name, text in texts.items() for word in private if re.search(word, text)]
    assert "complete" == tomllib.loads(texts["recording/recording.toml"])["state"]

    assert 0 == gpiorig(*words, "--yes", "--force", "--with-data").status
    with zipfile.ZipFile(archive) as file:
        assert {f"recording/{name}" for name in Recording.open(demo.folder).info.files} < set(file.namelist())


class Terminal(io.StringIO):
    """A terminal with an answer."""

    def isatty(self) -> bool:
        """Yes."""
        return True


@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("n\n", False), ("", False)])
def test_the_answer_to_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, written: bool
) -> None:
    """On a terminal there is a question, after what is in it is shown; without a yes nothing is written."""
    monkeypatch.setattr(requirements, "all_of_them", lambda: ())
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    done = gpiorig("doctor", "--bundle", tmp_path / "issue.zip")

    assert (0, written) == (done.status, (tmp_path / "issue.zip").exists())
    assert "bytes  machine.txt" in done.stderr
    assert f"write {tmp_path / 'issue.zip'}? [y/N]" in done.stderr
