"""A study as a job of a queue that is killed: complete points stay, and what was cut is kept."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from leftovers import processes
from patience import PATIENCE_S
from payloadstudy import study_text
from queue_kills import Campaign

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.queue.state import State

QUEUE = 'output = "out"\n[disk]\nkeep_free = "10MB"\n[[job]]\nname = "figure"\nstudy = "figure.toml"\nrepeats = 1\n'
STUDY = study_text(experiment="packets = 15", show='kind = "table"').replace("[20, 60]", "[20]")
POINTS = 2


@pytest.mark.deep
def test_a_study_whose_queue_is_killed(tmp_path: Path) -> None:
    """Killed while the second point is recorded: the first is not recorded again, and all are there at the end."""
    (tmp_path / "figure.toml").write_text(STUDY)
    campaign = Campaign(tmp_path, QUEUE)
    process, end_s = campaign.start(), time.monotonic() + PATIENCE_S
    points = campaign.output / "runs" / "figure-0001" / "points"
    while not (done := [path.parent for path in points.glob("*/point.json")]) or recording(points) is None:
        assert process.poll() is None
        assert time.monotonic() < end_s
        time.sleep(0.01)
    campaign.kill("queue")
    process.wait()
    before = {path: (path / "recording" / "recording.toml").read_bytes() for path in done}

    assert 0 == campaign.start().wait(PATIENCE_S)
    records = campaign.records
    (cut,) = (record for record in records if record.event == "cut")

    assert ["started", "gap", "cut", "started", "complete"] == [
        record.event for record in records if not record.event.startswith("queue")
    ]
    assert before == {path: (path / "recording" / "recording.toml").read_bytes() for path in done}
    assert POINTS == len(list(points.glob("*/point.json")))
    states = [Recording.open(path).state for path in (campaign.output / "kept").glob("*/*")]
    assert states in (["interrupted"], ["incomplete"])
    assert State.of(records).runs["figure-0001"].leftovers == [cut.folder]
    assert {} == processes(campaign.mark)


def recording(points: Path) -> Path | None:
    """A recording of a point that is not done, with edges on the disk."""
    files = (path for path in points.glob("*/recording/edges/*.seg") if path.stat().st_size)
    return next((path for path in files if not (path.parents[2] / "point.json").exists()), None)
