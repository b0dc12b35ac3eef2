"""A study as a job of a plan that is killed: complete points stay."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from leftovers import processes
from patience import PATIENCE_S
from payloadstudy import study_text
from plan_kills import Plan

from gpiorig.capture.recording.recording import Recording

PLAN = 'output = "out"\n[disk]\nkeep_free = "10MB"\n[[job]]\nname = "figure"\nstudy = "figure.toml"\nrepeats = 1\n'
STUDY = study_text(experiment="packets = 15", show='kind = "table"').replace("[20, 60]", "[20]")
POINTS = 2


@pytest.mark.deep
def test_a_study_whose_plan_is_killed(tmp_path: Path) -> None:
    """Killed while the second point is recorded: the first is not recorded again, and all are there at the end."""
    (tmp_path / "figure.toml").write_text(STUDY)
    plan = Plan(tmp_path, PLAN)
    process, end_s = plan.start(), time.monotonic() + PATIENCE_S
    points = plan.output / "points"
    while not (done := [path.parent for path in points.glob("*/point.json")]) or recording(points) is None:
        assert process.poll() is None
        assert time.monotonic() < end_s
        time.sleep(0.01)
    plan.kill("plan")
    process.wait()
    before = {path: (path / "recording" / "recording.toml").read_bytes() for path in done}

    assert 0 == plan.start().wait(PATIENCE_S)

    assert ["started", "complete", "started", "gap", "cut", "started", "complete"] == [
        record.event for record in plan.records if not record.event.startswith("plan")
    ]
    assert before == {path: (path / "recording" / "recording.toml").read_bytes() for path in done}
    assert POINTS == len(list(points.glob("*/point.json")))
    assert ["complete"] * POINTS == [Recording.open(path).state for path in points.glob("*/recording")]
    assert {} == processes(plan.mark)


def recording(points: Path) -> Path | None:
    """A recording of a point that is not done, with edges on the disk."""
    files = (path for path in points.glob("*/recording/edges/*.seg") if path.stat().st_size)
    return next((path for path in files if not (path.parents[2] / "point.json").exists()), None)
