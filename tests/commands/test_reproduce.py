"""`gpiorig report --reproduce`: what was changed in a recording or in its report is named, and nothing else."""

from __future__ import annotations

import filecmp
import hashlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet
import pytest
import shared
from batchruns import PINGPONG, bench_text
from commandline import gpiorig, gpiorig_process
from directbench import record

from gpiorig.analysis.tables import stages
from gpiorig.capture.recording import description
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.recordings import integrity

REPORT_OPTIONS = ("--figures", "svg", "--tables", "csv", "--quantity", "goodput", "--assert", "loss < 1 %")


def _make(folder: Path) -> None:
    """A recording with a certificate, and its report."""
    recording = record(folder / "made", bench_text(1), PINGPONG.read_text(), packets=5)
    certificate = b'{"bench": "two"}\n'
    (recording.folder / "certificate.json").write_bytes(certificate)
    assert recording.info.origin
    sum_of_it = hashlib.sha256(certificate).hexdigest()
    recording.update(origin=msgspec.structs.replace(recording.info.origin, certificate_sha256=sum_of_it))
    recording.folder.rename(folder / "run")
    assert 0 == gpiorig("report", folder / "run", *REPORT_OPTIONS).status


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A recording and its report."""
    folder = shared.filled(tmp_path_factory, "reproduced", _make)
    with shared.unchanged(folder):
        yield folder / "run"


@pytest.fixture
def run(reported: Path, tmp_path: Path) -> Path:
    """A copy, in a folder of another name."""
    return Path(shutil.copytree(reported, tmp_path / "another name"))


def _change(path: Path) -> None:
    """Change one bit of the byte in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.slow
def test_an_unchanged_recording(reported: Path, run: Path) -> None:
    """Verified, wherever it is: every part, table and figure is the same."""
    done = gpiorig("report", "--reproduce", reported, run, "--json")

    assert 0 == done.status
    assert done.numbers["reproduced"]
    for one in done.numbers["runs"]:
        names = {file["name"] for file in one["files"] if file["verdict"] == "same"}
        assert len(names) == len(one["files"])
        assert {"recording.toml", "edges/000001.seg", "serial/initiator.rec", "bench", "certificate.json"} <= names
        assert {"image of initiator", "events.parquet", "quantities.parquet", "report/study.json"} <= names
        assert {"report/report.html", "report/packet.svg", "report/summary.csv"} <= names
    assert f"{run}: deriving tables and figures" in done.stderr


@pytest.mark.slow
def test_two_reports_of_a_recording_are_equal(run: Path, tmp_path: Path) -> None:
    """Byte for byte, by processes of their own, in folders of different names; of a recording with a failed check."""
    Recording.open(run).update(state="incomplete", reason="its last second is missing")
    for path in [*run.glob("*.parquet"), *(run / "report").iterdir()]:
        path.unlink()
    second = Path(shutil.copytree(run, tmp_path / "second"))
    for folder, seed in ((run, "1"), (second, "2")):
        formats = ("--figures", "pdf", "--tables", "csv,latex")  # the page has all as SVG
        assert 1 == gpiorig_process("report", folder, *formats, environment={"PYTHONHASHSEED": seed}).status

    names = [path.relative_to(run) for path in run.rglob("*") if path.is_file()]
    assert {Path("report/manifest.json"), Path("report/packet.pdf"), Path("report/report.html")} <= set(names)
    assert ([], []) == filecmp.cmpfiles(run, second, names, shallow=False)[1:]


@pytest.mark.slow
def test_every_change_of_a_report_is_named(run: Path) -> None:
    """A cell of a table by row and column, damage, a figure, and what is missing or one too many."""
    steps = stages.read(run / "steps.parquet")
    column = steps.column_names.index("duration_samples")
    values = steps.column(column).to_pylist()
    values[4] += 1
    stages.write(steps.set_column(column, "duration_samples", pa.array(values, steps.schema.field(column).type)),
                 run / "steps.parquet")  # fmt: skip
    for name in ("packets.parquet", "report/packet.svg"):
        _change(run / name)
    (run / "hops.parquet").unlink()
    shutil.copy(run / "events.parquet", run / "old.parquet")

    done = gpiorig("report", "--reproduce", run)
    printed = [line.strip() for line in done.stdout.splitlines()]

    assert 1 == done.status
    assert printed[0].startswith(f"{run}: NOT REPRODUCED")
    cell = f"row 5, column duration_samples: {values[4]}, derived {values[4] - 1}; changed after the report"
    assert f"different: steps.parquet: {cell}" in printed
    assert any(line.startswith("different: packets.parquet: ") for line in printed)
    assert any(line.startswith("different: report/packet.svg: line ") for line in printed)
    assert "missing: hops.parquet: the report wrote it" in printed
    assert "extra: old.parquet: it is not derived from the recording" in printed
    assert 6 == len(printed)


def _change_bench(run: Path) -> None:
    text = (run / "recording.toml").read_text()
    assert "samplerate_hz" in text
    (run / "recording.toml").write_text(text.replace("\n[nodes.initiator]", "\n\n[nodes.initiator]", 1))


def _add_serial(run: Path) -> None:
    shutil.copy(run / "serial/initiator.rec", run / "serial/third.rec")


CHANGES: dict[str, tuple[Callable[[Path], None], tuple[str, str]]] = {
    "edges": (lambda run: _change(run / "edges/000001.seg"), ("edges/000001.seg", "different")),
    "log": (lambda run: _change(run / "serial/responder.rec"), ("serial/responder.rec", "different")),
    "certificate": (lambda run: _change(run / "certificate.json"), ("certificate.json", "different")),
    "no certificate": (lambda run: (run / "certificate.json").unlink(), ("certificate.json", "missing")),
    "no log": (lambda run: (run / "serial/responder.rec").unlink(), ("serial/responder.rec", "missing")),
    "another log": (_add_serial, ("serial/third.rec", "extra")),
    "bench": (_change_bench, ("bench", "different")),
    "own file": (lambda run: (run / "note.txt").touch(), ("note.txt", "not compared")),
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_of_a_recording_is_named(name: str, run: Path) -> None:
    """The part that was changed, and no other."""
    change, expected = CHANGES[name]
    change(run)

    checked = integrity.check(run, description.load(run / "recording.toml"))

    assert [expected] == [(part.name, part.verdict) for part in checked if part.verdict != "same"]


def test_an_image_that_was_built_again(run: Path, tmp_path: Path) -> None:
    """It is not part of the recording: it is named, and the recording is what it was."""
    info = description.load(run / "recording.toml")
    assert info.origin
    image = tmp_path / "image.elf"
    image.write_bytes(b"new")
    images = {"initiator": msgspec.structs.replace(info.origin.images["initiator"], file=str(image))}
    info = msgspec.structs.replace(info, origin=msgspec.structs.replace(info.origin, images=images))

    for what in (f"{image} is another image now", f"{image} is not there any more"):
        parts = {part.name: part for part in integrity.check(run, info)}
        assert "not compared" == parts["image of initiator"].verdict
        assert parts["image of initiator"].what.startswith(what)
        image.unlink(missing_ok=True)


def test_edges_that_cannot_be_read(run: Path) -> None:
    """A changed byte of a segment is named, and so is that nothing can be derived of it."""
    _change(run / "edges/000001.seg")

    done = gpiorig("report", "--reproduce", run)

    assert 1 == done.status
    assert "different: edges/000001.seg: changed after recording" in done.stdout
    assert "different: tables and figures: cannot be derived: " in done.stdout


def test_a_recording_that_lacks_a_file(run: Path) -> None:
    """It is named, where other commands refuse the recording; nothing is derived."""
    (run / "serial/initiator.rec").unlink()

    done = gpiorig("report", "--reproduce", run)

    assert 1 == done.status
    assert "missing: serial/initiator.rec" in done.stdout
    assert "not compared: tables and figures: they cannot be derived without the missing files" in done.stdout


@pytest.mark.slow
def test_a_report_of_an_earlier_version(run: Path) -> None:
    """Without sums of its files: they are compared with what is derived now; the certificate's loss changes nothing."""
    assert 0 == gpiorig("report", run).status
    for path in (run / "report").glob("*.*"):
        if path.suffix in {".svg", ".csv"}:
            path.unlink()
    (run / "report/manifest.json").unlink()
    (run / "certificate.json").unlink()

    done = gpiorig("report", "--reproduce", run, "--json")
    (numbers,) = done.numbers["runs"]
    files = {file["name"]: file["verdict"] for file in numbers["files"]}

    assert ({}, False) == (numbers["made_by"], numbers["reproduced"])
    assert "report/manifest.json is not there" in numbers["remarks"][-1]
    assert "missing" == files.pop("certificate.json")
    assert "not compared" == files.pop("recording.toml")
    assert {"same"} == set(files.values())
    assert {"events.parquet", "report/report.html", "report/study.json"} <= files.keys()
    assert "quantities.parquet" not in files


@pytest.mark.slow
def test_a_page_in_another_folder(run: Path, tmp_path: Path) -> None:
    """It has sums of its own; the recording's are of the tables. The report's own folder may be named, too."""
    for page, names in ((tmp_path / "page", {"report.html"}), (run / "report/../report", None)):
        assert 0 == gpiorig("report", run, *REPORT_OPTIONS[4:], "-o", page).status
        content = msgspec.json.decode((page / "manifest.json").read_bytes())
        assert names in (None, content["files"].keys())
        assert 0 == gpiorig("report", "--reproduce", run).status
    assert {"report/report.html", "events.parquet"} <= content["files"].keys()


def test_a_recording_of_an_earlier_version(run: Path) -> None:
    """Without sums and without a report: what cannot be compared is named; nothing differs."""
    Recording.open(run).update(origin=msgspec.UNSET, files={})
    shutil.rmtree(run / "report")
    for path in run.glob("*.parquet"):
        path.unlink()

    done = gpiorig("report", "--reproduce", run)

    assert 0 == done.status
    assert "not compared: edges/000001.seg: recording.toml has no sums" in done.stdout
    assert "not compared: bench, certificate and images: recording.toml has no [origin]" in done.stdout
    assert "not compared: tables and figures: no report has been made" in done.stdout


@pytest.mark.slow
def test_a_report_of_another_version(run: Path) -> None:
    """Both versions are in the remark; what is derived is compared all the same."""
    manifest = run / "report/manifest.json"
    content = msgspec.json.decode(manifest.read_bytes())
    content["versions"]["gpiorig"] = "0.0.9"
    manifest.write_bytes(msgspec.json.encode(content))

    done = gpiorig("report", "--reproduce", run)

    assert 0 == done.status
    assert "note: the report was made by another version of the analysis (gpiorig 0.0.9 there, " in done.stdout


def test_a_recording_that_cannot_be_verified(run: Path) -> None:
    """A damaged list of sums, one of files elsewhere, and a folder that is not a recording: an error with a remedy."""
    manifest = run / "report/manifest.json"
    written = manifest.read_bytes()
    for content in (
        b"{",
        written.replace(b"events.parquet", b"../../secret"),
        written.replace(b"hops.parquet", b"/etc/a"),
    ):
        manifest.write_bytes(content)
        done = gpiorig("report", "--reproduce", run)
        assert 2 == done.status
        assert "write it again with `gpiorig report`" in done.stderr

    assert 2 == gpiorig("report", "--reproduce", run / "report").status
