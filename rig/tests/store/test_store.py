"""The store: recordings and points go in once, are found by SQL, and stay complete with several writers and kills."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import directbench
import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest
import shared
from commandline import ROOT, gpiorig, gpiorig_process
from depth import DEEP

from gpiorig.analysis.tables import stages
from gpiorig.capture.recording.recording import Epoch, Recording
from gpiorig.rig import resources
from gpiorig.rig.errors import StoreError
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse
from gpiorig.rig.store import contents, locks, schema
from gpiorig.rig.store.store import Store

PACKETS = 6
WRITERS, POINTS = 8, 10 if DEEP else 4
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


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short recording, not to be written to."""

    def make(folder: Path) -> None:
        bench, experiment = resources.benches()["demo"], resources.experiments()["pingpong"]
        directbench.record(folder / "base", bench.read_text(), experiment.read_text(), packets=PACKETS)

    return shared.filled(tmp_path_factory, "store-recording", make) / "base" / "run"


@pytest.fixture(scope="module")
def quantities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of quantities as a study keeps it."""
    path = tmp_path_factory.mktemp("quantities") / "quantities.parquet"
    content = {"quantity": ["rtt", "rtt", "loss"], "node": ["", "", ""], "value": [1.0, 3.0, None]}
    pa.parquet.write_table(pa.table(content), path)
    return path


def copied(recorded: Path, folder: Path, *, began: str = "") -> Path:
    """A copy of a recording, with another beginning another recording."""
    shutil.copytree(recorded, folder)
    if began:
        Recording.open(folder).update(epoch=Epoch(wall=began))
    return folder


def single(store: Store, sql: str) -> object:
    """The only value of a result."""
    (row,) = store.query(sql).to_pylist()
    (value,) = row.values()
    return value


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


def test_other_quantities_replace_the_tables(recorded: Path, tmp_path: Path) -> None:
    """Asked for other quantities, the recording is analysed again; one that it does not show is a remark."""
    store = Store(tmp_path / "store")
    store.add(recorded)
    added = store.add(recorded, quantities=["interval of app.tx", "span of slot.tx"])
    assert "replaced" == added.status
    assert "span of slot.tx" in added.remarks[-1]
    assert ["interval of app.tx"] == store.query("SELECT DISTINCT quantity FROM quantities")["quantity"].to_pylist()
    assert 0 == store.gc().files


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


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("select foo from quantities", r'(?s)"foo" not found.*LINE 1: select foo.*\^'),
        ("selec", r"(?s)syntax error.*LINE 1"),
        ("delete from runs", "changes nothing"),
        ("select 1; drop table runs", "changes nothing"),
        ("copy runs to 'stolen.csv'", "changes nothing"),
        ("from read_text('/etc/hostname')", "disabled by configuration"),
        ("from read_parquet('/tmp/x.parquet')", "disabled by configuration"),
    ],
)
def test_queries_that_are_refused(sql: str, words: str, quantities: Path, tmp_path: Path) -> None:
    """An error has DuckDB's message with its place; a query changes nothing and reads no other files."""
    store = Store(tmp_path / "store")
    store.add_point("s", "p", {}, 0, "done", quantities)
    with pytest.raises(StoreError, match=words):
        store.query(sql)
    assert 1 == single(store, "SELECT count(*) FROM runs")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow"])
def test_export(suffix: str, quantities: Path, tmp_path: Path) -> None:
    """The result of a query is written by the ending of the file."""
    Store(tmp_path / "store").add_point("s", "p", {"payload": 16}, 0, "done", quantities)
    path = tmp_path / f"out{suffix}"
    sql = "select payload, quantity, value from results order by all"
    done = gpiorig("store", "export", sql, "-o", path, "-s", tmp_path / "store")
    assert (0, "") == (done.status, done.stderr)
    read = {".csv": pa.csv.read_csv, ".parquet": pa.parquet.read_table, ".arrow": pa.feather.read_table}[suffix]
    assert [1.0, 3.0] == [row["value"] for row in read(path).to_pylist() if row["quantity"] == "rtt"]


def test_any_folder(quantities: Path, tmp_path: Path) -> None:
    """The name of the folder may have what SQL and patterns treat specially, and the tables may be on another disk."""
    with pytest.raises(StoreError, match="give another folder"):
        Store(tmp_path / "a?b").add_point("s", "p", {}, 0, "done")
    store = Store(tmp_path / "it's [a] *store")
    store.add_point("s", "p", {}, 0, "done", quantities)
    (store.folder / "tables").rename(tmp_path / "elsewhere")
    (store.folder / "tables").symlink_to(tmp_path / "elsewhere")
    assert 3 == single(store, "SELECT count(*) FROM quantities")
    assert 0 == store.gc().files


def test_the_queries_of_the_documentation(recorded: Path, quantities: Path, tmp_path: Path) -> None:
    """Every example of docs/reference/store.md is answered, with a row."""
    store = Store(tmp_path / "store")
    store.add(recorded)
    opened = Recording.open(recorded)
    table, _ = contents.quantities_of(opened, analyse(open_recording(opened)))
    stages.write(table, tmp_path / "quantities.parquet")
    for mac in ("csma", "tsch"):
        axes = {"payload": 16, "mac": mac}
        store.add_point("000-payload", mac, axes, 0, "done", tmp_path / "quantities.parquet")
    store.add_point("000-payload", "refused", {}, 0, "refused", reason="no such board")
    page = (ROOT / "docs" / "reference" / "store.md").read_text()
    queries = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
    assert 8 < len(queries)
    for sql in queries:
        assert 0 < store.query(sql).num_rows, sql


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


def test_a_newer_store_is_refused(quantities: Path, tmp_path: Path) -> None:
    """The error has the remedy, and the store is not changed."""
    store = Store(tmp_path / "store")
    store.add_point("s", "p", {}, 0, "done", quantities)
    with duckdb.connect(store.folder / "store.duckdb") as connection:
        connection.execute("UPDATE schema_version SET version = ?", [schema.NEWEST + 1])
    for use in (store.recordings, store.gc, lambda: store.add_point("s", "q", {}, 0, "done")):
        with pytest.raises(StoreError, match=r"schema .* Update gpiorig"):
            use()


# Schema 1, as it was released; it does not change with the program.
VERSION_1 = """
CREATE TABLE schema_version (version INTEGER, gpiorig VARCHAR);
CREATE TABLE studies (study VARCHAR PRIMARY KEY);
CREATE TABLE points (
    study VARCHAR, point VARCHAR, repeat INTEGER, state VARCHAR, reason VARCHAR, axes JSON, PRIMARY KEY (study, point)
);
CREATE TABLE recordings (
    recording VARCHAR PRIMARY KEY, fingerprint VARCHAR, place VARCHAR, state VARCHAR, experiment VARCHAR,
    virtual BOOLEAN, began VARCHAR, samplerate_hz DOUBLE, bytes BIGINT, parameters JSON
);
CREATE TABLE runs (
    study VARCHAR, point VARCHAR, run VARCHAR, recording VARCHAR, gpiorig VARCHAR, quantities VARCHAR[],
    PRIMARY KEY (study, point, run)
);
CREATE TABLE files (
    study VARCHAR, point VARCHAR, run VARCHAR, content VARCHAR, path VARCHAR, row_count BIGINT, bytes BIGINT
);
INSERT INTO schema_version VALUES (1, '0.1.0');
INSERT INTO studies VALUES ('s');
INSERT INTO points VALUES ('s', 'p', 0, 'done', '', '{"payload": 16}');
INSERT INTO runs VALUES ('s', 'p', 'r', NULL, '0.1.0', []);
INSERT INTO files VALUES ('s', 'p', 'r', 'quantities', 'quantities/study=s/point=p/run=r/a.parquet', 3, 1000);
"""


def test_migration_from_the_first_version(quantities: Path, tmp_path: Path) -> None:
    """A store of version 1 is read and written; its files and those with other columns are one table."""
    store = Store(tmp_path / "store")
    old = store.folder / "tables" / "quantities" / "study=s" / "point=p" / "run=r"
    old.mkdir(parents=True)
    content = pa.parquet.read_table(quantities)
    pa.parquet.write_table(content.drop_columns(["node"]), old / "a.parquet")
    with duckdb.connect(store.folder / "store.duckdb") as connection:
        connection.execute(VERSION_1)
    assert [("rtt", 16.0, 3.0)] == [
        tuple(row.values())
        for row in store.query(
            "SELECT quantity, payload, max(value) FROM results WHERE value > 0 GROUP BY ALL"
        ).to_pylist()
    ]
    store.add_point("s", "q", {"payload": 64}, 0, "done", quantities)
    assert [("p", 3, 0), ("q", 3, 3)] == [
        tuple(row.values())
        for row in store.query(
            "SELECT point, count(*), count(node) FROM quantities GROUP BY ALL ORDER BY 1"
        ).to_pylist()
    ]
    with duckdb.connect(store.folder / "store.duckdb", read_only=True) as connection:
        assert [(schema.NEWEST,)] == connection.execute("SELECT version FROM schema_version").fetchall()


def test_a_store_of_the_first_version_that_is_written_first(quantities: Path, tmp_path: Path) -> None:
    """A writer brings the store to the newest version, too."""
    store = Store(tmp_path / "store")
    store.folder.mkdir()
    with duckdb.connect(store.folder / "store.duckdb") as connection:
        connection.execute(VERSION_1.partition("INSERT INTO studies")[0])
    store.add_point("s", "q", {"payload": 64}, 0, "done", quantities)
    assert 3 == single(store, "SELECT count(*) FROM quantities")


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
