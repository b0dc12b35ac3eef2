"""`gpiorig batch` gives equal bytes on one process, on two, and on a cluster."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import dask
import pytest
from batchruns import RUNS
from commandline import gpiorig, gpiorig_process
from patience import PATIENCE_S, wait_until

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


TLS = {"ca-file": "ca", "cert": "cert", "key": "key"}
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "many.md"


def make_certificates(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the guide: its commands, and its variables for the command that uses the cluster."""
    text = GUIDE.read_text().partition("### Certificates")[2].partition("```")[2].partition("```")[0]
    lines = text.strip().splitlines()
    for command in (line for line in lines if line.startswith("openssl")):
        subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    variables = [line.removeprefix("export ").partition("=") for line in lines if line.startswith("export")]
    assert 3 == len(variables)
    for name, _, value in variables:
        monkeypatch.setenv(name, value.replace("$PWD", str(folder)))
    dask.config.refresh()


@contextlib.contextmanager
def dask_cluster(folder: Path) -> Iterator[str]:
    """A scheduler and two workers, as a user starts them; gives the address."""
    described = folder / "scheduler.json"
    certificates = [f"--tls-{option}={folder}/{name}.pem" for option, name in TLS.items()]
    common = ["--no-dashboard", "--scheduler-file", str(described), *certificates]
    dask = [sys.executable, "-m", "dask"]
    with contextlib.ExitStack() as stack:

        def start(*words: str) -> None:
            process = subprocess.Popen(
                [*dask, *words, *common],
                env=os.environ | {"DASK_TEMPORARY_DIRECTORY": str(folder)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            stack.callback(process.wait, PATIENCE_S)
            stack.callback(process.terminate)

        start("scheduler", "--host", "127.0.0.1", "--port", "0")
        wait_until(described.exists)
        for _ in range(2):
            start("worker", "--nthreads", "1", "--no-nanny")
        yield str(json.loads(described.read_text())["address"])


@pytest.mark.deep
def test_equal_on_a_cluster(few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables, pages and JSON have the same bytes on one process and on two workers; another version is refused."""
    place, files = tmp_path / "place", dict[str, dict[str, bytes]]()
    words = ("batch", f"{place}/runs/*", "-o", place / "out", "--quantity", "goodput")
    with workplace(few, place, files, "one", RUNS):
        assert 0 == gpiorig(*words, "--workers", "1", figures=True).status
    make_certificates(tmp_path, monkeypatch)
    with dask_cluster(tmp_path) as address:
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
