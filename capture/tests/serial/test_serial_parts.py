"""Parts of the serial recorder at their limits: counts, timestamps that come in pieces, errors of a port."""

from __future__ import annotations

import errno
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gpiorig.capture.deadline import Deadline
from gpiorig.capture.errors import FormatError, SerialPortError
from gpiorig.capture.serial import link, port, record, virtual_stamps
from gpiorig.capture.serial.aggregator import READ_BYTES, Costs, addressed, measure_line_ns, replay
from gpiorig.capture.serial.counts import Counts
from gpiorig.capture.serial.port import FULL_BYTES, SerialPort
from gpiorig.capture.serial.port_link import PortLink
from gpiorig.capture.serial.record import Entry, Kind, read_record
from gpiorig.capture.serial.record_writer import SerialWriter
from gpiorig.capture.serial.virtual_stamps import STAMP, VirtualStamps


def part_of_a_port(**fields: Any) -> Any:
    """What a method of a port uses of it."""
    return SimpleNamespace(node="a", device="/dev/a", counts=Counts(), **fields)


@pytest.mark.parametrize(
    ("size", "waiting", "most", "late"),
    [(FULL_BYTES - 1, 500, FULL_BYTES - 1, 0), (FULL_BYTES, 500, FULL_BYTES + 500, 1), (FULL_BYTES, 0, FULL_BYTES, 1)],
)
def test_a_read_that_finds_a_full_buffer_is_late(size: int, waiting: int, most: int, late: int) -> None:
    """What still waits is asked only then."""
    entries: list[Entry] = []
    self = part_of_a_port(_stamps=None, _record=entries.append, _assembler=SimpleNamespace(feed=lambda entry: []))
    SerialPort._receive(self, bytes(size), 5, 6, SimpleNamespace(waiting=lambda: waiting))  # type: ignore[arg-type]

    assert (1, size, most, late) == (
        self.counts.reads,
        self.counts.bytes,
        self.counts.most_waiting_bytes,
        self.counts.late_reads,
    )
    assert [Entry(5, 6, Kind.RECEIVED, bytes(size))] == entries


def test_counts_of_the_driver_are_noted_where_they_change() -> None:
    """From none to zeros nothing is noted; a driver that stops counting does not take back what it counted."""
    answers = iter([{}, {"overrun": 0}, {"overrun": 2}, {"overrun": 2}, {"overrun": 3}, {}])
    self = part_of_a_port(_link=SimpleNamespace(errors=lambda: next(answers)))

    assert [False, False, True, False, True, False] == [SerialPort._count_errors(self) for _ in range(6)]
    assert {"overrun": 3} == self.counts.driver
    counting = SimpleNamespace(errors=lambda: {"overrun": 7, "frame": 1})
    opened = SimpleNamespace(link=counting, _errors_before={"overrun": 5})
    assert {"overrun": 2, "frame": 1} == PortLink.errors(opened)  # type: ignore[arg-type]


@pytest.mark.parametrize(("duration_s", "waits"), [(0.0, 0), (1.0, 2), (1.2, 3)])
def test_time_passes_on_the_clock_of_the_bench(duration_s: float, waits: int) -> None:
    """Half a second at each look; what is left is the longest wait."""
    clock_ns = 7 * 10**9
    asked: list[float] = []

    def wait(predicate: object, deadline: Deadline) -> None:
        nonlocal clock_ns
        asked.append(deadline.left_s())
        clock_ns += 500_000_000

    self = part_of_a_port(_stamps=SimpleNamespace(now_ns=lambda: clock_ns), _lines=SimpleNamespace(wait=wait))
    SerialPort.pass_time(self, duration_s)

    assert waits == len(asked)
    assert all(left_s <= min(port.LOOK_S, duration_s) for left_s in asked)


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (OSError(errno.EBUSY, "busy"), "the port is in use by another program; close the program that has it"),
        (OSError(errno.EAGAIN, "again"), "the port is in use by another program"),
        (OSError("Could not exclusively lock port"), "the port is in use by another program"),
        (OSError(errno.EIO, "I/O error"), "cannot be opened at 9600 baud: .*I/O error; check the bench file"),
        (OSError(errno.EACCES, "denied"), "no permission; add yourself to its group"),
    ],
)
def test_why_a_port_cannot_be_opened(error: OSError, problem: str) -> None:
    with pytest.raises(SerialPortError, match=f"^/dev/a: {problem}"):
        raise link._explain(error, "/dev/a", 9600)


def test_the_longest_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read; cut short at the end it is torn, and a longer one is damage."""
    monkeypatch.setattr(record, "MAX_BYTES", 8)
    path = tmp_path / "a.rec"
    writer = SerialWriter(path)
    for _ in range(2):
        writer.append(bytes(8), stamp_ns=1, wall_ns=1)
    writer.close()
    data = path.read_bytes()
    assert ([8, 16], "") == ((whole := read_record(path, clock="host")).ends.tolist(), whole.torn)
    path.write_bytes(data[:-3])
    torn = read_record(path, clock="host")
    assert ([8], f"{path}, offset {len(data) - (len(data) - len(record.MAGIC)) // 2}") == (
        torn.ends.tolist(),
        torn.torn,
    )
    monkeypatch.setattr(record, "MAX_BYTES", 7)
    with pytest.raises(FormatError, match="a record does not match its checksum"):
        read_record(path, clock="host")


def test_timestamps_of_a_bench_may_come_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of one that was there in part as the port was opened, and one that is written while it is waited for."""
    monkeypatch.setattr(virtual_stamps, "STAMP_DEADLINE_S", 1.0)
    path = tmp_path / "stamps"
    first, second, third = STAMP.pack(5, 2), STAMP.pack(7, 3), STAMP.pack(9, 1)
    path.write_bytes(first + second[:5])
    stamps = VirtualStamps(path)
    assert 5 == stamps.now_ns()

    def write() -> None:
        with path.open("ab") as file:
            for piece in (second[5:8], second[8:] + third):
                time.sleep(0.02)
                file.write(piece)
                file.flush()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert [(7, b"abc"), (9, b"d")] == stamps.split(b"abcd")
    finally:
        writer.join()
    assert (9, 9) == (stamps.last_ns, stamps.now_ns())
    monkeypatch.setattr(virtual_stamps, "STAMP_DEADLINE_S", 0.01)
    with pytest.raises(SerialPortError, match="bytes came without a virtual timestamp; the bench must write"):
        stamps.split(b"e")
    stamps.close()


@pytest.mark.parametrize("line", ["m3,x;a", "m3,1-x;a", ",1;a", "-1;a", "m3,;a", "a;b;c"])
def test_input_of_another_form_is_for_all(line: str) -> None:
    assert (("m3-1", "m3-2"), line) == addressed(line, ["m3-1", "m3-2"])


def test_a_read_ends_within_what_came_later() -> None:
    """Two pieces that wait are read together, up to the size of a read; what comes at that very instant, too."""
    parts = [b"x" * (READ_BYTES - 2) + b"\n", b"ab\ncd\n"]
    records = {"m3-1": [Entry(0, 1000, Kind.RECEIVED, data) for data in parts]}
    lines = list(replay(records, Costs(wake_ns=0, read_ns=10, line_ns=100)))

    assert ["x" * (READ_BYTES - 2), "ab", "cd"] == [line.text for line in lines]
    assert [1010, 1120, 1220] == [line.stamp_ns for line in lines]


@pytest.mark.parametrize(
    ("error", "why"), [(OSError(errno.EIO, "Input/output error"), "Input/output error"), (OSError("gone"), "gone")]
)
def test_why_a_port_was_lost(error: OSError, why: str) -> None:
    """As the operating system has it, or as the library; it is recorded and ends the lines."""
    notes, failures = list[tuple[Kind, bytes]](), list[SerialPortError]()
    self = part_of_a_port(
        _note=lambda kind, data: notes.append((kind, data)),
        _assembler=SimpleNamespace(feed=lambda entry: []),
        _reader=SimpleNamespace(leave=lambda port: None),
        _link=SimpleNamespace(drop=lambda: None),
        _lines=SimpleNamespace(fail=failures.append),
        _reconnect=False,
    )
    SerialPort._lose(self, error)

    assert ([(Kind.LOST, why.encode())], 1) == (notes, self.counts.losses)
    assert f"the port is gone: {why}" == failures[0].what


def test_what_a_printed_line_costs_is_a_fraction_of_a_second() -> None:
    assert 0 < measure_line_ns() < 10**8
