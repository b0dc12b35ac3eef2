"""Arrow IPC files (Feather version 2) of edges; `capture.edges.arrow_table` defines their columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.errors import FormatError

if TYPE_CHECKING:
    import pyarrow as pa

SUMMARY = "Arrow IPC table of edges"
SUFFIXES = (".arrow", ".feather")
MAGIC = b"ARROW1"  # arrow.apache.org, "Arrow Columnar Format", IPC file format


def read(path: Path, options: ReadOptions | None = None) -> Waveform:
    """Read a table that `write` wrote."""
    import pyarrow as pa  # here and below: slow to import, and this module is asked about every file

    from gpiorig.capture.edges import arrow_table

    try:
        with path.open("rb") as raw, pa.ipc.open_file(raw) as file:  # the library takes UTF-8 names only
            form = file.schema
    except (OSError, ValueError, pa.ArrowException) as error:
        raise FormatError(f"is not a readable Arrow file ({error})", where=path, remedy="write it again") from error
    return arrow_table.read(path, form, lambda: _batches(path))


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    with path.open("rb") as raw, pa.ipc.open_file(raw) as file:
        for number in range(file.num_record_batches):
            yield file.get_batch(number)


def write(path: Path, waveform: Waveform) -> str:
    """Write edges; the file is replaced in one step when it is complete. Returns what was rounded."""
    import pyarrow as pa

    from gpiorig.capture.edges import arrow_table

    form, options = arrow_table.schema(waveform), pa.ipc.IpcWriteOptions(compression="zstd")
    with (
        replacing(path) as new,
        pa.OSFile(str(new), "wb") as sink,
        pa.ipc.new_file(sink, form, options=options) as file,
    ):
        for batch in arrow_table.batches(waveform):
            file.write_batch(batch)
    return arrow_table.rounding(waveform)
