"""`gpiorig batch`: one table of many recordings, what is kept, addresses, and what is refused."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock, patch

import fsspec
import pyarrow.parquet
import pytest
from commandline import Finished, gpiorig

from gpiorig.capture.recording.recording import Recording
from gpiorig.studies.batch import cluster, places

MODULE = "gpiorig.rig.store.store"


@pytest.fixture
def runs(few: Path, tmp_path: Path) -> Path:
    """A copy of two of the recordings."""
    for name in ("run1", "run2"):
        shutil.copytree(few / name, tmp_path / "runs" / name)
    return tmp_path / "runs"


@pytest.fixture
def memory() -> Iterator[Any]:
    """The file system in the memory of this process, empty before and after."""
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


def batch(*words: str | Path) -> Finished:
    """The command in this process, without pages."""
    return gpiorig("batch", *words, "--workers", "1", "--no-report")


def rows(output: Path, name: str = "runs") -> list[dict[str, Any]]:
    """A table of a batch; its CSV has as many rows."""
    content = list(pyarrow.parquet.read_table(output / f"{name}.parquet").to_pylist())
    with (output / f"{name}.csv").open(newline="") as file:
        assert len(content) == len([*csv.DictReader(file)])
    return content


@pytest.mark.slow
def test_one_table_of_all(runs: Path, tmp_path: Path) -> None:
    """Numbers are those of `gpiorig report`; an item that fails is named, in its place, and ends nothing."""
    output, listed = tmp_path / "out", tmp_path / "names.txt"
    (runs / "run0").mkdir()
    listed.write_text(f"{runs / 'run0'}\n\n{runs / 'run1'}\n")

    done = batch("--list", listed, runs / "run*", "-o", output, "--quantity", "goodput", "--json")

    assert 1 == done.status
    assert f"failed: {runs / 'run0'}: " in done.stderr and "recording.toml" in done.stderr
    assert (3, 2, 0, 1) == tuple(done.numbers[name] for name in ("runs", "done", "kept", "failed"))
    *good, failed = rows(output)
    assert [str(runs / name) for name in ("run1", "run2", "run0")] == [row["run"] for row in (*good, failed)]
    assert ("failed", done.numbers["errors"][failed["run"]]) == (failed["outcome"], failed["error"])
    assert [{"run": failed["run"], "error": failed["error"]}] == json.loads((output / "errors.json").read_text())
    row = good[0]
    reported = gpiorig("report", row["run"], "-o", tmp_path / "page", "--quantity", "goodput", "--json").numbers
    names = ("events", "packets_sent", "lost", "seed")
    assert [reported[name] for name in names] == [row[name] for name in names]
    assert reported["routes"][0]["delay_ms"]["p99"] == row["p99_ms"]
    own = [quantity["value"] for quantity in rows(output, "quantities") if quantity["run"] == row["run"]]
    assert [quantity["value"] for quantity in reported["quantities"]] == own


@pytest.mark.slow
def test_what_is_there_is_kept(runs: Path, tmp_path: Path) -> None:
    """A second time nothing is done, and the tables are the same bytes; what changed or is gone is done again."""

    def unchanged(*words: str) -> int:
        return int(batch(f"{runs}/*", "-o", output, "--do", "decode", "--json", *words).numbers["kept"])

    output = tmp_path / "out"
    assert 0 == unchanged()
    before = {path.name: path.read_bytes() for path in output.glob("*.*")}
    assert 2 == unchanged()
    assert before == {path.name: path.read_bytes() for path in output.glob("*.*")}
    (runs / "run1" / "events.parquet").unlink()
    assert 1 == unchanged()
    Recording.open(runs / "run2").update(reason="checked")
    assert 1 == unchanged()
    next((output / "items").iterdir()).write_text("{")
    assert 1 == unchanged()
    assert 0 == unchanged("--fresh")
    assert 0 == unchanged("--quantity", "goodput")


@pytest.mark.slow
def test_addresses(few: Path, tmp_path: Path, memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recordings at addresses are copied for the work; results go to the address given, and the copies are gone."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    memory.put(str(few / "run1"), "/lab/run1", recursive=True)
    memory.put(str(few / "run2"), "/lab/run2", recursive=True)
    before = memory.find("/lab")

    done = gpiorig("batch", "memory://lab/*", "-o", "memory://results", "--do", "decode", "--json")

    assert (0, 2) == (done.status, done.numbers["done"]), done.stderr
    assert (before, []) == (memory.find("/lab"), [*tmp_path.iterdir()])
    local = tmp_path / "local"
    shutil.copytree(few / "run1", local)
    assert 0 == batch(local, "-o", tmp_path / "out", "--do", "decode").status
    place = f"/results/{places.name('memory:///lab/run1')}"
    tables = {Path(path).name: memory.cat_file(path) for path in memory.find(place)}
    assert {path.name: path.read_bytes() for path in local.glob("*.parquet")} == tables
    with memory.open("/results/runs.parquet") as file:
        assert ["memory:///lab/run1", "memory:///lab/run2"] == pyarrow.parquet.read_table(file)["run"].to_pylist()
    again = gpiorig("batch", "memory://lab/*", "-o", "memory://results", "--do", "decode", "--json")
    assert 2 == again.numbers["kept"]
    assert f"file://{local}" != places.absolute(f"file://{local}") == str(local)


@pytest.mark.slow
def test_a_store_gets_each_recording(few: Path, tmp_path: Path) -> None:
    """`--store` registers what was processed, with its quantities."""
    store = Mock()
    module = ModuleType(MODULE)
    module.Store = store  # type: ignore[attr-defined]
    shutil.copytree(few / "run1", tmp_path / "run1")
    with patch.dict(sys.modules, {MODULE: module}):
        words = (tmp_path / "run1", "-o", tmp_path / "out", "--store", tmp_path / "store", "--quantity", "goodput")
        assert 0 == batch(*words, "--do", "decode").status

    store.assert_called_once_with(tmp_path / "store")
    store().add.assert_called_once_with(Recording.open(tmp_path / "run1"), quantities=("goodput",))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no recordings"),
        (("nowhere/*",), "nowhere/*: matches no recording"),
        (("nothing://lab/run",), "Protocol not known: nothing; install the package"),
        (("abfs://lab/run",), "adlfs"),
        (("run", "--do", "decode,guess"), "'guess' is not one of decode, analyse, report"),
        (("run", "--quantity", "speed of light"), "speed of light"),
        (("memory://lab/run", "--workers", "2"), "give --workers 1"),
        (("memory://lab/run", "--store", "store"), "--store registers folders of this machine"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One error, before anything is begun or written."""
    monkeypatch.chdir(tmp_path)
    done = gpiorig("batch", *words)

    assert (2, True) == (done.status, message in done.stderr), done.stderr
    assert 1 == len(done.stderr.splitlines())
    assert [] == [*tmp_path.iterdir()]


def test_a_scheduler_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its address and how one is started are in the error."""
    monkeypatch.setattr(cluster, "PATIENCE_S", 0.2)
    done = gpiorig("batch", tmp_path, "-o", tmp_path / "out", "--scheduler", "tcp://127.0.0.1:9", "--insecure-cluster")

    assert 2 == done.status and "tcp://127.0.0.1:9" in done.stderr and "dask scheduler" in done.stderr
