"""What a recording costs on a Dask cluster: `python tests/speed/cluster.py`, for docs/evidence/testbed-scale.md.

Ten recordings of virtual boards are made, each with a seed; all others are hard links to their files. The scheduler and
its workers are processes of this machine, with TLS, and `gpiorig batch --scheduler` is the command of a user. For each
number of workers `--analysed` recordings are analysed. Then the batch of `--kept` recordings is repeated, of which all
results are there: what is left is the work of the command, of the scheduler, and of the network. Results are not kept
when gpiorig's files change meanwhile: leave them alone.

Processor time and the largest memory are those of each process (/proc), bytes those of the scheduler's connections as
the kernel counts them (`ss --info`), TLS included.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import directbench
from batchruns import PINGPONG, bench_text
from daskcluster import Cluster, certificates, cluster

from gpiorig.studies.batch import places
from gpiorig.studies.batch.work import ITEMS

RECORDED, PACKETS = 10, 50
COMMAND = (sys.executable, "-m", "gpiorig.rig.cli", "batch")
SAMPLE_S = 0.5
MIB, KIB_PER_MIB = 1 << 20, 1024
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Usage:
    """Of some processes: processor time, and the largest memory of one."""

    cpu_s: float
    peak_mib: float


@dataclass(frozen=True, slots=True)
class Measured:
    """One batch.

    Attributes
    ----------
    wall_s
        From the start of the command to its end.
    command, scheduler, workers
        What they used meanwhile.
    received, sent
        Bytes of the scheduler.
    """

    wall_s: float
    command: Usage
    scheduler: Usage
    workers: Usage
    received: int
    sent: int


def record(folder: Path, packets: int) -> None:
    """Record what all others are links to."""
    for number in range(RECORDED):
        directbench.record(folder / "made", bench_text(number + 1), PINGPONG.read_text(), packets=packets)
        (folder / "made" / "run").rename(folder / f"original{number}")
        shutil.rmtree(folder / "made")


def link(folder: Path, runs: Path, numbers: Sequence[int]) -> None:
    """Make recordings, with what is in the folders of the originals now."""
    for number in numbers:
        shutil.copytree(folder / f"original{number % RECORDED}", runs / f"run{number:05d}", copy_function=os.link)


def make_kept(folder: Path, runs: Path, out: Path, numbers: Sequence[int]) -> None:
    """State of recordings whose results came with the links that a batch has made them."""
    for number in numbers:
        original, run = folder / f"original{number % RECORDED}", runs / f"run{number:05d}"
        text = (folder / "out" / ITEMS / f"{places.name(str(original))}.json").read_text()
        item = out / ITEMS / f"{places.name(str(run))}.json"
        item.parent.mkdir(parents=True, exist_ok=True)
        item.write_text(text.replace(str(original), str(run)))


def batch(folder: Path, runs: Path, out: Path, *words: str, started: Cluster | None = None) -> Measured:
    """Run the command on a cluster, or on processes of this machine."""
    scheduler = ["--scheduler", started.address] if started else ["--workers", "1"]
    workers = started.workers if started else ()
    before = [used([pid]) for pid in ([started.scheduler] if started else [])]
    workers_before, bytes_before = used(workers), carried(started)
    start_s = time.perf_counter()
    process = subprocess.Popen(
        [*COMMAND, f"{runs}/*", "--no-report", "-o", out, "--json", *words, *scheduler],
        stdout=subprocess.PIPE,
        cwd=folder,
    )
    peak_mib, counts = 0.0, dict(bytes_before)
    while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
        peak_mib = max(peak_mib, used([process.pid]).peak_mib)
        counts |= carried(started)
        time.sleep(SAMPLE_S)
    wall_s = time.perf_counter() - start_s
    process.returncode = os.waitstatus_to_exitcode(ended[1])
    command = Usage(ended[2].ru_utime + ended[2].ru_stime, peak_mib)
    assert process.stdout is not None
    numbers = json.loads(process.stdout.read())
    assert numbers.get("failed") == 0, numbers
    assert numbers["done"] == len([*runs.iterdir()])
    assert numbers["kept"] == (0 if "--fresh" in words else numbers["done"])
    received, sent = (sum(row[place] for row in counts.values()) for place in (0, 1))
    received_before, sent_before = (sum(row[place] for row in bytes_before.values()) for place in (0, 1))
    after = used([started.scheduler]) if started else Usage(0, 0)
    workers_after = used(workers)
    return Measured(
        wall_s,
        command,
        Usage(after.cpu_s - sum(usage.cpu_s for usage in before), after.peak_mib),
        Usage(workers_after.cpu_s - workers_before.cpu_s, workers_after.peak_mib),
        received - received_before,
        sent - sent_before,
    )


def used(pids: Sequence[int]) -> Usage:
    """Processor time of processes so far; nothing of one that has ended."""
    cpu_s = peak_mib = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        cpu_s += (int(fields[11]) + int(fields[12])) / TICKS_PER_S  # utime, stime: proc(5)
        peak = re.search(r"VmHWM:\s*(\d+)", status)
        peak_mib = max(peak_mib, int(peak[1]) / KIB_PER_MIB if peak else 0.0)
    return Usage(cpu_s, peak_mib)


def carried(started: Cluster | None) -> dict[str, tuple[int, int]]:
    """Bytes received and sent by the scheduler, by connection."""
    if started is None:
        return {}
    port = started.address.rpartition(":")[2]
    printed = subprocess.run(
        ["ss", "--tcp", "--info", "--numeric", "--no-header", "--oneline", "sport", "=", f":{port}"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    rows = {}
    for line in printed.splitlines():
        received, sent = (re.search(rf"\b{name}:(\d+)", line) for name in ("bytes_received", "bytes_sent"))
        rows[line.split()[4]] = (int(received[1]) if received else 0, int(sent[1]) if sent else 0)
    return rows


def line(what: str, count: int, measured: Measured) -> str:
    """A row of the table: for each recording the processor time of the three in ms, and what the scheduler carried."""
    each_ms = [usage.cpu_s / count * 1e3 for usage in (measured.workers, measured.scheduler, measured.command)]
    peaks = [usage.peak_mib for usage in (measured.workers, measured.scheduler, measured.command)]
    return (
        f"| {what} | {count} | {measured.wall_s:.1f} | "
        + " | ".join(f"{value:.2f}" for value in each_ms)
        + f" | {measured.received / count / 1024:.2f} | {measured.sent / count / 1024:.2f} | "
        + " / ".join(f"{peak:.0f}" for peak in peaks)
        + " |"
    )


COLUMNS = ("batch", "recordings", "wall, s", "worker", "scheduler", "command", "KiB received", "sent", "peak, MiB")
HEAD = f"| {' | '.join(COLUMNS)} |\n| -- |{' -: |' * (len(COLUMNS) - 1)}"


def rows(folder: Path, options: argparse.Namespace) -> Iterator[str]:
    """The rows of the table."""
    record(folder, options.packets)
    size = sum(path.stat().st_size for path in (folder / "original0").rglob("*") if path.is_file())
    yield f"{RECORDED} recordings of {options.packets} packets, each about {size / 1024:.0f} KiB; others are links."
    yield HEAD
    environment = certificates(folder)
    os.environ |= environment
    for workers in options.workers if options.analysed else ():
        with cluster(folder, workers=workers) as started:
            runs = folder / f"runs{workers}"
            link(folder, runs, range(options.analysed))
            measured = batch(folder, runs, folder / f"out{workers}", "--fresh", started=started)
            yield line(f"analysed, {workers} workers", options.analysed, measured)
            shutil.rmtree(runs)
    runs, out = folder / "runs", folder / "kept"
    (folder / "originals").mkdir()
    for number in range(RECORDED):
        (folder / "originals" / f"original{number}").symlink_to(folder / f"original{number}")
    batch(folder, folder / "originals", folder / "out", "--fresh")
    link(folder, runs, range(options.kept))
    make_kept(folder, runs, out, range(options.kept))
    for workers in options.workers:
        with cluster(folder, workers=workers) as started:
            yield line(f"kept, {workers} workers", options.kept, batch(folder, runs, out, started=started))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--analysed", type=int, default=300)
    parser.add_argument("--kept", type=int, default=10_000)
    parser.add_argument("--packets", type=int, default=PACKETS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(Path(folder), options):
            print(row, flush=True)


if __name__ == "__main__":
    main()
