"""Writers of tables in parts, as Parquet or CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from gpiorig.analysis.errors import TableError

ROW_GROUP = 1 << 17  # rows


def writer_of(suffix: str, new: Path, schema: pa.Schema) -> Any:
    """An open writer, whose ``write_table`` takes one part after the other."""
    if suffix == ".csv":
        return pyarrow.csv.CSVWriter(new, schema)
    if suffix == ".parquet":
        return _parquet_writer(new, schema)
    raise TableError(f"{new}: a table is written in parts as Parquet or CSV only.")


def _parquet_writer(new: Path, schema: pa.Schema) -> pyarrow.parquet.ParquetWriter:
    names = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    whole = [field.name for field in schema if pa.types.is_integer(field.type)]
    flags = [field.name for field in schema if pa.types.is_boolean(field.type)]
    # Sample numbers and rows hardly repeat, and differ little from row to row; codes are of a byte, and repeat.
    wide = [name for name in whole if schema.field(name).type.bit_width > 16]
    writer = pyarrow.parquet.ParquetWriter(
        new,
        schema,
        compression="zstd",
        version="2.6",
        use_dictionary=[name for name in schema.names if name not in (*whole, *flags)] or False,  # times repeat, too
        column_encoding=dict.fromkeys(wide, "DELTA_BINARY_PACKED"),
        write_batch_size=ROW_GROUP,
        max_rows_per_page=ROW_GROUP,  # a row group has one page, and so one table of the compression
        write_statistics=whole or False,  # each row group has all names, and durations of all lengths
        store_schema=not names,  # with it readers would get the indices of the names
    )
    if names:
        writer.add_key_value_metadata(schema.metadata)
    return writer
