"""FlockLab's `powerprofiling.csv`: current and voltage of all nodes of a test.

    timestamp,observer_id,node_id,current_mA,voltage_V

The header of version 2 is that of flocklab_fetcher.py (ETHZ-TEC/FlockLab2-Server), that of version 1, whose lines begin
with "# " and end with `value_mA` without a voltage, that of users' scripts (MBradbury/slp, data/testbed/flocklab.py).
Timestamps are seconds since 1970; its recorder is a RocketLogger. Results of others have the header of version 1
(pockemon/Analysis-of-CoAP-using-FlockLab, tests 64520 and 64521), without rows: none were to be had.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from gpiorig.capture.errors import FormatError
from gpiorig.capture.power.channels import Named, voltage
from gpiorig.capture.power.instruments import ROCKETLOGGER
from gpiorig.capture.power.trace import Floats, PowerBlock, PowerTrace
from gpiorig.capture.text.table_head import table_head

HEADER = re.compile(rb"(# ?)?timestamp,observer_id,node_id,(current_mA,voltage_V|value_mA)\s*$", re.M)
TIME, NODE, CURRENT, VOLTAGE = "timestamp", "node", "current", "voltage"
MILLI = 1e-3


def recognises(head: bytes) -> bool:
    """Whether a file has such a header."""
    return HEADER.match(head) is not None


def read(path: Path, named: Named) -> PowerTrace:
    """Read the power of one node; its samplerate is that of its first and its last timestamp."""
    match = HEADER.match(table_head(path))
    if match is None:
        raise FormatError("has no header of FlockLab's power profiling", where=path, remedy="give powerprofiling.csv")
    has_voltage = match[2] != b"value_mA"
    supply = 0.0 if has_voltage and not named.volts else voltage([], named, path)[1]
    node = named.node or _only_node(path, has_voltage)
    begin_s, rate = _scan(path, node, has_voltage)

    def read_blocks() -> Iterator[PowerBlock]:
        before_s, number = begin_s - 1 / float(rate), -1
        for times, amperes, volts in _rows(path, node, has_voltage):
            steps = np.rint(np.diff(times, prepend=before_s) * float(rate)).astype(np.int64)
            if (steps < 0).any():
                raise FormatError(f"has times of node {node} that go back", where=path, remedy="fetch it again")
            index = number + np.cumsum(np.maximum(steps, 1))  # rows whose times jitter are samples one after the other
            before_s, number = float(times[-1]), int(index[-1])
            parts = np.flatnonzero(np.diff(index) > 1) + 1
            supplies = np.full(len(index), supply) if supply else volts
            columns = (np.split(values, parts) for values in (index, supplies, amperes))
            for at, part_v, part_a in zip(*columns, strict=True):
                yield PowerBlock(int(at[0]), part_v, part_a)

    return PowerTrace(
        samplerate_hz=rate,
        read=read_blocks,
        instrument=ROCKETLOGGER,
        source=f"FlockLab power profile {path.name}, node {node}",
    )


def _scan(path: Path, node: str, has_voltage: bool) -> tuple[float, Fraction]:
    """First timestamp and samplerate of a node."""
    begin_s, end_s, count, steps = 0.0, 0.0, 0, np.empty(0)
    for times, _, _ in _rows(path, node, has_voltage):
        steps = np.diff(times) if not count else steps
        begin_s, end_s, count = (begin_s if count else float(times[0])), float(times[-1]), count + len(times)
    typical = float(np.median(steps)) if len(steps) else 0.0
    if typical <= 0:
        raise FormatError(
            f"has no two samples of node {node}", where=path, remedy="name a node that it has: node=NODE_ID"
        )
    return begin_s, Fraction(round((end_s - begin_s) / typical) / (end_s - begin_s))


def _only_node(path: Path, has_voltage: bool) -> str:
    nodes = {str(node) for batch in _batches(path, has_voltage) for node in batch.column(1).unique().to_pylist()}
    if len(nodes) > 1:
        raise FormatError(f"is of the nodes {', '.join(sorted(nodes))}", where=path, remedy="name one: node=NODE_ID")
    return nodes.pop() if nodes else ""


def _rows(path: Path, node: str, has_voltage: bool) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Times, currents and voltages of a node."""
    for batch in _batches(path, has_voltage):
        times, milliamperes = (np.asarray(batch.column(place)) for place in (0, 2))
        volts = np.asarray(batch.column(3)) if has_voltage else np.zeros(len(times))
        of_node = np.array([name == node for name in batch.column(1).to_pylist()], dtype=np.bool_)
        if of_node.any():
            yield times[of_node], milliamperes[of_node] * MILLI, volts[of_node]


def _batches(path: Path, has_voltage: bool) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow import csv

    names = [TIME, "observer", NODE, CURRENT, *[VOLTAGE] * has_voltage]
    types = {TIME: pa.float64(), NODE: pa.string(), CURRENT: pa.float64(), VOLTAGE: pa.float64()}
    used = [name for name in names if name in types]
    convert = csv.ConvertOptions(include_columns=used, column_types={name: types[name] for name in used})
    try:
        yield from csv.open_csv(
            path, read_options=csv.ReadOptions(column_names=names, skip_rows=1), convert_options=convert
        )
    except pa.ArrowException as error:
        raise FormatError(f"is damaged ({str(error)[:80]})", where=path, remedy="fetch it again") from error
