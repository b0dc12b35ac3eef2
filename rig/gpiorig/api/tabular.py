"""Results that are a table: Arrow, from which pandas and polars are made, and a short table in notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from gpiorig.capture.edges.nanoseconds import NS_PER_S, nearest_ns
from gpiorig.capture.text.writer import epoch_fraction
from gpiorig.rig.errors import RigError

ROWS, COLUMNS = 5, 12  # of the table in a notebook
SAMPLE, SECONDS, TIME = "sample", "s", "time"


class Tabular:
    """A result with a table, `table`; it is given to polars and others as it is (`polars.DataFrame(result)`)."""

    table: pa.Table

    def to_pandas(self) -> Any:
        """The table as a `pandas.DataFrame`.

        Raises
        ------
        Error
            pandas is not installed.
        """
        try:
            return self.table.to_pandas()
        except ModuleNotFoundError as error:
            raise RigError("to_pandas() needs pandas; run `pip install 'gpiorig[pandas]'`.") from error

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table by Arrow's PyCapsule interface."""
        return self.table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def _repr_html_(self) -> str:
        """The first rows, for a notebook."""
        return f"<p>{html.escape(repr(self))}</p>{rows_html(self.table)}"


def rows_html(table: pa.Table) -> str:
    """The first rows and columns of a table as HTML."""
    names = table.column_names[:COLUMNS]
    rows = table.slice(0, ROWS).select(names).to_pylist()
    more = [f"{table.num_rows - ROWS} more rows"] * (table.num_rows > ROWS)
    more += [f"{table.num_columns - COLUMNS} more columns"] * (table.num_columns > COLUMNS)
    head = _row("th", names)
    body = "".join(_row("td", (_text(row[name]) for name in names)) for row in rows)
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>" + f"<p>{', '.join(more)}</p>" * bool(more)


def _row(tag: str, cells: Any) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _text(value: object) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def timed(table: pa.Table, samplerate_hz: Fraction, epoch: str = "") -> pa.Table:
    """A table with its times in seconds, and its instants as dates where that of sample 0 is known, too.

    Parameters
    ----------
    table
        A column `NAME_ns` gets `NAME_s`; one `NAME_sample`, of instants, gets `NAME_s`, the seconds since sample 0, and
        `NAME_time`, of UTC in ns. `sample` gets `time_s` and `time`.
    samplerate_hz
        Of the samples.
    epoch
        As of `Waveform`.
    """
    for name, field, values in _times(table, samplerate_hz, epoch):
        if name not in table.column_names:
            table = table.append_column(pa.field(name, field), values)
    return table


def _times(table: pa.Table, samplerate_hz: Fraction, epoch: str) -> Iterator[tuple[str, pa.DataType, pa.Array]]:
    begin_ns = round(epoch_fraction(epoch) * NS_PER_S)
    for name in table.column_names:
        stem, _, unit = name.rpartition("_")
        values = table.column(name).combine_chunks()
        if unit == "ns" and stem:
            yield f"{stem}_{SECONDS}", pa.float64(), pa.array(_numbers(values) / NS_PER_S, from_pandas=True)
        elif unit == SAMPLE:
            seconds = _numbers(values) / float(samplerate_hz)
            yield f"{stem or TIME}_{SECONDS}", pa.float64(), pa.array(seconds, from_pandas=True)
            if epoch:
                yield f"{stem}_{TIME}".removeprefix("_"), *_dates(values, samplerate_hz, begin_ns)


def _numbers(values: pa.Array) -> np.ndarray[Any, np.dtype[np.float64]]:
    """float64, NaN for null."""
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _dates(values: pa.Array, samplerate_hz: Fraction, begin_ns: int) -> tuple[pa.DataType, pa.Array]:
    absent = np.asarray(values.is_null().to_numpy(zero_copy_only=False))
    samples = np.asarray(values.fill_null(0).to_numpy(zero_copy_only=False)).astype(np.int64)
    kind = pa.timestamp("ns", "UTC")
    return kind, pa.array(nearest_ns(samples, samplerate_hz) + begin_ns, mask=absent).cast(kind)
