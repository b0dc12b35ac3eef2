"""The serial recorder with the real pyserial, over pseudo terminals."""

from __future__ import annotations

import errno
import os
import struct
import time
import tracemalloc
import tty
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import PATIENCE_S

from gpiorig.capture.deadline import Deadline
from gpiorig.capture.errors import FormatError, RecordingError, SerialPortError
from gpiorig.capture.serial.line_inbox import Line, LineInbox
from gpiorig.capture.serial.port import SerialPort
from gpiorig.capture.serial.record import Entry, Kind, read_record
from gpiorig.capture.serial.record_queue import RecordQueue
from gpiorig.capture.serial.record_writer import SerialWriter

BAUDRATE = 500_000


class Pty:
    """A node at the far end of a pseudo terminal."""

    def __init__(self) -> None:
        self.master, slave = os.openpty()
        tty.setraw(self.master)
        self.device = os.ttyname(slave)
        os.close(slave)

    def send(self, data: bytes) -> None:
        assert len(data) == os.write(self.master, data)

    def receive(self, size: int) -> bytes:
        return os.read(self.master, size)

    def close(self) -> None:
        if self.master >= 0:
            os.close(self.master)
            self.master = -1


@pytest.fixture
def pty() -> Iterator[Pty]:
    pty = Pty()
    yield pty
    pty.close()


def open_port(pty: Pty, folder: Path, **options: Path) -> SerialPort:
    return SerialPort("initiator", pty.device, baudrate=BAUDRATE, record=folder / "initiator.rec", **options)


def test_what_a_node_sends_is_recorded_with_its_time(tmp_path: Path, pty: Pty) -> None:
    before_ns, before_wall_ns = time.monotonic_ns(), time.time_ns()
    with open_port(pty, tmp_path) as port:
        pty.send(b"boot board=iotlab-m3\r\nrea")
        assert (
            "boot board=iotlab-m3" == port.wait_line(lambda text: text.startswith("boot"), deadline_s=PATIENCE_S).text
        )
        pty.send(b"dy\npart")
        ready = port.wait_line(lambda text: text == "ready", deadline_s=PATIENCE_S)
    after_ns = time.monotonic_ns()
    record = read_record(tmp_path / "initiator.rec", clock="host")
    lines = record.lines()

    assert b"boot board=iotlab-m3\r\nready\npart" == record.data
    assert ("boot board=iotlab-m3", "ready") == lines.texts
    assert ready.stamp_ns == lines.stamps_ns[1]
    assert before_ns <= lines.stamps_ns[0] < lines.stamps_ns[1] <= after_ns
    assert before_wall_ns <= lines.wall_ns[0]
    assert ("host", "") == (lines.clock, record.torn)


def test_a_command_is_sent_and_recorded(tmp_path: Path, pty: Pty) -> None:
    with open_port(pty, tmp_path) as port:
        port.write_line("identify")
        assert b"identify\n" == pty.receive(100)
        pty.send(b"noise\nok identify board=iotlab-m3\n")
        answer = port.wait_line(lambda text: text.startswith(("ok ", "error ")), deadline_s=PATIENCE_S)
    path = tmp_path / "initiator.rec"

    assert "ok identify board=iotlab-m3" == answer.text
    assert b"identify\n" == read_record(path, clock="host", kind=Kind.SENT).data
    assert ("noise", answer.text) == read_record(path, clock="host").lines().texts


def test_virtual_stamps_replace_the_time_of_the_host(tmp_path: Path, pty: Pty) -> None:
    """The bench's chunks keep their own timestamps, also when one read returns several of them."""
    stamps = tmp_path / "stamps"
    stamps.write_bytes(struct.pack("<QI", 1, 999))  # of bytes sent before the port was opened
    with open_port(pty, tmp_path, stamps=stamps) as port, stamps.open("ab", buffering=0) as bench:
        bench.write(struct.pack("<QI", 1000, 4) + struct.pack("<QI", 2000, 3) + struct.pack("<QI", 2500, 0))
        pty.send(b"one\ntw")
        assert 1000 == port.wait_line(lambda text: text == "one", deadline_s=PATIENCE_S).stamp_ns
        pty.send(b"o")
        bench.write(struct.pack("<QI", 3000, 1))
        pty.send(b"\n")
        assert 3000 == port.wait_line(lambda text: text == "two", deadline_s=PATIENCE_S).stamp_ns
    record = read_record(tmp_path / "initiator.rec", clock="virtual")

    assert b"one\ntwo\n" == record.data
    assert [1000, 3000] == record.lines().stamps_ns.tolist()


def test_a_slow_bench_has_its_own_seconds(tmp_path: Path, pty: Pty) -> None:
    """A deadline of 0.2 s holds for a node that answers after 0.6 s of the host's, which are 0.06 s of the bench's."""
    stamps = tmp_path / "stamps"
    stamps.touch()

    def bench() -> None:
        with stamps.open("ab", buffering=0) as file:
            for tick in range(1, 7):
                time.sleep(0.1)
                file.write(struct.pack("<QI", tick * 10_000_000, 0))
            file.write(struct.pack("<QI", 61_000_000, 6))
            pty.send(b"ready\n")

    with open_port(pty, tmp_path, stamps=stamps) as port, ThreadPoolExecutor() as pool:
        running = pool.submit(bench)
        assert "ready" == port.wait_line(lambda text: text == "ready", deadline_s=0.2).text
        running.result()


def test_bytes_without_a_virtual_stamp_are_an_error(tmp_path: Path, pty: Pty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpiorig.capture.serial.virtual_stamps.STAMP_DEADLINE_S", 0.1)
    stamps = tmp_path / "stamps"
    stamps.touch()
    with open_port(pty, tmp_path, stamps=stamps) as port:
        pty.send(b"ready\n")
        with pytest.raises(SerialPortError, match="stamps: bytes came without a virtual timestamp"):
            port.wait_line(lambda text: True, deadline_s=PATIENCE_S)


def test_a_node_that_does_not_answer_is_an_error(tmp_path: Path, pty: Pty) -> None:
    with open_port(pty, tmp_path) as port:
        pty.send(b"garbage\n")
        with pytest.raises(
            SerialPortError, match=r"initiator has not sent the expected line within 0\.3 s \(last: 'garbage'\)"
        ):
            port.wait_line(lambda text: text == "ready", deadline_s=0.3)


def test_a_port_that_is_unplugged_is_an_error(tmp_path: Path, pty: Pty) -> None:
    with open_port(pty, tmp_path) as port:
        pty.send(b"ready\n")
        port.wait_line(lambda text: text == "ready", deadline_s=PATIENCE_S)
        pty.close()
        with pytest.raises(SerialPortError, match="the port is gone"):
            port.wait_line(lambda text: True, deadline_s=PATIENCE_S)
        with pytest.raises(SerialPortError, match="the port is gone"):
            port.write_line("identify")

    assert ("ready",) == read_record(tmp_path / "initiator.rec", clock="host").lines().texts


def test_a_port_in_use_is_an_error(tmp_path: Path, pty: Pty) -> None:
    with (
        open_port(pty, tmp_path),
        pytest.raises(SerialPortError, match=f"{pty.device}: the port is in use by another program"),
    ):
        SerialPort("other", pty.device, baudrate=BAUDRATE, record=tmp_path / "other.rec")
    with SerialPort("other", pty.device, baudrate=BAUDRATE, record=tmp_path / "other.rec"):
        pass


def test_a_missing_port_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SerialPortError, match="there is no such port"):
        SerialPort("initiator", "/dev/ttyNONE0", baudrate=BAUDRATE, record=tmp_path / "x.rec")


def test_a_file_is_no_port(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SerialPortError, match="cannot be opened at 500000 baud"):
        SerialPort("initiator", str(tmp_path / "file"), baudrate=BAUDRATE, record=tmp_path / "x.rec")


def test_a_record_is_not_overwritten(tmp_path: Path, pty: Pty) -> None:
    (tmp_path / "initiator.rec").touch()
    with pytest.raises(RecordingError, match="was recorded already"):
        open_port(pty, tmp_path)


def test_a_pty_has_no_latency_timer(tmp_path: Path, pty: Pty) -> None:
    with open_port(pty, tmp_path) as port:
        assert port.latency_timer_ms is None


@given(reads=st.lists(st.binary(max_size=12), max_size=12))
def test_lines_do_not_depend_on_how_reads_cut_them(
    tmp_path_factory: pytest.TempPathFactory, reads: list[bytes]
) -> None:
    """Each line carries the timestamp of the read in which its newline came."""
    path = tmp_path_factory.mktemp("record") / "x.rec"
    writer = SerialWriter(path)
    expected = []
    rest = b""
    for stamp, data in enumerate(reads):
        writer.append(data, stamp_ns=stamp, wall_ns=-stamp)
        *lines, rest = (rest + data).split(b"\n")
        expected += [(stamp, line.rstrip(b"\r").decode(errors="replace")) for line in lines]
    writer.close()
    record = read_record(path, clock="host")
    lines_found = record.lines()

    assert b"".join(reads) == record.data
    assert expected == list(zip(lines_found.stamps_ns.tolist(), lines_found.texts, strict=True))


def test_a_record_that_was_cut_short_keeps_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "x.rec"
    writer = SerialWriter(path)
    for number in range(3):
        writer.append(b"line %d\n" % number, stamp_ns=number, wall_ns=0)
    writer.close()
    content = path.read_bytes()
    for size in range(len(content)):
        path.write_bytes(content[:size])
        record = read_record(path, clock="host")

        assert b"line 0\nline 1\nline 2\n"[: len(record.data)] == record.data
        assert (size < 16 or (size - 16) % 39 != 0) == bool(record.torn)


def test_a_full_disk_leaves_complete_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a record is taken back; what follows is dropped, also when there is room again: one would be missing."""
    path, write = tmp_path / "node.rec", os.write
    queue = RecordQueue(path)

    def full(file: int, data: bytes) -> int:
        if os.fstat(file).st_ino != path.stat().st_ino:
            return write(file, data)
        if len(data) < 30:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, data[:30])

    queue.append(Entry(1, 1, Kind.RECEIVED, b"flushed"))
    queue.write_out(sync=False)
    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space left"):
        patched.setattr(os, "write", full)
        queue.append(Entry(2, 2, Kind.RECEIVED, b"lost"))
        queue.write_out(sync=False)
    queue.append(Entry(3, 3, Kind.COUNTED, b"{}"))
    queue.write_out(sync=True)
    queue.close()
    record = read_record(path, clock="host")

    assert (b"flushed", "", ()) == (record.data, record.torn, record.events)


def test_lines_that_no_program_waits_for_take_constant_memory() -> None:
    """A recording of a week has many of them, on each port; the latest ones can be waited for."""
    inbox = LineInbox()
    tracemalloc.start()
    inbox.put(Line(number, f"packet seq={number:08} tx_us=000000000000 status=ok") for number in range(50_000))
    memory_bytes = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    line, _ = inbox.wait(lambda text: "seq=00049000" in text, Deadline(0.0))

    assert memory_bytes < 1 << 20
    assert line is not None


def test_a_damaged_record_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "x.rec"
    writer = SerialWriter(path)
    writer.append(b"first\n", stamp_ns=1, wall_ns=2)
    writer.append(b"second\n", stamp_ns=1, wall_ns=2)
    writer.close()
    data = bytearray(path.read_bytes())
    data[20] ^= 1
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"x\.rec, offset 16: a record does not match its checksum"):
        read_record(path, clock="host")


def test_a_record_that_is_missing_is_noticed(tmp_path: Path) -> None:
    """Entire records are cut out: the number of the next one does not fit."""
    path = tmp_path / "x.rec"
    writer = SerialWriter(path)
    for number in range(4):
        writer.append(b"line %d\n" % number, stamp_ns=number, wall_ns=0)
    writer.close()
    content = path.read_bytes()
    path.write_bytes(content[: 16 + 39] + content[16 + 3 * 39 :])
    with pytest.raises(FormatError, match=r"x\.rec, offset 55: record 4 is where record 2 should be"):
        read_record(path, clock="host")


def test_another_file_is_no_serial_record(tmp_path: Path) -> None:
    (tmp_path / "x.rec").write_bytes(b"boot board=iotlab-m3\n")
    with pytest.raises(FormatError, match="is not a serial record"):
        read_record(tmp_path / "x.rec", clock="host")
