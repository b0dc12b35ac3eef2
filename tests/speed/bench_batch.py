"""Rows of the performance table: short recordings by `gpiorig batch` with one worker and with two.

`python tests/speed/bench_batch.py growth decode 10 100 1000` prints wall time, processor time and the largest memory of
the command's own process for each number of recordings. 20 of them are recorded, each with a seed; more are copies.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import directbench
import modebench
from commandline import ROOT
from whole_process import peak_mib

RECORDED, PACKETS = 20, 5
FEW = 40
WORKERS = (1, 2)


def make(folder: Path, count: int) -> None:
    """Make a number of recordings of five packets."""
    experiment = (ROOT / "experiments" / "pingpong.toml").read_text()
    bench = modebench.bench_text({"initiator": "iotlab-m3", "responder": "iotlab-m3"})
    for number in range(count):
        run = folder / f"run{number:04d}"
        if number >= RECORDED:
            shutil.copytree(folder / f"run{number % RECORDED:04d}", run)
            continue
        text = bench.replace("seed = 1\n", f"seed = {number + 1}\n")
        directbench.record(folder / "made", text, experiment, packets=PACKETS).folder.rename(run)
        shutil.rmtree(folder / "made")


def batch(runs: Path, verb: str, workers: int) -> tuple[float, float, float]:
    """Wall and processor time in s of the command and its workers, and the largest memory of the command in MiB."""
    start_s, before = time.perf_counter(), os.times()
    command = [sys.executable, "-m", "gpiorig.rig.cli", "batch", f"{runs}/*", "--do", verb, "--fresh"]
    process = subprocess.Popen(
        [*command, "-o", runs / "out", "--workers", str(workers)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    largest_mib = 0.0
    while process.poll() is None:
        largest_mib = max(largest_mib, peak_mib(process.pid))
        time.sleep(0.02)
    assert process.returncode == 0
    after = os.times()
    used_s = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - start_s, used_s, largest_mib


def rows() -> Iterator[tuple[str, float, str, float, float, float]]:
    """Two workers next to one, start of the processes included; the MiB are those of the command's own process."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), FEW)
        one, two = (batch(Path(folder), "analyse", workers) for workers in WORKERS)
        yield f"batch of {FEW} recordings, 2 workers", two[0], "1 worker", one[0], two[2], one[2]


def growth(verb: str, counts: list[int]) -> None:
    """Print a line for each number of recordings and of workers."""
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), count)
            for workers in WORKERS:
                wall_s, used_s, largest_mib = batch(Path(folder), verb, workers)
                print(
                    f"{verb} {count:5d} recordings, {workers} workers: {wall_s:7.1f} s, processor {used_s:7.1f} s, "
                    f"{used_s / count * 1e3:6.1f} ms each, the command's process {largest_mib:5.0f} MiB",
                    flush=True,
                )


if __name__ == "__main__":
    if sys.argv[1:2] == ["growth"]:
        growth(sys.argv[2], [int(word) for word in sys.argv[3:]])
    else:
        for what, ours_s, other, other_s, *_ in rows():
            print(f"{what}: {ours_s:.1f} s, {other}: {other_s:.1f} s, {other_s / ours_s:.2f} x")
