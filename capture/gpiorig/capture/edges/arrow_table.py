"""Edges as a table of Arrow: a row wherever a channel changed, a column for each channel.

Columns: `sample` (int64, exact), `time_ns` (int64, nearest ns), `known` (bool), then a bool for each channel: its
level from that sample on. A row that is not `known` begins an interval of which nothing is known: lost samples, up to
the next row, or, as the last row, the time after the capture. Samplerate, epoch, channels and units are in the schema's
metadata.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.capture.edges.nanoseconds import nearest_ns, rounding_text
from gpiorig.capture.edges.waveform import VIRTUAL_MARK, Block, Waveform, joined, stated
from gpiorig.capture.errors import FormatError

FORMAT = b"gpiorig edges 1"
NOTE = b"note"
ROWS = 1 << 18  # in one batch, at least: small ones cost room and time
FIXED = ("sample", "time_ns", "known")
UNITS = {"sample": "samples", "time_ns": "ns", "known": "bool", "channels": "level from this sample on"}


def schema(waveform: Waveform) -> pa.Schema:
    """The columns of a capture, and its metadata."""
    names = [name for name in waveform.channels if name]
    fields = [("sample", pa.int64()), ("time_ns", pa.int64()), ("known", pa.bool_())]
    fields += [(name, pa.bool_()) for name in names]
    metadata = {
        b"format": FORMAT,
        b"samplerate_hz": str(waveform.samplerate_hz).encode(),
        b"channels": json.dumps(names).encode(),
        b"epoch": waveform.epoch.encode(),
        **({NOTE: VIRTUAL_MARK.encode()} if waveform.virtual else {}),
        b"source": waveform.source.encode(errors="backslashreplace"),
        b"units": json.dumps(UNITS).encode(),
        b"rounding": rounding(waveform).encode(),
    }
    return pa.schema(fields, metadata=metadata)


def rounding(waveform: Waveform) -> str:
    """Rounding of the table, as text."""
    return f"samples are exact; {rounding_text(waveform.samplerate_hz)}"


def batches(waveform: Waveform) -> Iterator[pa.RecordBatch]:
    """The rows, in batches of `ROWS` or more, in memory that does not grow with the capture."""
    form = schema(waveform)
    bits = [bit for bit, name in enumerate(waveform.channels) if name]
    waiting: list[tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.bool_]]] = []
    rows, end = 0, 0
    for block in waveform.read():
        waiting.append(_rows(block))
        rows, end = rows + waiting[-1][0].size, block.end
        if rows >= ROWS:
            yield _batch(waiting, bits, waveform.samplerate_hz, form)
            waiting, rows = [], 0
    waiting.append((np.array([end]), np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=bool)))
    yield _batch(waiting, bits, waveform.samplerate_hz, form)


def _rows(block: Block) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.bool_]]:
    """Rows of a block, those that begin its gaps among them."""
    starts = block.gaps[:, 0]
    samples = np.concatenate([block.samples, starts])
    levels = np.concatenate([block.levels, np.zeros(starts.size, dtype=np.uint64)])
    known = np.arange(samples.size) < block.samples.size
    order = np.argsort(samples, kind="stable")
    return samples[order], levels[order], known[order]


def _batch(
    parts: list[tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.bool_]]],
    bits: list[int],
    samplerate_hz: Fraction,
    form: pa.Schema,
) -> pa.RecordBatch:
    samples, levels, known = (np.concatenate(column) for column in zip(*parts, strict=True))
    columns = [pa.array(samples), pa.array(nearest_ns(samples, samplerate_hz)), pa.array(known)]
    columns += [pa.array((levels >> np.uint64(bit) & np.uint64(1)).astype(bool)) for bit in bits]
    return pa.record_batch(columns, schema=form)


def read(path: Path, form: pa.Schema, tables: Callable[[], Iterator[pa.RecordBatch]]) -> Waveform:
    """Return the capture in a table, read batch by batch.

    Parameters
    ----------
    path
        The file of the table.
    form
        Its schema.
    tables
        Begins to read its batches each time it is called.

    Raises
    ------
    FormatError
        It is not a table of edges.
    """
    metadata = form.metadata or {}
    if metadata.get(b"format") != FORMAT:
        raise FormatError(
            "is a table, but not one of edges", where=path, remedy="give one that `gpiorig export` wrote of edges"
        )
    try:
        rate, names = Fraction(metadata[b"samplerate_hz"].decode()), tuple(json.loads(metadata[b"channels"]))
        epoch, columns = metadata[b"epoch"].decode(), tuple(form.names)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise FormatError(f"has metadata that cannot be ({error})", where=path, remedy="write it again") from error
    types = [pa.int64(), pa.int64(), *[pa.bool_()] * (1 + len(names))]
    if rate <= 0 or columns != FIXED + names or form.types != types:
        raise FormatError("has other columns than its metadata state", where=path, remedy="write it again")
    return Waveform(
        samplerate_hz=rate,
        channels=names,
        read=lambda: joined(_checked(path, tables)),
        epoch=epoch,
        virtual=stated(metadata.get(NOTE, b"").decode(errors="replace")),
        source=f"table of edges {path.name}",
    )


def _checked(path: Path, tables: Callable[[], Iterator[pa.RecordBatch]]) -> Iterator[Block]:
    try:
        yield from _blocks(path, tables())
    except (pa.ArrowException, OSError, ValueError, TypeError, MemoryError) as error:
        raise FormatError(f"is damaged ({error})", where=path, remedy="write it again") from error


def _blocks(path: Path, tables: Iterable[pa.RecordBatch]) -> Iterator[Block]:
    """The blocks; a row that is not known waits for the next one, which shows whether it begins a gap or is the end."""
    waiting: int | None = None
    latest = np.iinfo(np.int64).min
    for batch in tables:
        if any(column.null_count for column in batch.columns):
            raise ValueError("values are missing")
        samples, known = (batch.column(name).to_numpy(zero_copy_only=False) for name in ("sample", "known"))
        levels = np.zeros(samples.size, dtype=np.uint64)
        for bit, column in enumerate(batch.columns[len(FIXED) :]):
            levels |= column.to_numpy(zero_copy_only=False).astype(np.uint64) << np.uint64(bit)
        if waiting is not None:
            samples, known = np.concatenate([[waiting], samples]), np.concatenate([[False], known])
            levels = np.concatenate([np.zeros(1, dtype=np.uint64), levels])
        if not samples.size:
            continue
        if samples[0] <= latest or np.any(samples[1:] <= samples[:-1]):
            raise ValueError("samples do not increase")
        latest = samples[-1] - (not known[-1])  # a row that waits comes once more
        unknown = np.flatnonzero(~known[:-1])
        gaps = np.stack([samples[unknown], samples[unknown + 1]], axis=1)
        waiting = None if known[-1] else int(samples[-1])
        end = int(samples[-1]) + 1 if waiting is None else waiting
        yield Block(samples[known], levels[known], end, gaps)
    if waiting is None:
        raise FormatError("has no row that ends it", where=path, remedy="it was cut short: write it again")
