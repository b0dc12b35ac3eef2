"""Rows of the performance table: samples in memory to edges, next to numpy; each in a process of its own.

`python tests/speed/bench_edges.py` prints them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
from whole_process import peak_mib

from gpiorig.capture.edges.extractor import EdgeExtractor

UNITSIZE = 2
READ_BYTES = 1 << 20
ROUNDS = 5


def sparse() -> bytes:
    """64 MiB: one change of one channel per millisecond at 24 MHz."""
    return ((np.arange(32 << 20) // 24_000) & 1).astype("<u2").tobytes()


def dense() -> bytes:
    """16 MiB: all channels change every 12 samples, 2 M edges/s at 24 MHz."""
    random = np.random.default_rng(1)
    return np.repeat(random.integers(0, 1 << 14, (8 << 20) // 12, dtype=np.uint16), 12).astype("<u2").tobytes()


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


DATA: dict[str, Callable[[], bytes]] = {"64 MiB, 1 k edges/s": sparse, "16 MiB, 2 M edges/s": dense}
WAYS: dict[str, Callable[[bytes], int]] = {"ours": extract, "numpy": extract_with_numpy}


def measure(data: bytes, way: str) -> None:
    """Print the quickest round, the memory of it all, and how many edges there are."""
    times, edges = [], 0
    for _ in range(ROUNDS):
        start_s = time.perf_counter()
        edges = WAYS[way](data)
        times.append(time.perf_counter() - start_s)
    print(json.dumps([min(times), peak_mib(), edges]))


def rows() -> Iterator[tuple[str, float, str, float, float, float]]:
    """Each a name, our seconds, what it is compared with, its seconds; the MiB of both, which have the samples."""
    for name in DATA:
        runs = [
            subprocess.run([sys.executable, __file__, name, way], stdout=subprocess.PIPE, check=True) for way in WAYS
        ]
        (ours_s, ours_mib, ours), (numpy_s, numpy_mib, expected) = (json.loads(done.stdout) for done in runs)
        assert ours == expected, name
        yield f"edges of {name}", ours_s, "numpy", numpy_s, ours_mib, numpy_mib


if __name__ == "__main__":
    if len(sys.argv) == 3:
        measure(DATA[sys.argv[1]](), sys.argv[2])
    else:
        for row in rows():
            print(row)
