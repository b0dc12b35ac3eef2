"""Rows of the performance table: decoders under our host and under sigrok-cli, on the same .sr file.

`python tests/speed/bench_decode.py` prints them; a row is printed only if both outputs are equal.
"""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
from commandline import ROOT

from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.formats.sr import write_sr

RATE_HZ = 24_000_000
CHANNELS = tuple(f"D{i}" for i in range(16))
TEXT = b"the quick brown fox jumps over the lazy dog\n"
BAUDRATE = 115_200
SECONDS = 10
UART_BIT = 0
STACKS = (
    ("uart:rx=D0:baudrate=115200", "uart=rx-data"),
    ("timing:data=D0", "timing"),
)  # uart asks once per frame length
DENSITIES = (("sparse", 10, 0), ("medium", 1_000, 0), ("dense", 5_000, 400_000))  # bytes/s on D0, edges/s on others


def capture(bytes_per_s: int, other_edges_per_s: int) -> Edges:
    """Ten seconds of text at a UART on D0, and edges at random on the other 15 channels."""
    rng = random.Random(bytes_per_s)
    times: list[np.ndarray] = []
    bits: list[np.ndarray] = []
    bit_samples = Fraction(RATE_HZ, BAUDRATE)
    edges: list[int] = []
    for i in range(bytes_per_s * SECONDS):
        begin = int(RATE_HZ * (i + rng.random() * 0.2) / bytes_per_s) + 1
        level = 1
        for n, bit in enumerate([0, *(TEXT[i % len(TEXT)] >> n & 1 for n in range(8)), 1]):
            if bit != level:
                edges.append(begin + round(n * bit_samples))
                level = bit
    times.append(np.array(edges, dtype=np.int64))
    bits.append(np.full(len(edges), 1 << UART_BIT, dtype=np.uint64))
    numbers = np.random.default_rng(1)
    count = other_edges_per_s * SECONDS
    times.append(numbers.integers(1, RATE_HZ * SECONDS, count))
    bits.append(np.uint64(1) << numbers.integers(1, 16, count).astype(np.uint64))
    at = np.concatenate(times)
    order = np.argsort(at, kind="stable")
    at, toggles = at[order], np.concatenate(bits)[order]
    levels = np.bitwise_xor.accumulate(np.concatenate((np.array([1], dtype=np.uint64), toggles)))
    at = np.concatenate((np.array([0]), at))
    last = np.append(at[1:] != at[:-1], True)  # of several edges at a sample
    return Edges(
        samples=at[last],
        levels=levels[last],
        samplerate_hz=Fraction(RATE_HZ),
        channels=CHANNELS,
        start=0,
        end=RATE_HZ * SECONDS,
        gaps=no_gaps(),
    )


def timed(command: list[str | Path]) -> tuple[float, bytes]:
    """Wall time of a program in seconds, and what it printed."""
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False, env=dict(os.environ))
    return time.perf_counter() - begin, done.stdout


def rows() -> Iterator[tuple[str, float, str, float]]:
    """What was done, our seconds, the usual way, its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        for name, bytes_per_s, others in DENSITIES:
            path = Path(folder) / f"{name}.sr"
            write_sr(path, capture(bytes_per_s, others))
            for stack, annotations in STACKS:
                show = ("-P", stack, "-A", annotations)
                ours_s, ours = timed([ROOT / ".venv" / "bin" / "gpiorig", "decode", path, *show, "--samplenum"])
                theirs_s, output = timed(["sigrok-cli", "-i", path, *show, "--protocol-decoder-samplenum"])
                assert ours == output, (stack, name)
                decoder = stack.partition(":")[0]
                yield f"gpiorig decode, {decoder}, {name}, {SECONDS} s at 24 MHz x 16", ours_s, "sigrok-cli", theirs_s


if __name__ == "__main__":
    for what, ours_s, usual, usual_s in rows():
        print(f"{what}: {ours_s:.2f} s, {usual} {usual_s:.2f} s, {usual_s / ours_s:.1f}x")
