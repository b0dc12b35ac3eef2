"""Parquet tables of edges, for pandas, Polars, DuckDB, Spark; `capture.edges.arrow_table` defines their columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.errors import FormatError

SUMMARY = "Parquet table of edges"
SUFFIXES = (".parquet",)
MAGIC = b"PAR1"  # github.com/apache/parquet-format, "File format"


def read(path: Path, options: ReadOptions | None = None) -> Waveform:
    """Read a table that `write` wrote."""
    import pyarrow as pa  # here and below: slow to import, and this module is asked about every file
    import pyarrow.parquet

    from gpiorig.capture.edges import arrow_table

    try:
        with path.open("rb") as file:  # the library takes UTF-8 names only
            form = pyarrow.parquet.ParquetFile(file).schema_arrow
    except (OSError, ValueError, pa.ArrowException) as error:
        raise FormatError(f"is not a readable Parquet file ({error})", where=path, remedy="write it again") from error

    def batches() -> Iterator[pa.RecordBatch]:
        with path.open("rb") as file:
            yield from pyarrow.parquet.ParquetFile(file).iter_batches(arrow_table.ROWS)

    return arrow_table.read(path, form, batches)


def write(path: Path, waveform: Waveform) -> str:
    """Write edges; the file is replaced in one step when it is complete. Returns what was rounded."""
    import pyarrow.parquet

    from gpiorig.capture.edges import arrow_table

    form = arrow_table.schema(waveform)
    increasing = {"sample": "DELTA_BINARY_PACKED", "time_ns": "DELTA_BINARY_PACKED"}
    settings = {"compression": "zstd", "use_dictionary": False, "column_encoding": increasing}
    with replacing(path) as new, pyarrow.parquet.ParquetWriter(new, form, **settings) as file:
        for batch in arrow_table.batches(waveform):
            file.write_batch(batch)
    return arrow_table.rounding(waveform)
