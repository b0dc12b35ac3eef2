"""Stores of other versions: a newer one is refused, an older one is taken over."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest
from storecases import single

from gpiorig.rig.errors import StoreError
from gpiorig.rig.store import schema
from gpiorig.rig.store.store import Store


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
