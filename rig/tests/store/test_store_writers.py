"""Several writers of a store, kills, and what `gpiorig store gc` deletes after them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commandline import gpiorig
from depth import DEEP
from storecases import single

from gpiorig.rig.errors import StoreError
from gpiorig.rig.store import contents, locks
from gpiorig.rig.store.store import Store

WRITERS, POINTS = 8, 10 if DEEP else 2
WRITER = """
import os, sys, time
from pathlib import Path
from gpiorig.rig.store.store import Store
store, source, writers, points = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
def write(writer):
    for number in range(points):
        digest = f"{writer}x{number}"
        Store(store).add_point("study", digest, {"writer": writer, "number": number}, 0, "done", source)
        print(digest, flush=True)
children = []
for writer in range(writers):
    child = os.fork()
    if not child:
        try:
            write(writer)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    children.append(child)
sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""


def test_a_store_in_use(quantities: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock that is held too long, and a program that has the catalogue open, are named."""
    store = Store(tmp_path / "store")
    store.add_point("s", "p", {}, 0, "done", quantities)
    monkeypatch.setattr(locks, "PATIENCE_S", 0.05)
    with locks.locked(store.folder, locks.CATALOGUE, "alone"), pytest.raises(StoreError, match="another process"):
        store.recordings()
    with locks.locked(store.folder, locks.WRITING, "shared"), pytest.raises(StoreError, match="another process"):
        store.gc()


@pytest.mark.slow  # starts processes
def test_several_writers_lose_nothing(quantities: Path, tmp_path: Path) -> None:
    """What eight processes add at a time is there once; then they are killed, and all that they reported is there."""
    store = Store(tmp_path / "store")
    command = [sys.executable, "-c", WRITER, store.folder, quantities, str(WRITERS), str(POINTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (0, "") == (done.returncode, done.stderr)
    assert WRITERS * POINTS == single(store, "SELECT count(*) FROM points")
    assert 3 * WRITERS * POINTS == single(store, "SELECT count(*) FROM quantities")
    assert [1, WRITERS * POINTS] == list(
        store.query("SELECT max(n), count(*) FROM (SELECT count(*) n FROM runs GROUP BY point)").to_pylist()[0].values()
    )
    assert 0 == store.gc().files
    store.remove(study="study")
    reported = killed_writers(command, after_s=0.4)
    known = set(store.query("SELECT point FROM points")["point"].to_pylist())
    assert reported <= known
    assert 3 * len(known) == single(store, "SELECT count(*) FROM quantities") if known else True
    store.gc()
    assert len(known) == len([*(store.folder / contents.FOLDER).rglob("*.parquet")])
    for number in range(POINTS):
        store.add_point("study", f"0x{number}", {}, 0, "done", quantities)
    assert 1 == single(store, "SELECT max(n) FROM (SELECT count(*) n FROM runs GROUP BY point)")


def killed_writers(command: list[object], *, after_s: float) -> set[str]:
    """Start the writers, kill them all with SIGKILL some time after the first point; the points that they reported."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(after_s)
    os.killpg(process.pid, signal.SIGKILL)
    rest = process.stdout.read()
    process.stdout.close()
    process.wait()
    return set((first + rest.rpartition("\n")[0]).split())


def test_gc_keeps_what_is_registered(quantities: Path, tmp_path: Path) -> None:
    """Files without a run are deleted; a run without its file is removed and named."""
    store = Store(tmp_path / "store")
    for name in ("kept", "broken"):
        store.add_point("s", name, {}, 0, "done", quantities)
    orphan = contents.Draft(store.folder, contents.Key("s", "killed", "r"))
    orphan.add_quantities(quantities)
    assert 6 == single(store, "SELECT count(*) FROM quantities")
    next((store.folder / "tables").rglob("point=broken/*/*.parquet")).unlink()
    with pytest.raises(StoreError, match="gc"):
        store.query("FROM quantities")
    done = gpiorig("store", "gc", "-s", store.folder, "--json").numbers
    assert (1, quantities.stat().st_size, ["broken"]) == (
        done["files"],
        done["bytes"],
        [key["point"] for key in done["runs"]],
    )
    assert 3 == single(store, "SELECT count(*) FROM quantities")
    assert {"kept"} == {path.name.partition("=")[2] for path in (store.folder / "tables").rglob("point=*")}
