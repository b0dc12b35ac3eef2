"""Points of studies in a store: added by the run that works on them, or from its folder."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import keptpoints as kept
import msgspec
import pytest
from commandline import gpiorig

from gpiorig.rig.store.store import Store
from gpiorig.studies.plans import runner
from gpiorig.studies.plans.plan import Plan
from gpiorig.studies.plans.session import Options
from gpiorig.studies.points import analysed, states, study, table, work
from gpiorig.studies.points.folder import PointFolder
from gpiorig.studies.points.states import Sought


@pytest.fixture(autouse=True)
def _by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is recorded or analysed."""
    monkeypatch.setattr(work, "record", kept.record)
    monkeypatch.setattr(analysed, "numbers", kept.numbers)


def first_folder(sought: Sought) -> PointFolder:
    """Folder of the first point."""
    return sought.folder(sought.points(states.rounds(sought))[0])


def stored(folder: Path) -> dict[str, list[dict[str, object]]]:
    """All rows of a store, without the names of its files."""
    tables = ("results", "points", "runs", "recordings", "studies")
    return {name: Store(folder).query(f"FROM {name} ORDER BY ALL").to_pylist() for name in tables}


@pytest.mark.slow
def test_a_folder_of_points_is_added_as_a_run_adds_them(tmp_path: Path) -> None:
    """The same rows: of points that were done before, of a failed one, of one without an image, of two studies."""
    image = '[[vary]]\nname = "image"\nkey = "image.initiator"\nvalues = ["", "riot"]\n'
    first, output = kept.sought(tmp_path, kept.STUDY + image), tmp_path / "out"
    runner.run(Plan.of([first]), Options())
    second = Sought.of(study.load((tmp_path / "s.toml").rename(tmp_path / "t.toml")), kept.Conditions(), output)
    shutil.copy(tmp_path / "t.toml", tmp_path / "s.toml")
    broken = first_folder(first)
    broken.write(msgspec.structs.replace(broken.read(), checks=("A check.",)), broken.table())
    runner.run(Plan.of([first, second]), Options(store=tmp_path / "by run"))

    added = gpiorig("store", "add", output, "-s", tmp_path / "by add")

    assert (0, f"{output}: 16 points of 2 studies added\n") == (added.status, added.stdout)
    assert stored(tmp_path / "by run") == stored(tmp_path / "by add")
    states_of = Counter(row["state"] for row in stored(tmp_path / "by add")["points"])
    assert {"done": 6, "failed": 2, "refused": 8} == states_of

    (output / table.TABLE).unlink()
    for place, points in ((output / "points", 4), (output / "points" / broken.path.name, 1)):
        added = gpiorig("store", "add", place, "-s", tmp_path / f"of {points}", "--json")
        assert points == len(added.stdout.splitlines())
    assert {"s"} == {row["study"] for row in stored(tmp_path / "of 4")["results"]}


def test_what_a_store_does_not_take(tmp_path: Path) -> None:
    """A point that was not analysed is named; points have their own study and quantities."""
    sought = kept.sought(tmp_path)
    runner.run(Plan.of([sought]), Options())
    first_folder(sought).quantities.unlink()
    place = sought.output / "points"
    added = gpiorig("store", "add", place, "-s", tmp_path / "store")
    assert "not added: 1 point (stale); `gpiorig study run` records or analyses them." in added.stderr
    assert f"{place}: 3 points of 1 study added\n" == added.stdout
    refused = gpiorig("store", "add", place, "-s", tmp_path / "store", "--study", "mine")
    assert 2 == refused.status
    assert "omit --study and --quantity" in refused.stderr
