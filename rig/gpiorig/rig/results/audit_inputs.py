"""What an audit needs, gathered from a recording: lines at the host, as IoT-LAB would log them, and on the pins."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.audit.inputs import HostLines, NodeRecord, pin_lines
from gpiorig.analysis.audit.matching import NONE, same_text
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.serial import aggregator
from gpiorig.capture.serial.record import RecordFile, SerialRecord
from gpiorig.rig.recordings import serial_pins
from gpiorig.rig.recordings.opened import Opened

# What its thread takes to wake up, to receive, and to print a line: the first two are assumptions about an ordinary PC,
# as in `VirtualSerial` of vbench.description.ends; the third is what `aggregator.measure_line_ns` found on the machine
# this was written on, without a terminal, rounded up. Measured again for each audit, equal recordings would not give
# equal tables.
COSTS = aggregator.Costs(wake_ns=20_000, read_ns=10_000, line_ns=10_000)


def node_records(opened: Opened, logs: Mapping[str, NodeLog]) -> list[NodeRecord] | None:
    """What each node and the host logged, and what the pins show of it; None if no serial port was recorded.

    Parameters
    ----------
    opened
        Read for its serial records and, where the analyzer is on ``uart_tx``, once for each such line.
    logs
        By node, parsed from all that its port gave.
    """
    recording = opened.recording
    if not recording.nodes:
        return None
    printed = _aggregated(recording)
    wired = serial_pins.nodes(recording)
    records = []
    for node, log in logs.items():
        host = _host_lines(recording, node, printed) if node in recording.nodes else None
        pins = (
            pin_lines(serial_pins.lines(recording, node, baudrate=opened.known_bench.nodes[node].bits_per_second))
            if node in wired
            else None
        )
        records.append(NodeRecord(log, host, pins, _reference(opened)))
    return records


def _reference(opened: Opened) -> str:
    """The name of the clock that all others are compared with."""
    return f"analyzer {', '.join(opened.known_bench.analyzers)}"


def _host_lines(recording: Recording, node: str, printed: Mapping[str, list[aggregator.Printed]]) -> HostLines:
    record = recording.serial(node)
    lines = record.lines()
    virtual = recording.info.serial_clock == "virtual"
    lines_of_node = printed.get(node, [])
    at = same_text(lines.texts, [line.text for line in lines_of_node])
    stamps_ns = np.array([line.stamp_ns for line in lines_of_node] or [NONE], dtype=np.int64)
    # The replay is on the wall clock where there is one: the delay to our timestamp is the same on the monotonic clock.
    late_ns = stamps_ns[at] - (lines.stamps_ns if virtual else lines.wall_ns)
    return HostLines(
        timestamps_ns=lines.stamps_ns,
        first_ns=_first_reads(record),
        aggregator_ns=np.where(at == NONE, NONE, lines.stamps_ns + late_ns),
        texts=lines.texts,
        same_zero=virtual,
    )


def _first_reads(record: SerialRecord) -> NDArray[np.int64]:
    """int64[h]: end of the read that brought the first byte of each line."""
    ends = np.flatnonzero(np.frombuffer(record.data, np.uint8) == ord("\n"))
    starts = np.concatenate([[0], ends + 1])[:-1].astype(np.int64)
    first_reads_ns: NDArray[np.int64] = record.stamps_ns[np.searchsorted(record.ends, starts, side="right")]
    return first_reads_ns


def _aggregated(recording: Recording) -> dict[str, list[aggregator.Printed]]:
    """The lines of each node as IoT-LAB's serial_aggregator would have logged all of them."""
    files = {node: RecordFile(recording.serial_path(node)) for node in recording.nodes}
    printed_by: dict[str, list[aggregator.Printed]] = {node: [] for node in files}
    epoch_ns = 0 if recording.info.serial_clock == "virtual" else None
    try:
        entries = {node: file.read() for node, file in files.items()}
        for line in aggregator.replay(entries, COSTS, virtual_epoch_ns=epoch_ns):
            printed_by[line.node].append(line)
    finally:
        for file in files.values():
            file.close()
    return printed_by
