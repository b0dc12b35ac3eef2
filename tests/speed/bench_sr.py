"""How fast `.sr` files are read, next to one decoder stack of sigrok-cli on the same files: docs/evidence/speed.md.

16 channels at 24 MS/s. The files are deflated by zlib at level 9 in chunks of 4 MiB, as libsigrok's are. On channels 0
to 4 there is a symbol bus, whose frames are an event with an id; on the others single changes of random channels. Every
run is checked: the number of edges or events, and the CRCs.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import whole_process
from decoded_bus import stream
from numpy.typing import NDArray
from whole_process import Finished, peak_mib

from gpiorig.capture.archive.zip_archive import DEFLATED, STORED, ArchiveWriter
from gpiorig.capture.buses.symbol_bus import BusLines
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.formats import sr

ROOT = Path(__file__).resolve().parents[2]
RATE_HZ = 24_000_000
UNITSIZE = 2
SECONDS = 10
LONG_SECONDS = 600
CHUNK_SAMPLES = (4 << 20) // UNITSIZE
BUS = ("strobe", "d0", "d1", "d2", "d3")
NAMES = (*BUS, *(f"c{number}" for number in range(11)))
SYMBOL_SAMPLES = 6
FRAME_GAP_SAMPLES = 10  # 400 ns, the default of gpio_probe
FRAME_SAMPLES = 384  # room for a frame of 7 symbols and the gap
EDGES_PER_FRAME = 40  # of all channels; 7 of them are the frame's
ROUNDS = 5
# File, edges per second, and the ratios to reach (issues 5 and 35): edges by one thread, by two, events end to end.
FILES = (("sparse", 200, 500, None, 400), ("medium", 20_000, 25, 200, 20), ("dense", 2_000_000, 12, 200, 10))
MEMORY_MIB = 150


@dataclass(frozen=True, slots=True)
class Signal:
    """What a file holds: edges, and how many events are among them."""

    samples: NDArray[np.int64]
    levels: NDArray[np.uint64]
    end: int
    events: int


@dataclass(frozen=True, slots=True)
class DeflatedChunk:
    """A chunk as it stands in the file."""

    data: bytes
    crc: int
    size: int


def signal(edges_per_s: int, seconds: int = SECONDS) -> Signal:
    """Edges at random instants, and frames among them."""
    random = np.random.default_rng(edges_per_s)
    end = seconds * RATE_HZ
    frames = edges_per_s * seconds // EDGES_PER_FRAME
    rest = edges_per_s * seconds - 7 * frames
    mean = end / rest
    at = np.cumsum(random.integers(int(0.8 * mean), int(1.2 * mean) + 1, rest))
    others = np.bitwise_xor.accumulate(np.uint64(1) << random.integers(len(BUS), 16, rest).astype(np.uint64))
    starts = random.choice(end // FRAME_SAMPLES - 1, frames, replace=False)
    starts = np.sort(starts) * FRAME_SAMPLES + 2 * FRAME_GAP_SAMPLES
    symbol_at = (starts[:, np.newaxis] + SYMBOL_SAMPLES * np.arange(7)).reshape(-1)
    symbols = frame_symbols(random.integers(0, 1 << 16, frames)).reshape(-1).astype(np.uint64)
    strobe = np.arange(1, symbols.size + 1, dtype=np.uint64) & np.uint64(1)
    bus = symbols << np.uint64(1) | strobe
    at, others = at[at < end], others[at < end]
    samples = np.unique(np.concatenate([[0], at, symbol_at]))
    levels = held(at, others, samples) | held(symbol_at, bus, samples)
    keep = np.append(True, levels[1:] != levels[:-1])
    return Signal(samples[keep], levels[keep], end, frames)


def held(at: NDArray[np.int64], values: NDArray[np.uint64], samples: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The value in force at each sample."""
    return np.append(np.uint64(0), values)[np.searchsorted(at, samples, side="right")]


def frame_symbols(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Event 6 with an id on four lines: docs/reference/line-code.md."""
    word, check = (0x80 | 6) << 16 | ids, np.full(ids.size, 9)
    for shift in range(20, -1, -4):
        check = ((check << 1 | check >> 3) & 15) ^ (word >> shift & 15)
    return (word << 4 | check)[:, np.newaxis] >> np.arange(24, -1, -4) & 15


def deflated(signal: Signal) -> list[DeflatedChunk]:
    """The samples in chunks, by zlib at its best level."""

    def chunk(start: int) -> DeflatedChunk:
        end = min(start + CHUNK_SAMPLES, signal.end)
        first = int(np.searchsorted(signal.samples, start, side="right")) - 1
        last = int(np.searchsorted(signal.samples, end))
        bounds = np.append(signal.samples[first:last], end)
        bounds[0] = start
        raw = np.repeat(signal.levels[first:last].astype("<u2"), np.diff(bounds)).tobytes()
        packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        return DeflatedChunk(packer.compress(raw) + packer.flush(), zlib.crc32(raw), len(raw))

    with ThreadPoolExecutor() as pool:
        return list(pool.map(chunk, range(0, signal.end, CHUNK_SAMPLES)))


def write(path: Path, chunks: list[DeflatedChunk], times: int = 1) -> None:
    """A .sr file of these chunks, again and again."""
    probes = [f"probe{number}={name}" for number, name in enumerate(NAMES, start=1)]
    head = ["[global]", "sigrok version=0.5.2", "", "[device 1]", "capturefile=logic-1", f"total probes={len(NAMES)}"]
    text = "\n".join([*head, "samplerate=24 MHz", "total analog=0", *probes, f"unitsize={UNITSIZE}", ""]).encode()
    with path.open("wb") as file:
        archive = ArchiveWriter(file)
        for name, content in (("version", b"2"), ("metadata", text)):
            archive.add(name, content, method=STORED, crc=zlib.crc32(content), size=len(content))
        for number, chunk in enumerate(chunks * times, start=1):
            archive.add(f"logic-1-{number}", chunk.data, method=DEFLATED, crc=chunk.crc, size=chunk.size)
        archive.close()


def count_edges(path: Path, threads: int) -> int:
    """Edges of all channels; the first row of a capture is none."""
    return sum(block.samples.size for block in sr.read(path, ReadOptions(), threads=threads).read()) - 1


def count_events(path: Path, threads: int) -> int:
    """Events of the symbol bus; none may be damaged."""
    lines = BusLines(strobe=0, data=(1, 2, 3, 4), frame_gap_samples=FRAME_GAP_SAMPLES)
    events = 0
    for frames in stream(sr.read(path, ReadOptions(), threads=threads), lines):
        assert not frames.damaged_samples.size, "frames are damaged"
        events += frames.samples.size
    return events


TASKS: dict[str, Callable[[Path, int], int]] = {"edges": count_edges, "events": count_events}


def measure(task: str, path: Path, threads: int) -> None:
    """Print the seconds of each round, what was counted, and the greatest memory of this process."""
    times = []
    for _ in range(ROUNDS):
        start_s = time.perf_counter()
        count = TASKS[task](path, threads)
        times.append(time.perf_counter() - start_s)
    print(json.dumps({"seconds": times, "count": count, "memory_mib": peak_mib()}))


def measured(task: str, path: Path, threads: int, expected: int) -> tuple[float, float]:
    """Median seconds and MiB, in a process of its own."""
    command = [sys.executable, __file__, task, str(path), str(threads)]
    result = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    assert result["count"] == expected, f"{result['count']} {task}, expected {expected}"
    return statistics.median(result["seconds"]), result["memory_mib"]


def sigrok_run(path: Path, decoder: str, *, allowed: tuple[int, ...] = (0,)) -> Finished:
    """One decoder stack in sigrok-cli."""
    command = ["sigrok-cli", "-i", path, "-P", decoder, "-A", decoder.partition(":")[0]]
    done = whole_process.run(command, {"SIGROKDECODE_DIR": str(ROOT / "decoders")})
    assert done.status in allowed, f"sigrok-cli: exit status {done.status}"
    return done


PROBE = "gpio_probe:width=4:" + ":".join(f"{name}={name}" for name in BUS)
# Upstream's decoder of the same five lines, which does less for each edge. It aborts at its end:
# docs/evidence/sigrok-notes.md.
PARALLEL = "parallel:clk=strobe:" + ":".join(f"{name}={name}" for name in BUS[1:])


def row(what: str, ours: tuple[float, float], sigrok: Finished, parallel: Finished | None, goal: int | None) -> None:
    """One line of the table."""
    ours_s, ours_mib = ours
    ratio = sigrok.seconds / ours_s
    other = f"{parallel.seconds / ours_s:8.0f} x" if parallel else " " * 10
    reached = "" if goal is None else f"   goal {goal:4} x {'reached' if ratio >= goal else 'MISSED'}"
    print(
        f"{what:<36} {ours_s * 1e3:9.2f} ms {ours_mib:4.0f} MiB {sigrok.seconds * 1e3:9.0f} ms {sigrok.mib:4.0f} MiB "
        f"{ratio:7.0f} x {other}{reached}",
        flush=True,
    )


def table() -> None:
    """Make the files, and print the table."""
    print(f"\n{'.sr of 16 channels at 24 MS/s':<36} {'ours':>21} {'sigrok-cli':>21} {'ratio':>9} {'parallel':>10}")
    with tempfile.TemporaryDirectory() as folder:
        largest_mib = 0.0
        for name, edges_per_s, goal, goal_two, goal_events in FILES:
            content = signal(edges_per_s)
            chunks = deflated(content)
            edges, events = content.samples.size - 1, content.events
            write(Path(folder) / f"{name}.sr", chunks)
            runs = [(f"{name}, 10 s", Path(folder) / f"{name}.sr", 1)]
            if name == "sparse":
                times = LONG_SECONDS // SECONDS
                write(Path(folder) / "long.sr", chunks, times)
                runs.append((f"{name}, 10 min", Path(folder) / "long.sr", times))
            joint = int(content.levels[0] != content.levels[-1])
            for what, path, times in runs:
                sigrok = sigrok_run(path, PROBE)
                parallel = sigrok_run(path, PARALLEL, allowed=(0, -6)) if times == 1 else None
                for threads, goal_edges in ((1, goal), (2, goal_two)):
                    ours = measured("edges", path, threads, edges * times + joint * (times - 1))
                    row(f"{what}: edges, {threads} thread(s)", ours, sigrok, parallel, goal_edges)
                    largest_mib = max(largest_mib, ours[1])
                ours = measured("events", path, 1, events * times)
                row(f"{what}: events, 1 thread", ours, sigrok, parallel, goal_events)
                largest_mib = max(largest_mib, ours[1])
    print(f"greatest memory of any of these processes: {largest_mib:.0f} MiB; goal {MEMORY_MIB} MiB")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        measure(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
    else:
        table()
