"""Tables of a batch: rows in the order given, however the recordings end."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from gpiorig.studies.batch import tables
from gpiorig.studies.batch.rows import Processed


@pytest.mark.parametrize("latest", [1, 3, 256])
def test_rows_are_in_the_order_given(monkeypatch: pytest.MonkeyPatch, latest: int) -> None:
    """Those of a recording stay together; one that failed has its row, and one without quantities none of these."""
    monkeypatch.setattr(tables, "LATEST", latest)
    order = [f"/lab/run{number}" for number in range(20)]
    quantities = {
        run: [{"run": run, "quantity": f"q{place}", "n": number} for place in range(number % 4)]
        for number, run in enumerate(order)
    }
    rows = tables.Rows(order)
    for run in random.Random(1).sample(order, len(order)):
        if run == order[7]:
            rows.add_failed(run, "no \udcff space")
        else:
            rows.add(Processed(run, False, (), {"runs": [{"run": run}], "quantities": quantities[run]}))
    expected = [row for run in order if run != order[7] for row in quantities[run]]

    assert rows.table("quantities") == pa.Table.from_pylist(expected, tables.QUANTITIES)
    assert rows.table("routes") == tables.ROUTES.empty_table()
    runs = rows.table("runs").to_pylist()
    assert [row["run"] for row in runs] == order
    assert [row["error"] for row in runs if row["outcome"] == "failed"] == ["no \\xff space"]
