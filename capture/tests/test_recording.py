from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np
import pytest

from gpiorig.capture.errors import CaptureError, FormatError, RecordingError
from gpiorig.capture.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.segments import SegmentWriter
from gpiorig.capture.serialrecord import SerialWriter

INFO = RecordingInfo(
    samplerate="24000000/1",
    channels=("strobe", "", "irq"),
    epoch=Epoch(wall="2026-11-21T01:00:00+00:00", note="start of the analyzer, within 100 ms"),
    virtual=True,
    serial_clock="virtual",
    bench='name = "two"\n[nodes]\n',
    parameters={"packets": 100, "backoff": True, "interval_s": 0.5},
    tools={"sigrok-cli": "0.7.2"},
)


def make(folder: Path, *, state: str = "complete") -> Recording:
    recording = Recording.create(folder, INFO)
    writer = SegmentWriter(recording.edges_folder)
    writer.append(np.array([0, 7], dtype=np.int64), np.array([1, 4], dtype=np.uint64), watermark=20)
    writer.close()
    record = SerialWriter(recording.serial_path("initiator"))
    record.append(b"ready\n", stamp_ns=5, wall_ns=6)
    record.close()
    return recording.finish(state="complete") if state == "complete" else recording


def test_a_recording_comes_back_as_it_was(tmp_path: Path) -> None:
    make(tmp_path / "run")
    recording = Recording.open(tmp_path / "run")
    edges = recording.edges()

    assert msgspec.structs.replace(INFO, state="complete", files=recording.info.files) == recording.info
    assert ["edges/000001.seg", "serial/initiator.rec"] == sorted(recording.info.files)
    assert (Fraction(24_000_000), ("strobe", "", "irq"), 20) == (edges.samplerate_hz, edges.channels, edges.end)
    assert ("initiator",) == recording.nodes
    assert (("ready",), "virtual") == (recording.serial("initiator").lines().texts, recording.serial("initiator").clock)
    assert () == recording.verify()


def test_the_description_is_for_people_too(tmp_path: Path) -> None:
    make(tmp_path / "run")
    text = (tmp_path / "run/recording.toml").read_text()

    assert 'samplerate = "24000000/1"' in text
    assert "\n[nodes]\n" in text
    assert "complete" == tomllib.loads(text)["state"]


def test_a_crash_leaves_a_readable_recording(tmp_path: Path) -> None:
    make(tmp_path / "run", state="capturing")
    recording = Recording.open(tmp_path / "run")

    assert "capturing" == recording.info.state
    assert 2 == recording.edges().samples.size
    (problem,) = recording.verify()
    assert problem.startswith(f"{tmp_path}/run: the recording is broken off: ")


def test_an_existing_recording_is_not_overwritten(tmp_path: Path) -> None:
    make(tmp_path / "run")
    with pytest.raises(RecordingError, match="run: holds a recording already; choose another folder"):
        Recording.create(tmp_path / "run", INFO)


def test_a_folder_with_other_things_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(RecordingError, match="is in use"):
        Recording.create(tmp_path, INFO)


def test_what_is_learned_later_is_written_at_once(tmp_path: Path) -> None:
    recording = Recording.create(tmp_path / "run", INFO).update(channels=("a", "b"), firmware={"initiator": "00"})

    assert recording == Recording.open(tmp_path / "run")
    assert ("a", "b") == recording.info.channels
    with pytest.raises(RecordingError, match="samplerate"):
        recording.update(samplerate="0/1")


def test_changed_and_missing_files_are_found(tmp_path: Path) -> None:
    recording = make(tmp_path / "run")
    segment = recording.edges_folder / "000001.seg"
    data = bytearray(segment.read_bytes())
    data[40] ^= 1
    segment.write_bytes(data)
    recording.serial_path("initiator").unlink()
    changed, missing, damaged = recording.verify()

    assert "000001.seg: the file was changed after recording" in changed
    assert "initiator.rec: the file is missing" in missing
    assert "checksum" in damaged


def test_a_record_of_another_node_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"responder\.rec: there is no serial record; initiator was recorded"):
        make(tmp_path / "run").serial("responder")


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="nothing: there is no such folder"):
        Recording.open(tmp_path / "nothing")


def test_a_folder_without_a_description_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"no readable recording\.toml: No such file"):
        Recording.open(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('samplerate = "24000000/1"', "", 'no samplerate; .*samplerate = "24000000/1"'),
        ('"24000000/1"', '"0/1"', "samplerate '0/1' is not a rate"),
        ('"24000000/1"', '"1/0"', "samplerate '1/0' is not a rate"),
        ('"24000000/1"', '"fast"', "samplerate 'fast' is not a rate"),
        ('"24000000/1"', "24000000", "Expected `str`, got `int` - at `.*samplerate`"),
        ("virtual = true", "vritual = true", "unknown field `vritual`|missing required field `virtual`"),
        ("virtual = true", "virtual = true\nvolts = 3", "unknown field `volts`"),
        ("format = 1", "format = 2", "recording format 2; this gpiorig reads format 1"),
        ('"capturing"', '"done"', "Invalid enum value 'done'"),
        ("virtual = true", "virtual = true\nvirtual = true", "overwrite"),
        ("virtual = true", "virtual", "recording.toml"),
    ],
)
def test_a_description_that_must_fail(tmp_path: Path, old: str, new: str, expected: str) -> None:
    Recording.create(tmp_path / "run", INFO)
    path = tmp_path / "run/recording.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(CaptureError, match=expected) as error:
        Recording.open(tmp_path / "run")
    assert "recording.toml" in str(error.value)


def test_a_recording_without_a_samplerate_is_not_begun(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="samplerate '' is not a rate"):
        Recording.create(tmp_path / "run", msgspec.structs.replace(INFO, samplerate=""))
    assert not (tmp_path / "run").exists()


def test_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="recording format 7"):
        Recording.create(tmp_path / "run", msgspec.structs.replace(INFO, format=7))
