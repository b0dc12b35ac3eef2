"""`gpiorig batch` gives equal bytes on one process, on two, and on a cluster."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import dask
import pytest
from batchruns import RUNS
from commandline import gpiorig, gpiorig_process
from daskcluster import certificates, cluster

from gpiorig.rig.results import versions


def content(folder: Path) -> dict[str, bytes]:
    """All files by name; where the results are is in the tables, in each place its own."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextlib.contextmanager
def workplace(few: Path, place: Path, files: dict[str, dict[str, bytes]], name: str, count: int) -> Iterator[None]:
    """Some of the recordings at one place; at the end all that was made of them there is kept under a name."""
    for number in range(1, count + 1):
        shutil.copytree(few / f"run{number}", place / "runs" / f"run{number}")
    yield
    files[name] = content(place)
    shutil.rmtree(place)


@pytest.mark.slow
def test_equal_on_one_process_and_on_two(few: Path, tmp_path: Path) -> None:
    """Every file has the same bytes."""
    place, files = tmp_path / "place", dict[str, dict[str, bytes]]()
    words = ("batch", f"{place}/runs/*", "-o", place / "out", "--no-report", "--quantity", "goodput")
    with workplace(few, place, files, "one", 2):
        assert 0 == gpiorig(*words, "--workers", "1").status
    with workplace(few, place, files, "two", 2):
        done = gpiorig_process(*words, "--workers", "2")
        assert (0, "") == (done.status, done.stderr)

    assert files["one"] == files["two"]
    assert 2 == sum(name.endswith("/steps.parquet") for name in files["one"])


@pytest.mark.deep
def test_equal_on_a_cluster(few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables, pages and JSON have the same bytes on one process and on two workers; another version is refused."""
    place, files = tmp_path / "place", dict[str, dict[str, bytes]]()
    words = ("batch", f"{place}/runs/*", "-o", place / "out", "--quantity", "goodput")
    with workplace(few, place, files, "one", RUNS):
        assert 0 == gpiorig(*words, "--workers", "1", figures=True).status
    for name, value in certificates(tmp_path).items():
        monkeypatch.setenv(name, value)
    dask.config.refresh()
    with cluster(tmp_path, workers=2) as started:
        address = started.address
        assert address.startswith("tls://")
        with workplace(few, place, files, "cluster", RUNS):
            done = gpiorig(*words, "--scheduler", address)
            assert (0, "") == (done.status, done.stderr)
        versions.here.cache_clear()
        monkeypatch.setattr(versions, "_version", lambda name: "0.0.9" if name == "gpiorig" else "1")
        refused = gpiorig("batch", few / "run1", "-o", tmp_path / "out", "--scheduler", address)
        versions.here.cache_clear()

        monkeypatch.delenv("DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY")
        dask.config.refresh()
        keyless = gpiorig("batch", few / "run1", "-o", tmp_path / "out", "--scheduler", address)
    monkeypatch.undo()
    dask.config.refresh()

    assert (2, True) == (keyless.status, "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY is not set" in keyless.stderr)
    assert files["one"] == files["cluster"]
    assert RUNS == sum(name.endswith("report.html") for name in files["one"])
    assert 2 == refused.status and "gpiorig 0.1.0" in refused.stderr and "0.0.9" in refused.stderr
