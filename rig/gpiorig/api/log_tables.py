"""Logs and packet captures: their lines, the delays in them, the clocks that they show."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa

from gpiorig.analysis import columns
from gpiorig.analysis.clocks import node_json
from gpiorig.analysis.columns import COUNT, NUMBER, TEXT
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.api.delays import Delays
from gpiorig.api.tabular import timed
from gpiorig.capture.frames.frames import Frames
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import clock_fits, frame_delays, latencies, log_lines
from gpiorig.rig.plain_json import plain
from gpiorig.rig.recordings import standing

ALL = slice(None)
_CLOCKS: columns.Schema = {
    "node": (TEXT, lambda row: row[0]),
    "reference": (TEXT, lambda row: row[1].reference),
    "boot_period": (COUNT, lambda row: row[2]),
    "n": (COUNT, lambda row: row[3].n),
    "start_s": (NUMBER, lambda row: row[3].start_s),
    "end_s": (NUMBER, lambda row: row[3].end_s),
    "ppm": (NUMBER, lambda row: row[3].ppm),
    "ppm_low": (NUMBER, lambda row: row[3].ppm_interval and row[3].ppm_interval[0]),
    "ppm_high": (NUMBER, lambda row: row[3].ppm_interval and row[3].ppm_interval[1]),
    "offset_s": (NUMBER, lambda row: row[3].offset_s),
    "residual_std_s": (NUMBER, lambda row: row[3].residual_std_s),
    "outliers": (COUNT, lambda row: row[3].outliers),
    "tick_hz": (NUMBER, lambda row: row[1].tick_hz),
    "note": (TEXT, lambda row: row[3].note or row[1].note),
}


def lines(path: Path, reading: argparse.Namespace) -> pa.Table:
    """The lines: `time_ns` (null where the log gives none), `node`, `text`, `time_s`."""
    content, _, _ = log_lines.read(path, reading, own_time=False)
    rows = [(line.stamp_ns, line.node, line.text) for line in content]
    stamps, nodes, texts = zip(*rows, strict=True) if rows else ((), (), ())
    table = columns.table(
        {
            "time_ns": columns.nullable(np.array(stamps, dtype=np.int64)),
            "node": pa.array(nodes, TEXT),
            "text": pa.array(texts, TEXT),
        }
    )
    return timed(table, Fraction(1))


def latency(options: argparse.Namespace) -> Delays:
    """Delays as `gpiorig latency` finds them; `options` are those of the command."""
    if options.value is None and (captures := frame_delays.captures(options)):
        return _of_frames(options, captures)
    if options.value is None and not (options.request and options.response):
        raise RigError("give request and response, or value; only packet captures need neither.")
    if options.value is not None and (options.request or options.response):
        raise RigError("value finds complete delays; omit request and response.")
    delays = latencies.of_pairs(options) if options.value is None else latencies.of_values(options)
    numbers = delays.of_logs(options.logs, as_json=True)
    return Delays(
        name=options.value or f"{options.request} to {options.response}",
        table=timed(delays.results.table(ALL), Fraction(NS_PER_S)),
        numbers=plain(numbers),
        series={node or "log": values for node, values in delays.results.delays.by_node().items()},
        unit_hz=Fraction(NS_PER_S),
        virtual=bool(numbers.virtual),
    )


def _of_frames(options: argparse.Namespace, captures: Mapping[str, Frames]) -> Delays:
    views, ways = frame_delays.measured(options, captures)
    numbers = standing.all_announced(options.logs, as_json=True)
    numbers |= frame_delays.numbers(views, ways, several=len(captures) > 1)
    return Delays(
        name="frames",
        table=timed(frame_delays.table(views, ways), Fraction(NS_PER_S)),
        numbers=plain(numbers),
        series=frame_delays.by_name(views, ways),
        unit_hz=Fraction(NS_PER_S),
        virtual=False,
    )


def clocks(options: argparse.Namespace) -> pa.Table:
    """Clocks as `gpiorig clocks` fits them: a row for each boot period; `options` are those of the command."""
    _, fitted = clock_fits.fitted(options)
    nodes = {name: node_json.of_clock(clock) for name, clock in fitted.items()}
    rows = [
        (name, clock, number, period)
        for name, clock in nodes.items()
        for number, period in enumerate(clock.boot_periods)
    ]
    return columns.of_rows(rows, _CLOCKS)
