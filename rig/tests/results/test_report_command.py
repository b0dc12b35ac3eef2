"""What `gpiorig compare -o` prints of several recordings; formats of `gpiorig report`."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest

from gpiorig.analysis import report
from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.rig.cli import main
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings.provenance import VIRTUAL
from gpiorig.rig.results import compare as comparing
from gpiorig.rig.results import report as reporting


@pytest.mark.parametrize("virtual", [False, True])
def test_of_several_runs_each_headline_and_whose_numbers(
    virtual: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line per run, the first one of its summary; numbers of a virtual bench are called that, also of one of two.

    The page is there also where nothing can be compared.
    """

    def reported(recording: Recording, *, asserted: object, asked: object) -> SimpleNamespace:
        name = recording.folder.name
        data = SimpleNamespace(notes=(), headline=f"Of {name}.")
        return SimpleNamespace(data=data, recording=recording)

    def opened(folder: Path) -> Recording:
        marked = virtual and folder.name == "two"
        return Recording(
            folder, RecordingInfo(samplerate="1/1", channels=(), epoch=Epoch(wall=""), state="complete", virtual=marked)
        )

    monkeypatch.setattr(Recording, "open", opened)

    def refused(base: Recording, new: Recording, names: object, *, fresh: bool) -> NoReturn:
        raise RigError("nothing to compare")

    monkeypatch.setattr(reporting, "of", reported)
    monkeypatch.setattr(comparing, "compare", refused)
    monkeypatch.setattr(report, "write_set", lambda output, runs, **formats: output / "report.html")
    monkeypatch.setattr(report, "summary_lines", lambda data: [data.headline, "More."])

    runs = [tmp_path / "one", tmp_path / "two"]
    for run in runs:
        run.mkdir()

    assert main(["compare", *map(str, runs), "-o", "page"]) == 2
    printed = ["one: Of one.", "two: Of two.", *[VIRTUAL] * virtual, f"report: {Path('page', 'report.html')}"]
    output = capsys.readouterr()
    assert printed == output.out.splitlines()
    assert "nothing to compare" in output.err


@pytest.mark.parametrize(("option", "available"), [("--figures", "svg, png, pdf"), ("--tables", "csv, latex")])
def test_a_format_that_cannot_be_written(option: str, available: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Refused before a recording is opened; the message lists the formats."""
    assert main(["report", "run", option, "xyz"]) == 2
    assert f"{option}: 'xyz' is not a format; available formats: {available};" in capsys.readouterr().err
