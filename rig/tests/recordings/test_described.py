"""Bench and roles that commands are given: kept with the recording, and distinguished from what was recorded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from gpiorig.capture.recording import segment_format
from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.rig.errors import BenchError, RigError
from gpiorig.rig.recordings import standing
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.results import reported_tables

BENCH = """
name = "{name}"
[analyzers.la]
driver = "fx2lafw"
samplerate_hz = 24_000_000
[nodes.{asks}]
board = "iotlab-m3"
console = "none"
lines = {{ "tap.irq" = "D0" }}
[nodes.b]
board = "iotlab-m3"
console = "none"
lines = {{ "tap.irq" = "D1" }}
"""


def created(folder: Path, **fields: Any) -> Recording:
    info = RecordingInfo(
        samplerate="24000000/1", channels=("a.tap.irq", "b.tap.irq", "c.tap.irq"), epoch=Epoch("2026-11-27"), **fields
    )
    return Recording.create(folder, info).finish(unchecked="a test")


def bench_file(folder: Path, name: str, asks: str = "a") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(BENCH.format(name=name, asks=asks))
    return path


def test_what_is_given_is_kept_and_marked(tmp_path: Path) -> None:
    """Bench and roles; the next command without options has them."""
    before = created(tmp_path / "run")
    Given(bench_file(tmp_path, "one"), "a", "b").open(tmp_path / "run")
    described = Recording.open(tmp_path / "run")

    assert {"initiator": "a", "responder": "b"} == described.info.parameters
    assert {"bench": "", "initiator": "", "responder": ""} == described.info.given
    assert before.info == described.info.as_recorded
    assert "Given after the recording: bench file, initiator a, responder b." in standing.of(described).remarks
    assert described.info == Given().open(tmp_path / "run").info


def test_what_is_given_again_replaces(tmp_path: Path) -> None:
    """Roles of the options win; a bench without roles has those that were given, if it has these nodes."""
    before = created(tmp_path / "run")
    Given(bench_file(tmp_path, "one"), "a", "b").open(tmp_path / "run")
    Given(None, "b", "a").open(tmp_path / "run")
    Given(bench_file(tmp_path, "two")).open(tmp_path / "run")
    described = Recording.open(tmp_path / "run").info
    assert ({"initiator": "b", "responder": "a"}, True) == (described.parameters, 'name = "two"' in described.bench)
    with pytest.raises(RigError, match="--responder a: the bench has no such node; it has c, b"):
        Given(bench_file(tmp_path, "three", "c")).open(tmp_path / "run")
    assert described == Recording.open(tmp_path / "run").info
    Given(tmp_path / "three.toml", "c", "b").open(tmp_path / "run")
    assert before.info == Recording.open(tmp_path / "run").info.as_recorded


def test_roles_of_the_capture_are_known_where_others_replace_them(tmp_path: Path) -> None:
    """Those are recorded, and come again as such; given as they were recorded they are not marked."""
    bench = bench_file(tmp_path, "one").read_text()
    before = created(tmp_path / "run", bench=bench, virtual=False, parameters={"initiator": "a", "responder": "b"})
    Given(None, "b", "a").open(tmp_path / "run")
    swapped = Recording.open(tmp_path / "run").info
    assert {"initiator": "a", "responder": "b"} == swapped.given
    assert before.info == swapped.as_recorded
    Given(None, "a", "b").open(tmp_path / "run")
    assert before.info == Recording.open(tmp_path / "run").info
    with pytest.raises(BenchError, match="contains the bench it was recorded on; omit --bench"):
        Given(bench_file(tmp_path, "two")).open(tmp_path / "run")


def test_the_mark_of_a_virtual_bench(tmp_path: Path) -> None:
    """A bench whose boards are virtual makes the recording one of virtual boards, until another one is given."""
    before = created(tmp_path / "run")
    virtual = bench_file(tmp_path, "virtual")
    virtual.write_text("simulated = true\n" + virtual.read_text())
    assert Given(virtual).open(tmp_path / "run").info.virtual is True
    assert before.info == Recording.open(tmp_path / "run").info.as_recorded
    assert Given(bench_file(tmp_path, "real")).open(tmp_path / "run").info.virtual is None


def test_a_recording_that_cannot_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command has what it was given, states that it is not kept, and takes no tables that were made otherwise."""
    recording = created(tmp_path / "run", bench=bench_file(tmp_path, "one").read_text())
    (tmp_path / "run" / "steps.parquet").touch()

    def refuse(self: Recording, **changes: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Recording, "update", refuse)
    described = Given(None, "a", "b").open(tmp_path / "run")
    assert {"initiator": "a", "responder": "b"} == described.info.parameters
    assert "does not keep --bench, --initiator and --responder (Read-only file system)" in capsys.readouterr().err
    assert recording.info == Recording.open(tmp_path / "run").info
    assert (True, False) == tuple(reported_tables.are_current(run, ["steps"]) for run in (recording, described))


def test_a_capture_that_runs_writes_its_description_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it is given meanwhile would be lost with its end, so it is not kept."""
    recording = created(tmp_path / "run", bench=bench_file(tmp_path, "one").read_text()).update(state="capturing")
    held = segment_format.lock(recording.edges_folder)
    assert "b" == Given(None, "a", "b").open(tmp_path / "run").info.parameters["responder"]
    os.close(held)
    assert "(its capture still runs); give them to each command" in capsys.readouterr().err
    assert {} == Recording.open(tmp_path / "run").info.parameters
