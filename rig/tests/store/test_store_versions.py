"""Stores of other versions are refused."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from gpiorig.rig.errors import StoreError
from gpiorig.rig.store import schema
from gpiorig.rig.store.store import Store


@pytest.mark.parametrize("number", [schema.VERSION - 1, schema.VERSION + 1])
def test_another_version_is_refused(number: int, quantities: Path, tmp_path: Path) -> None:
    """The error has the remedy, and the store is not changed."""
    store = Store(tmp_path / "store")
    store.add_point("s", "p", {}, 0, "done", quantities)
    with duckdb.connect(store.folder / "store.duckdb") as connection:
        connection.execute("UPDATE schema_version SET version = ?", [number])
    for use in (store.recordings, store.gc, lambda: store.add_point("s", "q", {}, 0, "done")):
        with pytest.raises(StoreError, match=rf"schema {number}, .* in another folder"):
            use()
