"""The store: recordings and points go in once, are found where they are now, and are removed."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from commandline import gpiorig, gpiorig_process
from storecases import PACKETS, copied, single

from gpiorig.capture.errors import FormatError
from gpiorig.capture.recording.recording import Epoch, Recording
from gpiorig.rig.errors import StoreError
from gpiorig.rig.store.store import Store


def test_a_recording_goes_in_once(recorded: Path, tmp_path: Path) -> None:
    """The same recording gives one entry, also from another place; its tables are those of its analysis."""
    store, first = Store(tmp_path / "store"), copied(recorded, tmp_path / "first")
    assert "added" == store.add(first).status
    files = set((tmp_path / "store").rglob("*.parquet"))
    assert "present" == store.add(first).status
    first.rename(tmp_path / "second")
    assert "moved" == store.add(tmp_path / "second").status
    assert files == set((tmp_path / "store").rglob("*.parquet"))
    (row,) = store.recordings()
    assert (str(tmp_path / "second"), True, "pingpong") == (row.place, row.virtual, row.experiment)
    assert 2 * PACKETS == single(store, "SELECT count(*) FROM packets")
    assert PACKETS == single(store, "SELECT count(*) FROM round_trips WHERE rtt_ns IS NOT NULL")
    sums = store.query(
        "SELECT max(abs(total - rtt_samples)) AS off FROM round_trips JOIN "
        "(SELECT run, packet_row, sum(duration_samples) AS total FROM steps GROUP BY ALL) USING (run, packet_row)"
    ).to_pylist()
    assert [{"off": 0}] == sums
    medians = store.query("SELECT quantity, unit, median(value) AS m FROM quantities GROUP BY ALL").to_pylist()
    assert 3_000_000 < next(one["m"] for one in medians if one["quantity"] == "app.tx -> app.rx") < 5_000_000


@pytest.mark.slow
def test_another_recording_in_the_same_folder(recorded: Path, tmp_path: Path) -> None:
    """A folder that was recorded into again replaces its entry, and its tables are deleted."""
    store, folder = Store(tmp_path / "store"), copied(recorded, tmp_path / "run")
    before = store.add(folder).key.run
    Recording.open(folder).update(epoch=Epoch(wall="2026-01-01T00:00:00+00:00"))
    added = store.add(folder)
    assert ("replaced", 1) == (added.status, len(added.remarks))
    assert before in added.remarks[0]
    assert [added.key.run] == [row.recording for row in store.recordings()]
    assert PACKETS == single(store, "SELECT count(*) FROM round_trips")
    assert 0 == store.gc().files


@pytest.mark.slow
def test_other_quantities_replace_the_tables(recorded: Path, tmp_path: Path) -> None:
    """Asked for other quantities, the recording is analysed again; one that it does not show is a remark."""
    store = Store(tmp_path / "store")
    store.add(recorded)
    added = store.add(recorded, quantities=["interval of app.tx", "span of slot.tx"])
    assert "replaced" == added.status
    assert "span of slot.tx" in added.remarks[-1]
    assert ["interval of app.tx"] == store.query("SELECT DISTINCT quantity FROM quantities")["quantity"].to_pylist()
    assert 0 == store.gc().files


@pytest.mark.slow
def test_a_recording_that_moved_is_found(recorded: Path, tmp_path: Path) -> None:
    """It is opened where it is now after a search, or named with its last place."""
    store, folder = Store(tmp_path / "store"), copied(recorded, tmp_path / "run")
    name = store.add(folder).key.run
    assert folder == store.open(name[:6]).folder
    (tmp_path / "deep" / "below").mkdir(parents=True)
    folder.rename(tmp_path / "deep" / "below" / "moved")
    with pytest.raises(StoreError, match=f"not at its last place {folder}"):
        store.open(name)
    listed = gpiorig("store", "ls", "-s", store.folder)
    assert (1, True) == (listed.status, f"MISSING; its last place is {folder}" in listed.stdout)
    assert tmp_path / "deep" / "below" / "moved" == store.open(name, search=[tmp_path / "deep"]).folder
    (entry,) = gpiorig("store", "ls", "-s", store.folder, "--json").numbers["recordings"]
    assert (False, PACKETS) == (entry["missing"], entry["parameters"]["packets"])


def test_a_changed_file_is_refused(recorded: Path, tmp_path: Path) -> None:
    """A byte that changed after recording ends in an error, and leaves nothing in the store."""
    folder = copied(recorded, tmp_path / "run")
    path = next((folder / "serial").glob("*.rec"))
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    done = gpiorig("store", "add", folder, "-s", tmp_path / "store")
    assert (2, True) == (done.status, "was changed after recording" in done.stderr)
    assert () == Store(tmp_path / "store").recordings()


@pytest.mark.slow
def test_points_and_axes(recorded: Path, quantities: Path, tmp_path: Path) -> None:
    """Axes are columns with their types, a point is replaced, one without results has a row."""
    store = Store(tmp_path / "store")
    for repeat, payload in enumerate((16, 64)):
        store.add_point("000-a", f"p{payload}", {"payload": payload, "mac": "csma"}, repeat, "done", quantities)
    again = store.add_point("000-a", "p16", {"payload": 16, "mac": "tsch"}, 0, "failed", quantities, recorded)
    assert "replaced" == again.status
    axes = {"mac": True, "MAC": 1, "node": 'a"/b'}
    store.add_point("001-b", "q", axes, 0, "refused", reason="no such board")
    rows = store.query(
        "SELECT payload, mac, state, virtual, median(value) AS m FROM results WHERE quantity = 'rtt' GROUP BY ALL "
        "ORDER BY payload"
    ).to_pylist()
    assert [
        {"payload": 16.0, "mac": "tsch", "state": "failed", "virtual": True, "m": 2.0},
        {"payload": 64.0, "mac": "csma", "state": "done", "virtual": None, "m": 2.0},
    ] == rows
    assert 'a"/b' == single(store, "SELECT \"axis node\" FROM axes WHERE study = '001-b'")
    assert "1" == single(store, "SELECT \"axis MAC\"::INT::VARCHAR FROM axes WHERE study = '001-b'")
    assert 16 == single(store, "SELECT (axes ->> 'payload')::INT FROM points WHERE point = 'p16'")
    with pytest.raises(StoreError, match="cannot name a study"):
        store.add_point("../x", "p", {}, 0, "done")
    assert [("000-a", "p16"), ("000-a", "p64")] == sorted((k.study, k.point) for k in store.remove(study="000-a"))
    assert 0 == single(store, "SELECT count(*) FROM recordings")
    with pytest.raises(StoreError, match=r"(?s)quantities does not exist.*axes, files, points, recordings"):
        store.query("FROM quantities")


def test_any_folder(quantities: Path, tmp_path: Path) -> None:
    """The name of the folder may have what SQL and patterns treat specially; tables that are a link are read only."""
    with pytest.raises(StoreError, match="give another folder"):
        Store(tmp_path / "a?b").add_point("s", "p", {}, 0, "done")
    store = Store(tmp_path / "it's [a] *store")
    store.add_point("s", "p", {}, 0, "done", quantities)
    (store.folder / "tables").rename(tmp_path / "elsewhere")
    (store.folder / "tables").symlink_to(tmp_path / "elsewhere")
    assert 3 == single(store, "SELECT count(*) FROM quantities")
    for change in (
        store.gc,
        lambda: store.remove(study="s"),
        lambda: store.add_point("s", "p", {}, 0, "done", quantities),
    ):
        with pytest.raises((StoreError, FormatError), match="tables: is a link"):
            change()
    assert 3 == single(store, "SELECT count(*) FROM quantities")


def test_not_a_store(tmp_path: Path) -> None:
    """A folder of something else is neither read nor written."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "text").write_text("x")
    done = gpiorig("store", "ls", "-s", tmp_path / "other")
    assert (2, True) == (done.status, "is not a store" in done.stderr)
    with pytest.raises(StoreError, match="holds other files"):
        Store(tmp_path / "other").add_point("s", "p", {}, 0, "done")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "store.duckdb").write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreError, match="damaged"):
        Store(tmp_path / "damaged").recordings()
    with duckdb.connect(tmp_path / "other" / "store.duckdb") as connection:
        connection.execute("CREATE TABLE mine (x INTEGER)")
    with pytest.raises(StoreError, match="not those of a store"):
        Store(tmp_path / "other").recordings()


def test_command_line(recorded: Path, tmp_path: Path) -> None:
    """Add, query, remove; what could not be added is named, and the others are."""
    where = ("-s", tmp_path / "store")
    done = gpiorig("store", "add", recorded, tmp_path, "--study", "trial", "--json", *where)
    assert (1, "added") == (done.status, json.loads(done.stdout)["status"])
    assert "not added" in done.stderr
    done = gpiorig("store", "query", "select study, count(*) as n from round_trips group by all", *where)
    assert f"study  n\ntrial  {PACKETS}\n" == done.stdout
    assert {"n": PACKETS} == gpiorig(
        "store", "query", "select count(*) as n from round_trips", "--json", *where
    ).numbers
    assert 2 == gpiorig("store", "rm", "ffff", *where).status
    assert "1 runs were removed" in gpiorig("store", "rm", "--study", "trial", *where).stdout
    assert "" == gpiorig("store", "ls", *where).stdout


@pytest.mark.slow  # starts a process
def test_help_imports_nothing_heavy() -> None:
    """`--help` needs neither DuckDB nor Arrow."""
    done = gpiorig_process("store", "--help", environment={"PYTHONPROFILEIMPORTTIME": "1"})
    assert 0 == done.status
    assert not [line for line in done.stderr.splitlines() if "duckdb" in line or "pyarrow" in line or "numpy" in line]


@pytest.mark.slow
def test_a_damaged_catalogue_says_so_and_its_remedy_works(recorded: Path, tmp_path: Path) -> None:
    """DuckDB's checksums: each use states what to do, and adding the recordings again is that."""
    store = Store(tmp_path / "store")
    for number in range(30):
        store.add_point("s", f"{number:04x}", {"a": number}, 0, "done")
    content = bytearray((store.folder / "store.duckdb").read_bytes())
    content[0x5000:0x40000:97] = bytes(byte ^ 0x55 for byte in content[0x5000:0x40000:97])
    (store.folder / "store.duckdb").write_bytes(content)
    uses = (store.recordings, store.gc, lambda: store.query("FROM points"), lambda: store.add(recorded))
    for use in uses:
        with pytest.raises(StoreError, match=r"store.duckdb is damaged: .*checksum.*gpiorig store add RUN"):
            use()
    store.folder.rename(tmp_path / "away")
    assert "added" == store.add(recorded).status
