"""What is kept of a study: states after each kind of damage, another analysis, repeats, tables."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import re
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import keptpoints as kept
import msgspec
import pytest
from commandline import gpiorig
from payloadstudy import study_tables

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.errors import RigError
from gpiorig.studies.batch.outcome import Outcome
from gpiorig.studies.plans import finished, lock, runner
from gpiorig.studies.plans.finished import Finished
from gpiorig.studies.plans.plan import Plan
from gpiorig.studies.plans.session import Options
from gpiorig.studies.points import analysed, states, table, work
from gpiorig.studies.points.folder import PointFile, PointFolder
from gpiorig.studies.points.states import Sought
from gpiorig.studies.points.work import Task

pytestmark = pytest.mark.usefixtures("by_hand")


def test_all_points_once_then_the_repeats(tmp_path: Path) -> None:
    """And what is done is not done again."""
    sought = kept.sought(tmp_path)
    order = []

    ending = runner.run(Plan.of([sought]), Options(), ended=lambda outcome: order.append(outcome.item.point))

    assert ({}, False) == (ending.errors, ending.stopped)
    assert [(20, 0), (60, 0), (20, 1), (60, 1)] == [(point.coordinates["payload"], point.repeat) for point in order]
    assert {"done": 4} == kept.counts(sought)
    runner.run(Plan.of([sought]), Options(), ended=lambda outcome: pytest.fail("it was done"))


DAMAGE: dict[str, tuple[Callable[[PointFolder], object], str, str]] = {
    "no folder": (lambda folder: shutil.rmtree(folder.path), "missing", ""),
    "no recording": (lambda folder: shutil.rmtree(folder.recording), "missing", ""),
    "no description": (lambda folder: (folder.recording / "recording.toml").unlink(), "broken", "is not complete"),
    "no edges": (lambda folder: (folder.recording / "edges" / "000001.seg").unlink(), "broken", "is not complete"),
    "cut edges": (
        lambda folder: (folder.recording / "edges" / "000001.seg").write_bytes(b"e"),
        "broken",
        "is not complete",
    ),
    "interrupted": (
        lambda folder: Recording.open(folder.recording).update(state="capturing"),
        "broken",
        "its recording is not complete",
    ),
    "no point.json": (lambda folder: (folder.path / "point.json").unlink(), "stale", "its numbers are not complete"),
    "cut point.json": (lambda folder: (folder.path / "point.json").write_text('{"st'), "stale", "are not complete"),
    "no quantities": (lambda folder: folder.quantities.unlink(), "stale", "quantities.parquet was changed"),
    "cut quantities": (lambda folder: folder.quantities.write_bytes(b"PAR1"), "stale", "quantities.parquet was chan"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_has_a_state_and_is_repaired(tmp_path: Path, damage: str) -> None:
    """The next run does what is missing, and the tables are those from before."""
    hurt, state, reason = DAMAGE[damage]
    sought = kept.sought(tmp_path)
    runner.run(Plan.of([sought]), Options())
    before = study_tables(sought.output)

    hurt(kept.folder_of(sought))

    assert state == kept.state_of(sought)[0]
    assert reason in kept.state_of(sought)[1]
    runner.run(Plan.of([sought]), Options())
    assert {"done": 4} == kept.counts(sought)
    assert before == study_tables(sought.output)


def test_another_analysis_makes_numbers_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So does a quantity or an assertion that the study did not ask for before; nothing is recorded."""
    sought = kept.sought(tmp_path)
    runner.run(Plan.of([sought]), Options())
    monkeypatch.setattr(work, "record", lambda *args, **options: pytest.fail("it is recorded"))

    wider = kept.sought(tmp_path, kept.STUDY.replace('"loss"', '"loss", "goodput"').replace("1 s", "2 s"))
    assert ("stale", "its numbers lack goodput, rtt.max < 2 s") == kept.state_of(wider)
    runner.run(Plan.of([wider]), Options())
    assert {"done": 4} == kept.counts(wider)
    assert {"done": 4} == kept.counts(kept.sought(tmp_path)), "the narrower study still has all that it asks for"

    for module in ("folder", "work"):
        monkeypatch.setattr(f"gpiorig.studies.points.{module}.analysis_version", lambda: "other")
    assert "stale" == kept.state_of(wider)[0]
    runner.run(Plan.of([wider]), Options())
    assert {"done": 4} == kept.counts(wider)


def test_repeats_end_when_the_interval_is_narrow(tmp_path: Path) -> None:
    """Equal values in each repeat need the least number of them."""
    until = '[repeat.until]\ny = "rtt.median"\nwidth = 0.1\nleast = 4\nmost = 6\n[[show]]'
    narrow = kept.sought(tmp_path, kept.STUDY.replace("[[show]]", until))
    runner.run(Plan.of([narrow]), Options())
    assert {"done": 8} == kept.counts(narrow)


@pytest.mark.slow
def test_repeats_end_at_the_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that differ by more than the width need all."""

    def wide(recording: Recording, *arguments: object) -> analysed.Numbers:
        right = kept.numbers(recording, *arguments)  # type: ignore[arg-type]
        value = float(int(hashlib.sha256(recording.info.bench.encode()).hexdigest()[:6], 16))
        return analysed.Numbers(kept.table(value), (), right.verdicts, right.reasons, None)

    monkeypatch.setattr(analysed, "numbers", wide)
    until = '[repeat.until]\ny = "rtt.median"\nwidth = 0.001\nleast = 3\nmost = 5\n[[show]]'
    sought = kept.sought(tmp_path, kept.STUDY.replace("[[show]]", until))
    runner.run(Plan.of([sought]), Options())
    assert {"done": 10} == kept.counts(sought)


def test_a_folder_has_one_writer(tmp_path: Path) -> None:
    """A second one is refused at once, with the process of the first; the lock is free when that has ended."""
    with (
        lock.held(tmp_path),
        pytest.raises(RigError, match=r"another gpiorig \(process \d+\) records into this folder"),
    ):
        with lock.held(tmp_path):
            pass
    with lock.held(tmp_path):
        pass


@pytest.mark.slow
def test_a_study_that_has_ended_has_its_page_while_another_runs(tmp_path: Path) -> None:
    """Before the last point of the other; that one's page is left to the end of the run."""
    (tmp_path / "t").mkdir()
    short, long = kept.sought(tmp_path), kept.sought(tmp_path / "t", kept.STUDY.replace("packets = 10", "packets = 11"))
    long = dataclasses.replace(long, study=dataclasses.replace(long.study, name="t"), output=short.output)
    plan = Plan.of([short, long])
    pages_of, pages_then = Finished(plan, retry=False), []

    def ended(outcome: Outcome[Task, PointFile]) -> None:
        pages_of.ended(outcome.item.point.digest)
        pages_then.append({path.stem for path in (short.output / "pages").glob("*.html")})

    runner.run(plan, Options(), ended=ended)

    assert 8 == len(pages_then)
    begin = pages_then.index({"s"})
    assert 0 < begin < 7 and all(pages == {"s"} for pages in pages_then[begin:])


@pytest.mark.slow
def test_pages_can_be_written_while_another_process_records(tmp_path: Path) -> None:
    """`study report` takes what is done, and leaves the table of points to the process that records."""
    sought = kept.sought(tmp_path)
    runner.run(Plan.of([sought]), Options())
    (sought.output / table.TABLE).unlink()
    with lock.held(sought.output):
        run = gpiorig("study", "report", "-o", sought.output)
        assert 0 == run.status and "another gpiorig records" in run.stderr
    assert (sought.output / "pages" / "s.html").is_file() and not (sought.output / table.TABLE).exists()
    assert 0 == gpiorig("study", "report", "-o", sought.output).status and (sought.output / table.TABLE).is_file()


def test_pages_of_another_process_are_waited_for(tmp_path: Path) -> None:
    """Until the deadline; then the error names the folder."""
    with lock.held(tmp_path), pytest.raises(RigError, match="another gpiorig"), lock.held(tmp_path, wait_s=0.3):
        pass
    with ThreadPoolExecutor(1) as threads, contextlib.ExitStack() as stack:
        stack.enter_context(lock.held(tmp_path))
        waiting = threads.submit(lambda: lock.held(tmp_path, wait_s=30).__enter__())
        assert not waiting.done()
        stack.close()
        waiting.result(timeout=10)


def test_the_table_has_all_studies(tmp_path: Path) -> None:
    """In the order of their names; a study's rows take the place of its earlier ones."""
    runner.run(Plan.of([kept.sought(tmp_path)]), Options())
    (tmp_path / "a.toml").write_text(kept.STUDY)
    other = Sought.of(states.Study("a", tmp_path / "a.toml", kept.sought(tmp_path).study.file), kept.Conditions(),
                      tmp_path / "out")  # fmt: skip
    runner.run(Plan.of([other]), Options(), ended=lambda outcome: pytest.fail("equal points are shared"))
    runner.run(Plan.of([kept.sought(tmp_path)]), Options())

    rows = table.read(tmp_path / "out")
    assert ["a"] * 4 + ["s"] * 4 == [row["study"] for row in rows]
    assert {"a", "s"} == set(table.entries(tmp_path / "out"))


def test_a_run_reads_the_tables_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of all points and the pages are of the same results."""
    sought, read = kept.sought(tmp_path), []
    table_of = PointFolder.table
    monkeypatch.setattr(PointFolder, "table", lambda folder: read.append(folder.path.name) or table_of(folder))

    assert 0 == gpiorig("study", "run", tmp_path / "s.toml", "-o", sought.output).status

    assert sorted(point.digest for point in sought.points(range(2))) == sorted(read)
    assert (sought.output / table.TABLE).is_file()
    assert (sought.output / "pages" / "s.html").is_file()


@pytest.mark.slow
def test_a_page_has_what_its_points_were_recorded_with(tmp_path: Path) -> None:
    """Keys of the experiment, digests of the images, versions, and a link to each recording that is there."""
    sought = kept.sought(tmp_path, kept.STUDY.replace("packets = 10", 'base = "pingpong"\npackets = 10'))
    runner.run(Plan.of([sought]), Options())
    results = states.results_of(sought.study, sought.conditions, sought.output)
    rows = dict(results.experiment)
    assert ("of the file pingpong", "10", "20, 60") == tuple(
        rows[name] for name in ("experiment", "experiment packets", "experiment settings.payload")
    )
    image = sought.points(range(1))[0].firmware["initiator"]
    digest = hashlib.sha256(image.read_bytes()).hexdigest()[:16]
    assert f"{image.name}, SHA-256 {digest}" == rows["image of initiator, responder"]
    assert {"version of gpiorig", "version of python", "version of virtual boards"} <= rows.keys()

    (page,) = finished.write_pages(sought.output, [results])
    text = page.read_text()
    assert digest in text and "of the file pingpong" in text
    links = re.findall(r'href="(\.\./points/[^"]+)"', text)
    assert 4 == len(links) and all((page.parent / link).is_dir() for link in links)
    shutil.rmtree(kept.folder_of(sought).recording)
    after = states.results_of(sought.study, sought.conditions, sought.output)
    assert 3 == sum(bool(point.recording) for point in after.points)


def test_point_json_names_its_point(tmp_path: Path) -> None:
    """The study, the coordinates, versions and what was computed."""
    sought = kept.sought(tmp_path)
    runner.run(Plan.of([sought]), Options())
    file = msgspec.json.decode((kept.folder_of(sought).path / "point.json").read_bytes())

    assert ("s", {"payload": 20}, 0, "", {"loss": "", "rtt": ""}) == tuple(
        file[key] for key in ("study", "coordinates", "repeat", "error", "quantities")
    )
    assert file["versions"].keys() == {"gpiorig", "python"} and file["bytes"] > 0
