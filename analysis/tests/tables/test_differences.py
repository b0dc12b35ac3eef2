"""Where a file differs first from another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from gpiorig.analysis.tables import differences, stages

ROWS = 2 * differences.ROWS + 7


def content(**changed: object) -> pa.Table:
    """Two columns, one with NaN; a cell of the second is changed."""
    values = np.arange(ROWS, dtype=float)
    values[3] = np.nan
    for row, value in changed.items():
        values[int(row[1:])] = value
    return pa.table({"n": np.arange(ROWS), "value": values})


@pytest.mark.parametrize(
    ("table", "place"),
    [
        (content(_5=1.5), "row 6, column value: 1.5, derived 5.0"),
        (content(**{f"_{ROWS - 1}": 0}), f"row {ROWS}, column value: 0.0, derived {ROWS - 1}.0"),
        (content().slice(0, ROWS - 2), f"row {ROWS - 1}: {ROWS - 2} rows, derived {ROWS}"),
        (content().drop_columns(["value"]), "column value: not there"),
        (content().append_column("own", pa.nulls(ROWS, pa.int8())), "column own: not derived"),
        (
            content().set_column(0, "n", pa.nulls(ROWS, pa.int32())),
            "column n: type int32, derived int64",
        ),
        (content().replace_schema_metadata({"a": "b"}), "the same rows in other bytes: metadata or the program"),
    ],
)
def test_the_first_cell_of_a_table(table: pa.Table, place: str, tmp_path: Path) -> None:
    """Rows are counted from 1; a NaN equals a NaN; rows beyond the first part are found."""
    for name, rows in (("one", table), ("other", content())):
        (tmp_path / name).mkdir()
        stages.write(rows, tmp_path / name / "t.parquet")

    assert differences.locate(tmp_path / "one/t.parquet", tmp_path / "other/t.parquet").startswith(place)


def test_rows_in_parts_of_other_lengths(tmp_path: Path) -> None:
    """The number of a row does not depend on how the files are divided."""
    pa.parquet.write_table(content(), tmp_path / "a.parquet", row_group_size=1000)
    pa.parquet.write_table(content(_70000=0), tmp_path / "b.parquet", row_group_size=777)

    place = "row 70001, column value: 70000.0, derived 0.0"
    assert place == differences.locate(tmp_path / "a.parquet", tmp_path / "b.parquet")


def test_a_table_that_is_not_one(tmp_path: Path) -> None:
    """It is a sentence, not an exception."""
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    stages.write(content(), tmp_path / "b.parquet")

    assert differences.locate(tmp_path / "a.parquet", tmp_path / "b.parquet").startswith("cannot be read: ")


@pytest.mark.parametrize(
    ("name", "one", "other", "place"),
    [
        ("a.csv", b"a\nb\nc\n", b"a\nb\nd\n", "line 3"),
        ("a.svg", b"a\n", b"a\nb\n", "line 2"),
        ("a.png", bytes(3_000_000) + b"a", bytes(3_000_000) + b"b", "byte 3000001"),
        ("a.pdf", b"ab", b"a", "byte 2"),
    ],
)
def test_the_first_line_or_byte(name: str, one: bytes, other: bytes, place: str, tmp_path: Path) -> None:
    """Lines of texts, bytes of other files, also where one of them ends."""
    (tmp_path / name).write_bytes(one)
    (tmp_path / f"derived-{name}").write_bytes(other)

    assert place == differences.locate(tmp_path / name, tmp_path / f"derived-{name}")
