"""The current of Nordic's Power Profiler Kit II, of a session or its CSV export (`capture.formats.ppk2` has both).

Neither has the voltage: the supply's is given. Written by the documents; not tried on a file by others.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import ppk2
from gpiorig.capture.formats.ppk2 import ALL_LOW, CHUNK, LOST_CURRENT, SAMPLE, SESSION, TIME
from gpiorig.capture.power.channels import Named, known_parts, voltage
from gpiorig.capture.power.instruments import PPK2
from gpiorig.capture.power.trace import PowerBlock, PowerTrace

CURRENT = "Current(uA)"
MICRO = 1e-6


def read(path: Path, named: Named) -> PowerTrace:
    """Read the current; samples that were not received are lost."""
    _, volts = voltage([], named, path)
    with path.open("rb") as file:
        is_session = file.read(len(ppk2.ZIP_MAGIC)) == ppk2.ZIP_MAGIC
    columns = [] if is_session else ppk2.columns(path)
    if not is_session and not {TIME, CURRENT} <= set(columns):
        raise FormatError("lacks the timestamps or the current", where=path, remedy="export it with both")
    rate = ppk2.metadata(path)[0] if is_session else ppk2.rate_of_table(path)
    has_pins = is_session or bool({ppk2.TOGETHER, ppk2.CHANNELS[0]} & set(columns))
    return PowerTrace(
        samplerate_hz=rate,
        read=lambda: _session(path, volts) if is_session else _table(path, rate, volts),
        instrument=PPK2,
        pins=ppk2.read(path, ReadOptions()) if has_pins else None,
        source=f"PPK2 {'session' if is_session else 'export'} {path.name} at {volts:g} V",
    )


def _session(path: Path, volts: float) -> Iterator[PowerBlock]:
    at, rest = 0, b""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(SESSION) as file:
            while data := rest + file.read(CHUNK * SAMPLE.itemsize):
                count = len(data) // SAMPLE.itemsize
                if not count:
                    raise FormatError(f"ends within sample {at}", where=path, remedy="it is damaged: save it again")
                rows, rest = np.frombuffer(data, dtype=SAMPLE, count=count), data[count * SAMPLE.itemsize :]
                is_known = (rows["current"] != LOST_CURRENT) | (rows["bits"] != ALL_LOW)
                amperes = rows["current"].astype(np.float64) * MICRO
                yield from known_parts(at, np.full(count, volts), amperes, is_known)
                at += count
    except (*ppk2.UNREADABLE, *ppk2.UNREADABLE_TOO) as error:
        raise ppk2.damaged(path, error) from error


def _table(path: Path, rate: Fraction, volts: float) -> Iterator[PowerBlock]:
    import pyarrow as pa
    from pyarrow import csv

    types = {TIME: pa.float64(), CURRENT: pa.float64()}
    try:
        for batch in csv.open_csv(
            path, convert_options=csv.ConvertOptions(include_columns=[*types], column_types=types)
        ):
            index = np.rint(np.asarray(batch.column(0)) * (float(rate) / 1000)).astype(np.int64)
            amperes = np.asarray(batch.column(1)) * MICRO
            if (np.diff(index) <= 0).any():
                raise FormatError("has times that do not increase", where=path, remedy="export it again")
            parts = np.flatnonzero(np.diff(index) > 1) + 1
            for at, part in zip(np.split(index, parts), np.split(amperes, parts), strict=True):
                yield PowerBlock(int(at[0]), np.full(len(part), volts), part)
    except pa.ArrowException as error:
        raise ppk2.damaged(path, error) from error
