"""Many serial ports at once, ports that come and go, and ports over TCP."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tty
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest
from patience import PATIENCE_S, wait_until

from gpiorig.capture.errors import SerialPortError
from gpiorig.capture.serial.port import SerialPort
from gpiorig.capture.serial.reader import SerialReader
from gpiorig.capture.serial.record import Entry, Kind, SerialRecord, read_record

BAUDRATE = 500_000
PORTS = 32
SENT = 75_000  # bytes by each port, 1.5 s of its line

# Half of the ports are ptys, half TCP servers. Each sends at the rate of its line; what the kernel does not take waits.
NODES = f"""
import os, selectors, socket, sys, time, tty
masters, servers = [], []
for number in range({PORTS} // 2):
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    masters.append((master, slave))
    servers.append(socket.create_server(("127.0.0.1", 0)))
print(*[os.ttyname(slave) for _, slave in masters], *[server.getsockname()[1] for server in servers], flush=True)
peers = [server.accept()[0] for server in servers]
for peer in peers:
    peer.setblocking(False)
ends = [lambda data, master=master: os.write(master, data) for master, _ in masters] + [peer.send for peer in peers]
sys.stdin.readline()
text = b"".join(b"%07d " % at for at in range({SENT} // 8))
sent = [0] * {PORTS}
start = time.monotonic()
while min(sent) < len(text):
    due = int((time.monotonic() - start) * {BAUDRATE} / 10)
    for number, write in enumerate(ends):
        try:
            sent[number] += write(text[sent[number] : due])
        except BlockingIOError:
            continue
    time.sleep(0.002)
sys.stdin.readline()
"""


def counted(record: SerialRecord) -> dict[str, int]:
    (text,) = (event.text for event in record.events if event.kind is Kind.COUNTED)
    counts: dict[str, int] = json.loads(text)
    return counts


@pytest.mark.slow
def test_no_byte_is_lost_on_32_ports_of_500_kbaud(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", NODES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as nodes:
        assert nodes.stdin
        assert nodes.stdout
        ends = nodes.stdout.readline().split()
        devices = [end if end.startswith("/") else f"socket://127.0.0.1:{end}" for end in ends]
        assert PORTS == len(devices)
        with SerialReader() as reader:
            ports = [
                SerialPort(f"n{number}", device, baudrate=BAUDRATE, record=tmp_path / f"{number}.rec", reader=reader)
                for number, device in enumerate(devices)
            ]
            nodes.stdin.write("go\n")
            nodes.stdin.flush()
            wait_until(lambda: [SENT] * PORTS == [port.counts.bytes for port in ports])
            for port in ports:
                port.close()
        nodes.stdin.write("stop\n")
    for number in range(PORTS):
        record = read_record(tmp_path / f"{number}.rec", clock="host")

        assert b"".join(b"%07d " % at for at in range(SENT // 8)) == record.data
        assert sorted(record.stamps_ns.tolist()) == record.stamps_ns.tolist()
        assert (SENT, len(record.stamps_ns), 0) == tuple(counted(record)[name] for name in ("bytes", "reads", "losses"))


class Cable:
    """A name that leads to a pty, or to none."""

    def __init__(self, name: Path) -> None:
        self.name, self.master = name, -1

    def plug(self) -> None:
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.name.symlink_to(os.ttyname(slave))
        os.close(slave)

    def pull(self) -> None:
        self.name.unlink()
        os.close(self.master)
        self.master = -1

    def send(self, data: bytes) -> None:
        assert len(data) == os.write(self.master, data)


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[Cable]:
    cable = Cable(tmp_path / "tty")
    cable.plug()
    yield cable
    if cable.master >= 0:
        os.close(cable.master)


def test_a_port_that_comes_back_is_recorded_on(tmp_path: Path, cable: Cable) -> None:
    """The loss is an event of the record, and no line is put together across it."""
    path = tmp_path / "node.rec"
    with SerialPort("node", str(cable.name), baudrate=BAUDRATE, record=path, reconnect=True) as port:
        cable.send(b"one\nhalf a li")
        wait_until(lambda: port.counts.bytes == 13)
        cable.pull()
        wait_until(lambda: port.counts.losses == 1)
        with pytest.raises(SerialPortError, match="the port is gone"):
            port.write_line("identify")
        cable.plug()
        wait_until(lambda: port.fileno() >= 0)
        cable.send(b"ne\nboot\n")
        assert "boot" == port.wait_line(lambda text: text == "boot", deadline_s=PATIENCE_S).text
    record = read_record(path, clock="host")
    opened, lost, opened_again, count = record.events

    assert [Kind.OPENED, Kind.LOST, Kind.OPENED, Kind.COUNTED] == [event.kind for event in record.events]
    assert [0, 13, 13, 21] == [event.at for event in record.events]
    assert opened.stamp_ns < lost.stamp_ns < opened_again.stamp_ns < count.stamp_ns
    assert (13,) == record.losses
    assert ("one", "ne", "boot") == record.lines().texts


def test_how_a_port_is_set_stands_in_its_record(tmp_path: Path, cable: Cable) -> None:
    """A pty has no low-latency mode and no latency timer; the record has that."""
    with SerialPort("node", str(cable.name), baudrate=BAUDRATE, record=tmp_path / "node.rec"):
        pass
    opened = read_record(tmp_path / "node.rec", clock="host").events[0]

    assert {
        "port": str(cable.name),
        "baudrate": BAUDRATE,
        "low_latency": False,
        "latency_timer_ms": None,
        "driver": None,
    } == json.loads(opened.text)


def test_a_port_behind_tcp_is_recorded_and_talked_to(tmp_path: Path) -> None:
    news: SimpleQueue[tuple[str, Entry]] = SimpleQueue()
    path = tmp_path / "m3-1.rec"
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        with SerialPort("m3-1", url, baudrate=BAUDRATE, record=path, reconnect=True, news=news) as port:
            peer, _ = server.accept()
            peer.sendall(b"ready\n")
            port.wait_line(lambda text: text == "ready", deadline_s=PATIENCE_S)
            port.write_line("identify")
            assert b"identify\n" == peer.recv(100)
            peer.close()
            peer, _ = server.accept()
            peer.sendall(b"again\n")
            port.wait_line(lambda text: text == "again", deadline_s=PATIENCE_S)
            peer.close()
    record = read_record(path, clock="host")

    assert ("ready", "again") == record.lines().texts
    assert b"identify\n" == read_record(path, clock="host", kind=Kind.SENT).data
    assert url == json.loads(record.events[0].text)["port"]
    assert [Kind.OPENED, Kind.RECEIVED, Kind.SENT, Kind.LOST] == [news.get()[1].kind for _ in range(4)]


@pytest.mark.parametrize(
    ("port", "message"),
    [
        ("socket://127.0.0.1:1", "no connection: .*; check host and port"),
        ("socket://", "names no host"),
        ("socket://m3-1:port", "is not an address"),
        ("rfc2217://host:1", "rfc2217:// is not a kind of port"),
    ],
)
def test_a_port_that_cannot_be_opened_is_an_error(tmp_path: Path, port: str, message: str) -> None:
    with pytest.raises(SerialPortError, match=message):
        SerialPort("node", port, baudrate=BAUDRATE, record=tmp_path / "x.rec")
