"""The performance table of `make bench`: ours and the usual way, side by side in one run, as ratios."""

from __future__ import annotations

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
import bench_edges
import bench_sr
import numpy as np
import whole_process
from commandline import ROOT, gpiorig
from decoded_bus import decode
from whole_process import Finished

from gpiorig.capture.buses.symbol_bus import BusLines
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.formats.sr import write_sr
from gpiorig.capture.recording.recording import Recording

RATE_HZ = Fraction(24_000_000)
ROUNDS = 3


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


def sigrok_decode(path: Path) -> Finished:
    """The decoder in the real sigrok-cli."""
    stack = "gpio_probe:strobe=strobe:d0=d0:d1=d1:width=2"
    done = whole_process.run(
        ["sigrok-cli", "-i", path, "-P", stack, "-B", "gpio_probe=events"], {"SIGROKDECODE_DIR": str(ROOT / "decoders")}
    )
    assert done.status == 0
    return done


def row(
    what: str, ours_s: float, other: str, other_s: float, ours_mib: float | None = None, other_mib: float | None = None
) -> None:
    """One line of the table."""
    ours, others = (f"{mib:5.0f} MiB" if mib else " " * 9 for mib in (ours_mib, other_mib))
    print(
        f"{what:<44} {ours_s * 1e3:10.1f} ms {ours}   {other:<34} {other_s * 1e3:10.1f} ms {others}   "
        f"{other_s / ours_s:8.1f} x",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    for edges_row in bench_edges.rows():
        row(*edges_row)
    for line in bench_capture.rows():
        print(line, flush=True)
    edges = bus_traffic(20_000)
    lines = BusLines(strobe=0, data=(1, 2), frame_gap_samples=10)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bus.sr"
        write_sr(path, edges)
        ours_s, sigrok = seconds(lambda: decode(edges, lines)), sigrok_decode(path)
        row("20 k frames, edges to events", ours_s, "sigrok-cli", sigrok.seconds, None, sigrok.mib)
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
