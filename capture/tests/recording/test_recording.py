from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np
import pytest

from gpiorig.capture.edges.bounds import unchecked
from gpiorig.capture.errors import CaptureError, FormatError, RecordingError
from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.recording.segment_writer import SegmentWriter
from gpiorig.capture.serial.record_writer import SerialWriter

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
    return recording.finish(unchecked="a test made it") if state == "complete" else recording


def test_a_recording_comes_back_as_it_was(tmp_path: Path) -> None:
    make(tmp_path / "run")
    recording = Recording.open(tmp_path / "run")
    edges = recording.edges()

    bounds = unchecked(20, "a test made it")
    assert msgspec.structs.replace(INFO, state="complete", files=recording.info.files, bounds=bounds) == recording.info
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
    assert problem.startswith(f"{tmp_path}/run: the recording is interrupted: ")


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


def cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


def change_last_block(path: Path) -> None:
    """A changed bit in the last block of edges, and no end block after it: that is how a torn file looks."""
    data = bytearray(path.read_bytes())[:-32]
    data[-1] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("sizes", [True, False])
@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: cut(folder / "edges/000001.seg", 40),
        lambda folder: cut(folder / "edges/000001.seg", 64),
        lambda folder: cut(folder / "edges/000001.seg", 0),
        lambda folder: change_last_block(folder / "edges/000001.seg"),
        lambda folder: (folder / "edges/000001.seg").unlink(),
        lambda folder: shutil.rmtree(folder / "edges"),
    ],
    ids=["in a block", "between blocks", "to nothing", "last block", "gone", "no edges"],
)
def test_a_complete_recording_whose_edges_are_cut_is_refused(
    tmp_path: Path, damage: Callable[[Path], None], sizes: bool
) -> None:
    """Also one without the table of its files: its edges are without their end."""
    recording = make(tmp_path / "run")
    if not sizes:
        recording.update(files={})
    damage(tmp_path / "run")

    with pytest.raises(FormatError, match=r"run/edges.*; restore it from a copy"):
        Recording.open(tmp_path / "run").edges()
    with pytest.raises(FormatError, match=r"run/edges"):
        for _ in recording.update(files={}).waveform().read():
            pass
    recording.update(state="capturing", files={})
    assert Recording.open(tmp_path / "run").waveform().edges().end in (0, 20)


@pytest.mark.parametrize("size", [0, 10, 16, 40, 53])
def test_a_cut_serial_record_of_a_complete_recording_is_refused(tmp_path: Path, size: int) -> None:
    """Whether the cut is in a record or between two: it is reported when the recording is opened."""
    recording = make(tmp_path / "run")
    cut(recording.serial_path("initiator"), size)

    with pytest.raises(FormatError, match=rf"initiator\.rec: has {size} bytes instead of 54"):
        Recording.open(tmp_path / "run")
    if size != 16:
        with pytest.raises(FormatError, match=r"initiator\.rec, offset \d+: the last record is cut short"):
            recording.serial("initiator")


def test_an_interrupted_recording_names_where_it_was_cut(tmp_path: Path) -> None:
    recording = make(tmp_path / "run", state="capturing")
    cut(recording.edges_folder / "000001.seg", 40)
    waveform = recording.waveform()
    for _ in range(2):
        assert 0 == waveform.edges().end

    assert [f"{recording.edges_folder}/000001.seg, offset 0: the last block is cut short"] == waveform.remarks


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


def losses(**fields: int) -> str:
    """A line of `recording.toml` in place of its `losses = []`."""
    loss = {"start": 0, "end": 1, "samples": 1, "uncertainty": 0} | fields
    return f"losses = [{{ {', '.join(f'{key} = {value}' for key, value in loss.items())}, found_by = 'x' }}]"


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
        ('"24000000/1"', '"1e999999999"', "samplerate '1e999999999' is not a rate"),
        ('"24000000/1"', f'"1{"0" * 400}/1"', "samplerate '1000.*' is not a rate"),
        ('"24000000/1"', '"-1/1"', "samplerate '-1/1' is not a rate"),
        ('"24000000/1"', '"100000000000000000/1"', r"a samplerate of 1e\+17 Hz is out of range"),
        ('"24000000/1"', '"1/100000000000000000"', "a samplerate of 1e-17 Hz is out of range"),
        ("format = 2", "format = 3", "recording format 3; this gpiorig reads format 2: use the one that recorded it"),
        ("format = 2", "format = 1", "recording format 1; this gpiorig reads format 2"),
        ("format = 2", f"format = {'9' * 5000}", "correct it"),
        ("virtual = true", "virtual = true\nx = " + "[" * 50_000, "nested too deep"),
        ('    "irq",\n', "".join(f"'c{n}',\n" for n in range(63)), "65 channels; at most 64"),
        ('"irq"', '"strobe"', "channel 'strobe' occurs twice"),
        ("losses = []", losses(samples=-500), r"Expected `int` >= 0 - at `\$\.losses\[0\]\.samples`"),
        ("losses = []", losses(start=-5), "Expected `int` >= 0"),
        ("losses = []", losses(end=2**70), "recording.toml"),
        ("losses = []", losses(samples=2**63 - 1), "Expected `int` <= "),
        ("losses = []", losses(samples=2**62), "more samples are lost than"),
        ("losses = []", losses(start=10, end=5), "a loss ends at sample 5, before its start at 10"),
        ("losses = []", losses(end=10)[:-1] + ", " + losses(start=9, end=12)[10:], "at samples 0 and 9 overlap"),
        (
            "[files]",
            '[files."/etc/hostname"]\nsha256 = "0"\nsize = 1',
            "'/etc/hostname' in .files. is not a file",
        ),
        ("[files]", '[files."edges/../../x"]\nsha256 = "0"\nsize = 1', "'edges/../../x' in .files. is not a file"),
        ("[files]", '[files."serial/.."]\nsha256 = "0"\nsize = 1', "'serial/..' in .files. is not a file"),
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
