"""A week of the serial lines of 32 nodes at speed: writes a table into docs/evidence/unattended.md.

PYTHONPATH=tests/support:tools .venv/bin/python tests/studies/week.py [--share 0.1] [--lines-per-second 1] [--no-page]

A process with 32 ptys writes what the nodes print in a week, each line with its number, at the speed of the recorder.
Another one records them as `gpiorig run` and `gpiorig capture --bench` do, with `endpoints.serial_ports`. Its resident
memory and its open files are looked at meanwhile. Then number and sha256 of the bytes sent and stored are compared.
Prints JSON; status 1 if a byte differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
import tty
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from commandline import ROOT
from evidence import table, write_table

from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.serial.record import Kind, RecordFile
from gpiorig.rig.bench import benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.run import endpoints

PAGE = ROOT / "docs/evidence/unattended.md"
WEEK_S = 7 * 24 * 3600
PORTS = 32
LINE = b"packet seq=%010d tx_us=000000000000 rx_us=000000000000 status=ok\n"
LINE_BYTES = len(LINE % 0)
BLOCK_LINES = 1000  # the last three digits of a number go round in a block
LOOK_S = 0.5
QUIET_S = 3.0  # the record grows no more: all is written
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Look:
    """The recording process at a moment: bytes sent by then, resident memory in KiB, open files."""

    sent: int
    memory_kib: int
    files: int


class Sender:
    """What one node prints: lines with their numbers.

    Attributes
    ----------
    master, device
        Its end of a pty, and the name of the other one.
    left
        Bytes to be sent.
    sum
        sha256 of those that were sent.
    """

    def __init__(self, lines: int) -> None:
        self.master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self.master, False)
        self.device = os.ttyname(slave)
        self._slave = slave
        self.left, self.sum = lines * LINE_BYTES, hashlib.sha256()
        self._next, self._block = 0, memoryview(b"")

    def send(self) -> int:
        """Send as much as the pty takes; returns how much that was."""
        if not self._block:
            first, self._next = self._next, self._next + BLOCK_LINES
            lines = b"".join(LINE % number for number in range(first, self._next))
            self._block = memoryview(lines)[: self.left]
        try:
            written = os.write(self.master, self._block)
        except BlockingIOError:
            return 0
        self.sum.update(self._block[:written])
        self._block, self.left = self._block[written:], self.left - written
        return written

    def close(self) -> None:
        """Give the pty back."""
        os.close(self.master)
        os.close(self._slave)


def bench_of(devices: list[str]) -> Bench:
    """A bench with a node on each port."""
    text = 'name = "32 ports"\n'
    for analyzer in range(PORTS // 16):
        text += f'[analyzers.la{analyzer}]\ndriver = "demo"\nsamplerate_hz = 24_000_000\nsync = "D16"\n'
    for number, device in enumerate(devices):
        channel = f"la{number // 16}:D{number % 16}"
        text += f'[nodes.n{number}]\nboard = "iotlab-m3"\nserial = "{device}"\nlines.uart_tx = "{channel}"\n'
    return benches.loads(text)


def record(folder: Path, devices: list[str]) -> None:
    """Record ports until standard input ends."""
    bench = bench_of(devices)
    info = RecordingInfo(samplerate="1000000000/1", channels=(), epoch=Epoch(wall="", note=""), virtual=True)
    recording = Recording.create(folder, info)
    with endpoints.serial_ports(bench, endpoints.of_file(bench), recording):
        print("ready", flush=True)
        sys.stdin.read()
    recording.finish(unchecked="a test made it")


def look(process: int, sent: int) -> Look:
    """Look at the recording process."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    memory = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
    return Look(sent, memory, len(list(Path(f"/proc/{process}/fd").iterdir())))


def run(folder: Path, *, lines: int, settled: float = 0.1) -> dict[str, Any]:
    """Send and record this number of lines on each port; what came of it, for JSON. `settled` as of `drift`."""
    senders = [Sender(lines) for _ in range(PORTS)]
    command = [sys.executable, __file__, "--record", str(folder), *(sender.device for sender in senders)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as recorder:
        assert recorder.stdout is not None
        assert recorder.stdin is not None
        recorder.stdout.readline()
        began_s, looks = time.monotonic(), [look(recorder.pid, 0)]
        _send(senders, recorder.pid, looks)
        _await_quiet(folder)
        seconds = time.monotonic() - began_s - QUIET_S
        looks.append(look(recorder.pid, looks[-1].sent))
        recorder.stdin.close()
    stored = [_stored(Recording.open(folder).serial_path(f"n{number}")) for number in range(PORTS)]
    for sender in senders:
        sender.close()
    equal = [sender.sum.hexdigest() == digest for sender, (_, digest, _) in zip(senders, stored, strict=True)]
    return {
        "ports": PORTS,
        "bytes_sent_by_port": lines * LINE_BYTES,
        "bytes_sent": PORTS * lines * LINE_BYTES,
        "bytes_stored": sum(size for size, _, _ in stored),
        "ports_with_equal_sha256": sum(equal),
        "reads": sum(reads for _, _, reads in stored),
        "bytes_on_disk": sum(path.stat().st_size for path in folder.rglob("*.rec")),
        "seconds": round(seconds, 1),
        **drift(looks, settled=settled),
    }


def _send(senders: list[Sender], process: int, looks: list[Look]) -> None:
    """Send all, and look at the recording process now and then."""
    with selectors.DefaultSelector() as selector:
        for sender in senders:
            selector.register(sender.master, selectors.EVENT_WRITE, sender)
        sent, looked_s = 0, time.monotonic()
        while selector.get_map():
            for key, _ in selector.select(LOOK_S):
                sent += key.data.send()
                if not key.data.left:
                    selector.unregister(key.data.master)
            if time.monotonic() - looked_s > LOOK_S:
                looks.append(look(process, sent))
                looked_s = time.monotonic()
        looks.append(look(process, sent))


def _await_quiet(folder: Path) -> None:
    size, since_s = -1, time.monotonic()
    while time.monotonic() - since_s < QUIET_S:
        now = sum(path.stat().st_size for path in folder.rglob("*.rec"))
        if now != size:
            size, since_s = now, time.monotonic()
        time.sleep(0.05)


def _stored(path: Path) -> tuple[int, str, int]:
    """Number and sha256 of the bytes that a record holds, and the number of its reads."""
    size = reads = 0
    digest = hashlib.sha256()
    with RecordFile(path) as file:
        for entry in file.read():
            if entry.kind is Kind.RECEIVED:
                size, reads = size + len(entry.data), reads + 1
                digest.update(entry.data)
    return size, digest.hexdigest(), reads


def drift(looks: list[Look], *, settled: float) -> dict[str, Any]:
    """Memory and open files over the time, without the share of it until buffers and caches have `settled`."""
    later = looks[round(len(looks) * settled) :]
    sent = np.array([one.sent for one in later]) / later[-1].sent
    memory = np.array([one.memory_kib for one in later])
    tenth = max(len(later) // 10, 1)
    return {
        "looks": len(looks),
        "memory_first_mib": round(looks[0].memory_kib / 1024, 1),
        "memory_most_mib": round(max(one.memory_kib for one in looks) / 1024, 1),
        "memory_settled_mib": round(float(memory[:tenth].mean()) / 1024, 1),
        "memory_at_the_end_mib": round(float(memory[-tenth:].mean()) / 1024, 1),
        "memory_slope_mib": round(float(np.polyfit(sent, memory, 1)[0]) / 1024, 2),  # over all bytes
        "files_first": looks[0].files,
        "files_fewest": min(one.files for one in looks),
        "files_most": max(one.files for one in looks),
    }


def main() -> int:
    """A week, or a share of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, metavar="PART", help="of the week (1)")
    parser.add_argument("--lines-per-second", type=float, default=1.0, metavar="N", help="of each node (1)")
    parser.add_argument("--no-page", action="store_true", help="do not write the page")
    parser.add_argument("--record", nargs="+", metavar="WORD", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.record:
        record(Path(options.record[0]), options.record[1:])
        return 0
    lines = round(WEEK_S * options.share * options.lines_per_second)
    place = Path(tempfile.mkdtemp(prefix="week-"))
    try:
        result = {
            "share": options.share,
            "lines_per_second": options.lines_per_second,
            **run(place / "run", lines=lines),
        }
    finally:
        shutil.rmtree(place)
    print(json.dumps(result))
    text = table(["", "value"], [[name.replace("_", " "), value] for name, value in result.items()])
    print(text)
    if not options.no_page:
        write_table(PAGE, "week", text)
    return int(result["bytes_stored"] != result["bytes_sent"] or result["ports_with_equal_sha256"] != PORTS)


if __name__ == "__main__":
    sys.exit(main())
