"""Queries of the store: what is refused, what is written to a file, and the examples of the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from commandline import ROOT, gpiorig
from storecases import single

from gpiorig.analysis.tables import stages
from gpiorig.rig.errors import StoreError
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse
from gpiorig.rig.store import contents
from gpiorig.rig.store.store import Store


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


@pytest.mark.slow
def test_the_queries_of_the_documentation(recorded: Path, quantities: Path, tmp_path: Path) -> None:
    """Every example of docs/reference/store.md is answered, with a row."""
    store = Store(tmp_path / "store")
    store.add(recorded)
    opened = open_recording(recorded)
    table, _ = contents.quantities_of(opened, analyse(opened))
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
