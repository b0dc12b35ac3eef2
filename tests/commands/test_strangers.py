"""Recordings, stores and output folders of others: nothing outside of them is written, deleted or waited for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import directbench
import duckdb
import pytest
import shared
from commandline import Finished, gpiorig

from gpiorig.capture.errors import FormatError
from gpiorig.capture.recording import description
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.recording.segment_writer import SegmentWriter
from gpiorig.capture.serial.record_writer import SerialWriter
from gpiorig.rig import resources
from gpiorig.rig.store.store import Store
from gpiorig.studies.points import pages
from gpiorig.studies.points.folder import PointFolder

PACKETS = 3


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short recording, not to be written to."""

    def make(folder: Path) -> None:
        bench, experiment = resources.benches()["demo"], resources.experiments()["pingpong"]
        directbench.record(folder / "base", bench.read_text(), experiment.read_text(), packets=PACKETS)

    return shared.filled(tmp_path_factory, "strangers-recording", make) / "base" / "run"


@pytest.fixture
def run(recorded: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(recorded, tmp_path / "run"))


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder of the user with a file in it."""
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim/precious").write_text("precious")
    return tmp_path / "victim"


def is_unharmed(victim: Path) -> bool:
    """Whether it has what it had."""
    return [victim / "precious"] == [*victim.iterdir()] and (victim / "precious").read_text() == "precious"


@pytest.mark.slow
def test_a_report_folder_that_is_a_link(run: Path, victim: Path) -> None:
    """It is refused by what writes into it; the remedy works."""
    shutil.rmtree(run / "report")
    (run / "report").symlink_to(victim)
    for words in (("report", run), ("batch", run, "-o", run.parent / "out", "--workers", "1")):
        done = gpiorig(*words)
        assert (True, True) == (done.status != 0, f"{run / 'report'}: is a link" in done.stderr)
        assert is_unharmed(victim)
    (run / "report").unlink()
    assert 0 == gpiorig("report", run).status


@pytest.mark.slow
def test_files_of_a_report_that_are_links_are_replaced(run: Path, victim: Path) -> None:
    """The links go; what they led to stays. One next to a file is where the file is written first."""
    names = ["report/report.html", "report/study.json.new", "report/manifest.json", "events.parquet"]
    names += ["packets.parquet.new", "report/total.svg", "report/manifest.json.new"]
    for name in names:
        (run / name).symlink_to(victim / "precious")
    assert 0 == gpiorig("report", run, "--figures", "svg").status
    assert is_unharmed(victim)
    assert [] == [name for name in names if (run / name).is_symlink()]


def test_an_export_replaces_a_link(run: Path, victim: Path) -> None:
    """The file that the user named is a link in a folder of others."""
    (run / "x.vcd").symlink_to(victim / "precious")
    assert 0 == gpiorig("export", run, "-o", run / "x.vcd", "--force").status
    assert is_unharmed(victim)


@pytest.mark.parametrize("name", ["recording.new", "recording.toml"])
def test_a_description_that_is_a_link_is_replaced(run: Path, victim: Path, name: str) -> None:
    """Such as by `--resume`."""
    recording = Recording.open(run)
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(victim / "precious")
    recording.update(reason="changed")
    assert is_unharmed(victim)
    assert "changed" == Recording.open(run).info.reason


@pytest.mark.parametrize("name", ["edges", "edges/000001.seg", "edges/reserve"])
def test_edges_that_are_a_link_are_not_continued(run: Path, victim: Path, name: str) -> None:
    """The reserve is replaced, the others are refused."""
    copy = shutil.move(run / name, victim.parent / "elsewhere") if name != "edges/reserve" else victim / "precious"
    before = _content(Path(copy))
    (run / name).symlink_to(copy)
    if name == "edges/reserve":
        SegmentWriter.resume(run / "edges").close()
    else:
        with pytest.raises(FormatError, match=f"{name}: is a link"):
            SegmentWriter.resume(run / "edges")
    assert before == _content(Path(copy))


def _content(place: Path) -> dict[str, bytes]:
    files = place.rglob("*") if place.is_dir() else [place]
    return {str(path): path.read_bytes() for path in files if path.is_file()}


def test_a_folder_of_serial_records_that_is_a_link(run: Path, victim: Path) -> None:
    """No record is begun there."""
    shutil.rmtree(run / "serial")
    (run / "serial").symlink_to(victim)
    with pytest.raises(FormatError, match="serial: is a link"):
        SerialWriter(Recording(run, description.load(run / "recording.toml")).serial_path("n"))
    assert is_unharmed(victim)


def test_a_pipe_in_the_place_of_a_record(run: Path) -> None:
    """Without a writer, reading it would never end."""
    text = (run / "recording.toml").read_text()
    (run / "recording.toml").write_text(text.replace('state = "complete"', 'state = "capturing"'))
    record = run / "serial/initiator.rec"
    record.unlink()
    os.mkfifo(record)
    for words in (("report", run), ("serial", run)):
        done = gpiorig(*words)
        assert (2, True) == (done.status, f"{record}: is not a regular file" in done.stderr)


@pytest.mark.parametrize("name", ["items", "runs.csv"])
def test_an_output_of_a_batch_that_is_a_link(run: Path, victim: Path, name: str) -> None:
    """It is refused."""
    output = run.parent / "out"
    output.mkdir()
    (output / name).symlink_to(victim if name == "items" else victim / "precious")
    done = gpiorig("batch", run, "-o", output, "--workers", "1", "--do", "decode")
    assert (True, True) == (done.status > 0, f"{output / name}: is a link" in done.stderr)
    assert is_unharmed(victim)


@pytest.mark.parametrize("name", ["points", "points/0f", "pages"])
def test_a_folder_of_a_study_that_is_a_link(victim: Path, tmp_path: Path, name: str) -> None:
    """Points and pages are written into folders of the output."""
    output = tmp_path / "out"
    (output / name).parent.mkdir(parents=True)
    (output / name).symlink_to(victim)
    with pytest.raises(FormatError, match=f"{name}: is a link"):
        pages.write(output, []) if name == "pages" else PointFolder.of(output, "0f").clear()
    assert is_unharmed(victim)


def test_a_recording_of_a_point_that_is_a_link(victim: Path, tmp_path: Path) -> None:
    """It is not moved, nor what it leads to."""
    point = tmp_path / "out/points/0f"
    point.mkdir(parents=True)
    (point / "recording").symlink_to(victim)
    with pytest.raises(FormatError, match="recording: is a link"):
        PointFolder.of(tmp_path / "out", "0f").clear()
    assert is_unharmed(victim)


@pytest.mark.slow
def test_a_folder_whose_name_is_not_utf8(run: Path) -> None:
    """Everything works in it but a store: DuckDB takes UTF-8 only, and the remedy works."""
    folder = run.parent / os.fsdecode(b"caf\xe9 \xff")
    folder.mkdir()
    odd = run.rename(folder / os.fsdecode(b"run\xff"))
    (folder / "b.parquet").touch()
    for words in (
        ("report", odd, "--figures", "svg", "--tables", "csv,latex"),
        *(("export", odd, "-o", folder / f"a{suffix}") for suffix in (".sr", ".vcd", ".csv", ".parquet", ".arrow")),
        ("export", odd, "-o", folder / "b.parquet", "--force"),
        *(("info", folder / f"a{suffix}") for suffix in (".sr", ".parquet", ".arrow")),
        ("import", folder / "a.parquet", "-o", folder / "imported"),
        ("batch", odd, "-o", folder / "out", "--workers", "1"),
    ):
        done = gpiorig(*words)
        assert 0 == done.status, (words, done.stderr)
    assert r"run\xff" in (folder / "out/runs.csv").read_text()
    assert not [*folder.rglob("*.new")]
    refused = (
        gpiorig("store", "add", odd, "-s", run.parent / "store"),
        gpiorig("store", "add", odd, "-s", folder / "store"),
    )
    assert [(2, True)] * 2 == [(done.status, "is not UTF-8" in done.stderr) for done in refused]
    early = gpiorig("batch", odd, "-o", folder / "unused", "--store", run.parent / "store", "--workers", "1")
    assert (2, True, False) == (early.status, "is not UTF-8" in early.stderr, (folder / "unused").exists())
    assert 0 == gpiorig("store", "add", odd.rename(run), "-s", run.parent / "store").status


def test_a_report_of_a_recording_that_cannot_be_written_to(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a folder for it, all of it goes there: a disk that is mounted read only, a folder of another user."""
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != run)
    before = _content(run)
    done = gpiorig("report", run, "-o", run.parent / "page", "--json")
    assert 0 == done.status, done.stderr
    assert before == _content(run)
    names = {path.name for path in (run.parent / "page").iterdir()}
    assert {"report.html", "study.json", "manifest.json", "packets.parquet"} <= names


def forged(store: Path, path: str) -> None:
    """Let the catalogue name this path for a file of a run."""
    with duckdb.connect(store / "store.duckdb") as connection:
        connection.execute("UPDATE files SET path = ? WHERE content = 'packets'", [path])


def removed(store: Path) -> Finished:
    """Remove the runs of the study."""
    return gpiorig("store", "rm", "-s", store, "--study", "mine")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["upward", "absolute", "link"])
def test_a_store_whose_catalogue_names_files_elsewhere(run: Path, victim: Path, way: str) -> None:
    """They are neither deleted nor read; the remedy forgets the runs, after which the recording can be added again."""
    store = run.parent / "store"
    assert 0 == gpiorig("store", "add", run, "-s", store, "--study", "mine").status
    if way == "link":
        (store / "tables/link").symlink_to(victim)
    paths = {"upward": "../../victim/precious", "absolute": str(victim / "precious"), "link": "link/precious"}
    forged(store, paths[way])
    refused = removed(store)
    assert (2, True) == (refused.status, "gpiorig store gc" in refused.stderr)
    assert is_unharmed(victim)
    if way != "link":
        query = gpiorig("store", "query", "-s", store, "SELECT count(*) FROM packets")
        assert (2, True) == (query.status, "gpiorig store gc" in query.stderr)
    collected = gpiorig("store", "gc", "-s", store)
    assert (0, True) == (collected.status, is_unharmed(victim))
    if way != "link":
        assert 0 == gpiorig("store", "add", run, "-s", store, "--study", "mine").status
        assert (0, True) == (removed(store).status, is_unharmed(victim))


@pytest.mark.parametrize("name", ["tables", "store.duckdb", "writing.lock"])
def test_a_store_whose_parts_are_links(victim: Path, tmp_path: Path, name: str) -> None:
    """Nothing is written where they lead."""
    store = Store(tmp_path / "store")
    store.add_point("s", "p", {}, 0, "done")
    shutil.rmtree(store.folder / name) if (store.folder / name).is_dir() else (store.folder / name).unlink(True)
    (store.folder / name).symlink_to(victim if name == "tables" else victim / "new")
    changes: list[Callable[[], object]] = [store.gc, lambda: store.add_point("s", "q", {}, 0, "done")]
    for change in changes[: 1 if name == "tables" else 2]:  # a point without tables writes none
        with pytest.raises(FormatError, match=f"{name}: is a link"):
            change()
    assert is_unharmed(victim)
