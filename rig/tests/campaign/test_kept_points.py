"""What is kept of a study: states after each kind of damage, and a study that is killed and called again."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import keptpoints as kept
import msgspec
import pytest
from commandline import gpiorig

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.campaign import analysed, lock, running, states, table, work
from gpiorig.rig.campaign.folder import PointFolder
from gpiorig.rig.campaign.running import Options
from gpiorig.rig.campaign.states import Sought
from gpiorig.rig.errors import FirmwareError, RigError


@pytest.fixture(autouse=True)
def _by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is recorded or analysed."""
    monkeypatch.setattr(work, "record", kept.record)
    monkeypatch.setattr(analysed, "numbers", kept.numbers)


def state_of(sought: Sought, number: int = 0) -> tuple[str, str]:
    """State and reason of a point."""
    return sought.state(sought.points(states.rounds(sought))[number])


def folder_of(sought: Sought, number: int = 0) -> PointFolder:
    """Folder of a point."""
    return sought.folder(sought.points(states.rounds(sought))[number])


def counts(sought: Sought) -> Counter[str]:
    """Number of points by state."""
    return Counter(point.state for point in states.results_of(sought.study, sought.conditions, sought.output).points)


def test_all_points_once_then_the_repeats(tmp_path: Path) -> None:
    """And what is done is not done again."""
    sought = kept.sought(tmp_path)
    order = []

    ending = running.run([sought], Options(), ended=lambda outcome: order.append(outcome.item.point))

    assert ({}, False) == (ending.errors, ending.stopped)
    assert [(20, 0), (60, 0), (20, 1), (60, 1)] == [(point.coordinates["payload"], point.repeat) for point in order]
    assert {"done": 4} == counts(sought)
    running.run([sought], Options(), ended=lambda outcome: pytest.fail("it was done"))


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
    running.run([sought], Options())
    before = tables(sought.output)

    hurt(folder_of(sought))

    assert state == state_of(sought)[0]
    assert reason in state_of(sought)[1]
    running.run([sought], Options())
    assert {"done": 4} == counts(sought)
    assert before == tables(sought.output)


def test_another_analysis_makes_numbers_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So does a quantity or an assertion that the study did not ask for before; nothing is recorded."""
    sought = kept.sought(tmp_path)
    running.run([sought], Options())
    monkeypatch.setattr(work, "record", lambda *args, **options: pytest.fail("it is recorded"))

    wider = kept.sought(tmp_path, kept.STUDY.replace('"loss"', '"loss", "goodput"').replace("1 s", "2 s"))
    assert ("stale", "its numbers lack goodput, rtt.max < 2 s") == state_of(wider)
    running.run([wider], Options())
    assert {"done": 4} == counts(wider)
    assert {"done": 4} == counts(kept.sought(tmp_path)), "the narrower study still has all that it asks for"

    for module in ("folder", "work"):
        monkeypatch.setattr(f"gpiorig.rig.campaign.{module}.analysis_version", lambda: "other")
    assert "stale" == state_of(wider)[0]
    running.run([wider], Options())
    assert {"done": 4} == counts(wider)


def test_checks_and_assertions_fail_a_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its numbers stay, the study continues, `retry` records it again; one that is not asserted does not count."""

    def broken(*arguments: object) -> analysed.Numbers:
        right = kept.numbers(*arguments)  # type: ignore[arg-type]
        return analysed.Numbers(right.table, ("A check.",), {"rtt.max < 1 s": "No."}, right.reasons, None)

    sought = kept.sought(tmp_path)
    monkeypatch.setattr(analysed, "numbers", broken)
    running.run([sought], Options())

    results = states.results_of(sought.study, sought.conditions, sought.output)
    assert [("failed", "A check. No.")] * 4 == [(point.state, point.reason) for point in results.points]
    assert all(point.table is not None for point in results.points)
    running.run([sought], Options(), ended=lambda outcome: pytest.fail("not without retry"))
    monkeypatch.setattr(analysed, "numbers", kept.numbers)
    running.run([sought], Options(retry=True))
    assert {"done": 4} == counts(sought)


def test_a_recording_is_tried_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the point failed, with the reason; the others are recorded, or it stops there."""
    tries = []

    def fails(*arguments: object, **options: object) -> Recording:
        tries.append(options["output"])
        if arguments[1].settings.payload == 20:
            raise CaptureError("is dead", where="analyzer", remedy="wake it")
        return kept.record(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(work, "record", fails)
    sought = kept.sought(tmp_path)

    ending = running.run([sought], Options(stop_on_failure=True))
    assert (True, 2, "failed") == (ending.stopped, len(tries), state_of(sought)[0])
    assert "(2 attempts)" in state_of(sought)[1]
    running.run([sought], Options())
    assert {"failed": 2, "done": 2} == counts(sought)
    assert 2 + 1 + 2 + 1 == len(tries)


def test_a_firmware_refuses_a_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one of another kernel does: it is not tried again until `retry`, and does not count as failed."""

    def refuses(*arguments: object, **options: object) -> Recording:
        raise FirmwareError("node initiator refuses `set queue 8`")

    monkeypatch.setattr(work, "record", refuses)
    sought = kept.sought(tmp_path)
    running.run([sought], Options())

    assert ("refused", "node initiator refuses `set queue 8`") == state_of(sought)
    running.run([sought], Options(), ended=lambda outcome: pytest.fail("not without retry"))
    monkeypatch.setattr(work, "record", kept.record)
    running.run([sought], Options(retry=True))
    assert {"done": 4} == counts(sought)


def test_a_fault_of_one_point_is_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a full disk: it is reported, and the point is tried once in a run."""

    def full(*arguments: object, **options: object) -> Recording:
        raise OSError(28, "No space left on device", "edges")

    monkeypatch.setattr(work, "record", full)
    ending = running.run([kept.sought(tmp_path)], Options())

    assert ["edges: No space left on device"] * 4 == list(ending.errors.values())


def test_repeats_end_when_the_interval_is_narrow(tmp_path: Path) -> None:
    """Equal values in each repeat need the least number of them."""
    until = '[repeat.until]\ny = "rtt.median"\nwidth = 0.1\nleast = 4\nmost = 6\n[[show]]'
    narrow = kept.sought(tmp_path, kept.STUDY.replace("[[show]]", until))
    running.run([narrow], Options())
    assert {"done": 8} == counts(narrow)


def test_repeats_end_at_the_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that differ by more than the width need all."""

    def wide(recording: Recording, *arguments: object) -> analysed.Numbers:
        right = kept.numbers(recording, *arguments)  # type: ignore[arg-type]
        value = float(int(hashlib.sha256(recording.info.bench.encode()).hexdigest()[:6], 16))
        return analysed.Numbers(kept.table(value), (), right.verdicts, right.reasons, None)

    monkeypatch.setattr(analysed, "numbers", wide)
    until = '[repeat.until]\ny = "rtt.median"\nwidth = 0.001\nleast = 3\nmost = 5\n[[show]]'
    sought = kept.sought(tmp_path, kept.STUDY.replace("[[show]]", until))
    running.run([sought], Options())
    assert {"done": 10} == counts(sought)


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


def test_the_table_has_all_studies(tmp_path: Path) -> None:
    """In the order of their names; a study's rows take the place of its earlier ones."""
    running.run([kept.sought(tmp_path)], Options())
    (tmp_path / "a.toml").write_text(kept.STUDY)
    other = Sought.of(states.Study("a", tmp_path / "a.toml", kept.sought(tmp_path).study.file), kept.Conditions(),
                      tmp_path / "out")  # fmt: skip
    running.run([other], Options(), ended=lambda outcome: pytest.fail("equal points are shared"))
    running.run([kept.sought(tmp_path)], Options())

    rows = table._read(tmp_path / "out" / table.TABLE)
    assert ["a"] * 4 + ["s"] * 4 == rows["study"].to_pylist()
    assert {"a", "s"} == set(table.entries(tmp_path / "out"))


class Killed(BaseException):
    """The process ends here."""


class Moments:
    """Ends the program at the n-th change of the file system, and refuses every later one, as `kill -9` does."""

    EVENTS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "open")

    def __init__(self) -> None:
        self.left: int | None = None  # changes that are allowed; None: all
        self.ended = False  # whether the last block was
        sys.addaudithook(self._hook)  # for the life of the process

    def _hook(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.left is None or event not in self.EVENTS:
            return
        if event == "open" and not (isinstance(arguments[1], str) and set(arguments[1]) & set("wxa+")):
            return
        if self.left == 0:
            raise Killed
        self.left -= 1

    @contextlib.contextmanager
    def after(self, changes: int) -> Iterator[None]:
        """End the program in this block after some changes; an end is swallowed."""
        self.left = changes
        try:
            yield
        except Killed:
            pass
        finally:
            self.ended, self.left = self.left == 0, None


@pytest.fixture(scope="module")
def moments() -> Moments:
    """One hook for all tests of this module."""
    return Moments()


def tables(output: Path) -> dict[str, bytes]:
    """The content of all tables, by place."""
    return {str(path.relative_to(output)): path.read_bytes() for path in sorted(output.rglob("*.parquet"))}


def test_killed_at_every_moment(tmp_path: Path, moments: Moments) -> None:
    """Whatever change of a file is the last one, a second call ends with the same tables, byte for byte."""
    sought = kept.sought(tmp_path, kept.STUDY.replace("[20, 60]", "[20]"))
    running.run([sought], Options())
    expected, changes = tables(sought.output), 0
    moments.ended = True
    while moments.ended:
        shutil.rmtree(sought.output)
        with moments.after(changes):
            running.run([sought], Options())
        running.run([sought], Options())
        assert expected == tables(sought.output), f"killed after {changes} changes"
        changes += 1
    assert changes > 30, "the moments of two points"


def test_a_resumed_study_records_what_is_missing_only(tmp_path: Path, moments: Moments) -> None:
    """Points that were done before the kill are not touched."""
    sought = kept.sought(tmp_path)
    with moments.after(45):
        running.run([sought], Options())
    done = [point for point in sought.points(range(2)) if sought.state(point)[0] == "done"]
    assert done
    worked = []
    running.run([sought], Options(), ended=lambda outcome: worked.append(outcome.item.point.digest))
    assert 4 - len(done) == len(worked)
    assert not {point.digest for point in done} & set(worked)


def test_a_run_reads_the_tables_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of all points and the pages are of the same results."""
    sought, read = kept.sought(tmp_path), []
    table_of = PointFolder.table
    monkeypatch.setattr(PointFolder, "table", lambda folder: read.append(folder.path.name) or table_of(folder))

    assert 0 == gpiorig("study", "run", tmp_path / "s.toml", "-o", sought.output).status

    assert sorted(point.digest for point in sought.points(range(2))) == sorted(read)
    assert (sought.output / table.TABLE).is_file()
    assert (sought.output / "pages" / "s.html").is_file()


def test_point_json_names_its_point(tmp_path: Path) -> None:
    """The study, the coordinates, versions and what was computed."""
    sought = kept.sought(tmp_path)
    running.run([sought], Options())
    file = msgspec.json.decode((folder_of(sought).path / "point.json").read_bytes())

    assert ("s", {"payload": 20}, 0, "", {"loss": "", "rtt": ""}) == tuple(
        file[key] for key in ("study", "coordinates", "repeat", "error", "quantities")
    )
    assert file["versions"].keys() == {"gpiorig", "python"} and file["bytes"] > 0
