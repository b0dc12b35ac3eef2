"""Points of which nothing is recorded: their numbers are of the images of the nodes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import image_memory, images
from gpiorig.studies.pages import verdicts
from gpiorig.studies.pages.judgements import DISAGREES, SIZE
from gpiorig.studies.plans.pending import estimated, pending
from gpiorig.studies.points import states, study, work
from gpiorig.studies.points.points import Conditions
from gpiorig.studies.points.states import Sought

STUDY = """
record = false
[bench]
template = "iotlab-m3"
nodes = ["a", "b"]
[experiment]
base = "sender"
initiator = "a"
responder = "b"
packets = 1
assert = ["rom of image at a < 64 KiB"]
[[vary]]
name = "system"
values = ["x"]
[vary.set]
"image.a" = ["x"]
[[show]]
kind = "table"
y = ["rom of image", "ram of image at a - ram of image at b"]
[[published]]
source = "table 1"
y = "rom of image"
values = [{ node = "a", value = "TOTAL B" }, { node = "b", low = "1 kB", high = "2 kB" }]
"""


def sought(folder: Path, text: str) -> Sought:
    """A study, its images and its output folder; `x` is the image of another board."""
    (folder / "s.toml").write_text(text)
    return Sought.of(study.load(folder / "s.toml"), Conditions(images={"x": folder / "x.elf"}), folder / "out")


def test_points_of_images_need_no_recording(tmp_path: Path) -> None:
    """One run decides a verdict; another image is another point, and what was asked for first is still there."""
    image = tmp_path / "x.elf"
    image.write_bytes(images.reference_image("telosb").read_bytes())
    total = image_memory.of(image).flash.total
    wanted = sought(tmp_path, STUDY.replace("TOTAL", str(total)))
    [task] = pending([wanted])
    assert not task.records and 0 == estimated([wanted], [task]).points
    assert "" == work.work(task).error
    assert [] == pending([wanted]) and not task.folder.joinpath("recording").exists()

    results = states.results_of(wanted.study, wanted.conditions, wanted.output)
    [point] = results.points
    assert ("done", False) == (point.state, point.virtual)
    assert [total] == [
        row["value"] for row in point.table.to_pylist() if (row["quantity"], row["node"]) == ("rom of image", "a")
    ]
    exact, off = verdicts.of_study(results)
    assert (SIZE, DISAGREES) == (exact.verdict, off.verdict)
    assert re.search(r"\d B \(exact\)", off.decisive)

    image.write_bytes(images.reference_image("nucleo-l476rg").read_bytes())
    [other] = pending([sought(tmp_path, STUDY.replace("TOTAL", "1"))])
    assert other.folder != task.folder
    assert task.folder.joinpath("point.json").exists()


def test_a_quantity_of_recordings_needs_one(tmp_path: Path) -> None:
    """The error names it; without `record = false` the study is taken."""
    text = STUDY.replace("TOTAL", "1").replace('"rom of image", ', '"rom of image", "rtt.max", ')
    with pytest.raises(BenchError, match=r"record is false, and rtt need a recording; delete `record`"):
        sought(tmp_path, text)
    assert sought(tmp_path, text.replace("record = false", "")).points([0])[0].record
