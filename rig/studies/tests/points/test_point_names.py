"""A point of a study is named as its page names it, wherever a recording is asked for."""

from __future__ import annotations

from pathlib import Path

import keptpoints as kept
import pytest
from commandline import gpiorig

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.recordings import standing
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.plans import runner
from gpiorig.studies.plans.plan import Plan
from gpiorig.studies.plans.session import Options
from gpiorig.studies.points import point_names, states

AXIS = '[[vary]]\nname = "rate, in packets/s = 1"\nkey = "settings.csma"\nvalues = [true, false]\n'


@pytest.fixture
def output(tmp_path: Path, by_hand: None) -> Path:
    """The folder of a study of two axes with two repeats."""
    runner.run(Plan.of([kept.sought(tmp_path, kept.STUDY + AXIS)]), Options())
    return tmp_path / "out"


def results(output: Path) -> StudyResults:
    """The points of the study."""
    sought = kept.sought(output.parent, kept.STUDY + AXIS)
    return states.results_of(sought.study, sought.conditions, output)


def test_the_name_of_a_point_means_its_recording(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of each point; the name that is shown is understood again, and without a repeat the earliest one is meant."""
    points = results(output).points
    assert len(points) == 8
    for point in points:
        recording = (output / "points" / point.digest / "recording").resolve()
        name = point_names.name_of(recording)
        assert recording == point_names.recording_of(f"{output}/{name}")
        standing.of(Recording.open(recording)).announce()
        assert f"{name}: complete" == capsys.readouterr().err.splitlines()[0]
    off = f"{output}/s: rate, in packets/s = 1 = off, payload = 20"
    assert point_names.recording_of(f"{off}, repeat = 0") == point_names.recording_of(off)
    assert str(point_names.recording_of(off)) in gpiorig("info", off).stdout


REFUSED = {
    "s: payload = 20": ("name one of: rate, in packets/s = 1 (on, off)", "rate, in packets/s = 1 = on"),
    "s: payload = 3": ("no point has these values; there are payload (20, 60)", "payload = 60"),
    "s: load = 3": ("`load = 3` is not understood; write `AXIS = VALUE, …`", "payload = 60"),
    "t: payload = 20": ("has no study `t`; of its 1: s", "payload = 20"),
}


def test_names_of_no_point_are_refused_with_what_there_is(output: Path) -> None:
    """With the value that the error names they are understood."""
    for name, (remedy, named) in REFUSED.items():
        refused = gpiorig("info", f"{output}/{name}")
        assert 2 == refused.status
        assert remedy in refused.stderr
        rest = "payload = 20" if named.startswith("rate") else "rate, in packets/s = 1 = off"
        assert 0 == gpiorig("info", f"{output}/s: {named}, {rest}").status
