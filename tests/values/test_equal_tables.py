"""`tests/speed/equal_tables.py compare` finds what differs between two folders of tables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

SCRIPT = Path(__file__).parent.parent / "speed" / "equal_tables.py"
ROWS = {"sample": [1, 2, 1 << 60], "delay_ns": [0.5, None, 1e9]}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({}, "all tables and sentences are equal"),
        ({"delay_ns": [0.5, None, 1e9 * (1 + 1e-14)]}, "all tables and sentences are equal"),
        ({"delay_ns": [0.5, None, 1e9 * (1 + 1e-11)]}, "delay_ns: 1 rows; row 2"),
        ({"delay_ns": [0.5, 0.0, 1e9]}, "delay_ns: 1 rows; row 1"),
        ({"sample": [1, 2, (1 << 60) + 1]}, "sample differs"),
        ({"sample": [1.0, 2.0, 3.0]}, "types"),
    ],
)
def test_a_difference_is_found(change: dict[str, list[float | None]], named: str, tmp_path: Path) -> None:
    """Of the last place of an integer, of a null, and of a fraction beyond 1e-12."""
    for name, rows in (("before", ROWS), ("after", ROWS | change)):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table(rows), tmp_path / name / "steps.parquet")
    done = subprocess.run(
        [sys.executable, SCRIPT, "compare", "before", "after"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert named in done.stdout
    assert done.returncode == int("equal" not in named)
