"""The performance table of `make bench`: ours and the usual way, side by side in one run, as ratios."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import bench_analysis
import bench_batch
import bench_boards
import bench_capture
import bench_decode
import bench_sr
import numpy as np
from commandline import ROOT, gpiorig
from decoded_bus import decode

from gpiorig.capture.buses.symbol_bus import BusLines
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.extractor import EdgeExtractor
from gpiorig.capture.formats.sr import write_sr
from gpiorig.capture.recording.recording import Recording

UNITSIZE = 2
RATE_HZ = Fraction(24_000_000)
READ_BYTES = 1 << 20
ROUNDS = 3


def sparse(samples: int) -> bytes:
    """One change of one channel per millisecond at 24 MHz."""
    return ((np.arange(samples) // 24_000) & 1).astype("<u2").tobytes()


def dense(samples: int) -> bytes:
    """All channels change every 12 samples: 2 M edges/s at 24 MHz."""
    random = np.random.default_rng(1)
    return np.repeat(random.integers(0, 1 << 14, samples // 12, dtype=np.uint16), 12).astype("<u2").tobytes()


def bus_traffic(frames: int) -> Edges:
    """Event 6 with id 0x1234 again and again: 14 symbols on two lines, 6 samples apart, 120 samples per frame."""
    bits = f"{0x86:08b}{0x1234:016b}"
    check = 9
    for at in range(0, len(bits), 4):
        check = ((check << 1 | check >> 3) & 15) ^ int(bits[at : at + 4], 2)
    bits += f"{check:04b}"
    symbols = [int(bits[at : at + 2], 2) for at in range(0, len(bits), 2)]
    frame = np.array([symbol << 1 | (number + 1) & 1 for number, symbol in enumerate(symbols)], dtype=np.uint64)
    starts = np.arange(1, frames + 1, dtype=np.int64)[:, np.newaxis] * 120
    samples = np.append(0, (starts + 6 * np.arange(len(symbols))).reshape(-1))
    levels = np.append(np.uint64(0), np.tile(frame, frames))
    names = ("strobe", "d0", "d1")
    return Edges.from_blocks([(samples, levels)], samplerate_hz=RATE_HZ, channels=names, end=int(samples[-1]) + 120)


def seconds(work: Callable[[], object]) -> float:
    """The quickest of a few rounds."""
    times = []
    for _ in range(ROUNDS):
        start_s = time.perf_counter()
        work()
        times.append(time.perf_counter() - start_s)
    return min(times)


def extract(data: bytes) -> int:
    """Edges of the samples, natively; returns how many."""
    extractor = EdgeExtractor(unitsize=UNITSIZE)
    pieces = range(0, len(data), READ_BYTES)
    return sum(len(extractor.feed(memoryview(data)[at : at + READ_BYTES])[0]) for at in pieces)


def extract_with_numpy(data: bytes) -> int:
    """The same in numpy."""
    raw = np.frombuffer(data, "<u2")
    samples = np.append(0, np.flatnonzero(raw[1:] != raw[:-1]) + 1)
    levels = raw[samples].astype(np.uint64)
    return len(levels)


def sigrok_decode(path: Path) -> None:
    """The decoder in the real sigrok-cli."""
    subprocess.run(
        ["sigrok-cli", "-i", path, "-P", "gpio_probe:strobe=strobe:d0=d0:d1=d1:width=2", "-B", "gpio_probe=events"],
        env=os.environ | {"SIGROKDECODE_DIR": str(ROOT / "decoders")},
        stdout=subprocess.DEVNULL,
        check=True,
    )


def row(what: str, ours_s: float, other: str, other_s: float) -> None:
    """One line of the table."""
    print(
        f"{what:<44} {ours_s * 1e3:10.1f} ms   {other:<34} {other_s * 1e3:10.1f} ms   {other_s / ours_s:8.1f} x",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    few, many = sparse(32 << 20), dense(8 << 20)
    assert extract(few) == extract_with_numpy(few)
    row(
        "edges of 64 MiB, 1 k edges/s", seconds(lambda: extract(few)), "numpy", seconds(lambda: extract_with_numpy(few))
    )
    row(
        "edges of 16 MiB, 2 M edges/s",
        seconds(lambda: extract(many)),
        "numpy",
        seconds(lambda: extract_with_numpy(many)),
    )
    for line in bench_capture.rows():
        print(line, flush=True)
    edges = bus_traffic(20_000)
    lines = BusLines(strobe=0, data=(1, 2), frame_gap_samples=10)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bus.sr"
        write_sr(path, edges)
        row(
            "20 k frames, edges to events",
            seconds(lambda: decode(edges, lines)),
            "sigrok-cli",
            seconds(lambda: sigrok_decode(path)),
        )
        run, bench = Path(folder) / "run", ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml"
        start_s = time.perf_counter()
        done = gpiorig("run", bench, ROOT / "experiments" / "pingpong.toml", "-o", run, "--no-report")
        wall_s = time.perf_counter() - start_s
        assert done.status == 0, done.stderr
        virtual_s = float(Recording.open(run).edges().end / RATE_HZ)
        row("recording 1000 packets, virtual bench", wall_s, "the virtual time it covers", virtual_s)
    for measured in bench_analysis.rows():
        row(*measured)
    for measured in bench_batch.rows():
        row(*measured)
    bench_sr.table()
    for measured in bench_decode.rows():
        row(*measured)
    bench_boards.table()


if __name__ == "__main__":
    main()
