"""What `-q`, `-v` and progress show."""

from __future__ import annotations

import io
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from commandline import gpiorig

from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.rig import browser, progress, verbosity
from gpiorig.rig.arguments import COMMANDS
from gpiorig.rig.arguments.parser import leaves
from gpiorig.rig.cli import options_of
from gpiorig.rig.results import report as reporting


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verbosity.SHOWN, "quiet", False)
    monkeypatch.setattr(verbosity.SHOWN, "verbose", False)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_both(command: str) -> None:
    """`-q` and `-v` are options of every verb."""
    for leaf in leaves(options_of(command)):
        assert {"-q", "--quiet", "-v", "--verbose"} <= leaf._option_string_actions.keys()


def test_short_work_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar appears after `DELAY_S`, on a terminal, unless the command is quiet."""
    shown = []
    for delay_s, quiet in ((60.0, False), (0.0, False), (0.0, True)):
        monkeypatch.setattr(progress, "DELAY_S", delay_s)
        monkeypatch.setattr(verbosity.SHOWN, "quiet", quiet)
        monkeypatch.setattr("sys.stderr", terminal := Terminal())
        with progress.bar("sorting", total=3, unit="packets", mininterval=0) as drawn:
            time.sleep(0.01)
            drawn.update(3)
        shown.append("sorting" in terminal.getvalue())
    assert [False, True, False] == shown


def test_a_stage_shows_its_name_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that cannot be counted is named once it takes longer."""
    monkeypatch.setattr(progress, "DELAY_S", 0.01)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    with progress.stage("page"):
        deadline_s = time.monotonic() + 10
        while "page: 00:0" not in terminal.getvalue() and time.monotonic() < deadline_s:
            time.sleep(0.01)
    assert "page: 00:0" in terminal.getvalue()


def test_times_of_stages(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """With `-v` each stage is named with its seconds, without a terminal, too; otherwise nothing is printed."""
    for verbose in (False, True):
        monkeypatch.setattr(verbosity.SHOWN, "verbose", verbose)
        with progress.stage("page"):
            pass
        assert [3, 3, 2] == list(progress.iterate([3, 3, 2], "packets", unit="rows"))
    lines = capsys.readouterr().err.splitlines()
    assert ["page: 0.", "packets: 0."] == [line[: line.index(".") + 1] for line in lines]


@pytest.mark.parametrize(("words", "lines"), [((), 3), (("-q",), 1), (("--quiet", "--open"), 1), (("--open",), 3)])
def test_a_quiet_report_prints_the_path(
    words: tuple[str, ...], lines: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last line is the page; with `-q` it is the only one, its path alone. `--open` opens it."""
    (tmp_path / "one").mkdir()
    data = SimpleNamespace(notes=())
    reported = SimpleNamespace(
        sentences=("One.", "Two."), data=data, numbers={}, write=lambda *_, **__: tmp_path / "report.html"
    )
    opened: list[str] = []
    info = RecordingInfo(samplerate="1/1", channels=(), epoch=Epoch(wall=""), state="complete")
    monkeypatch.setattr(Recording, "open", lambda folder: Recording(folder, info))
    monkeypatch.setattr(reporting, "of", lambda recording, **_: reported)
    monkeypatch.setenv("DISPLAY", ":9")
    monkeypatch.setattr(browser.webbrowser, "open", lambda address: opened.append(address) or True)
    done = gpiorig("report", tmp_path / "one", *words)

    printed = done.stdout.splitlines()
    stated = "" if lines == 1 else f"{tmp_path / 'one'}: complete\n"
    assert (0, stated, lines) == (done.status, done.stated, len(printed))
    assert f"{'' if lines == 1 else 'report: '}{tmp_path / 'report.html'}" == printed[-1]
    assert [(tmp_path / "report.html").as_uri()] * words.count("--open") == opened


def test_no_display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where no browser can be opened, the path is named."""
    for name in browser.DISPLAYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(browser.webbrowser, "open", lambda address: pytest.fail("opened without a display"))
    monkeypatch.setattr(browser.sys, "platform", "linux")
    browser.show(tmp_path / "report.html")
    assert f"no browser can be opened here; open {tmp_path / 'report.html'} in one.\n" == capsys.readouterr().err
