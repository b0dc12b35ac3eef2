"""How fast samples become edges; prints a table. Run: `python capture/benchmarks/speed.py`."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np

from gpiorig.capture.edges import Edges
from gpiorig.capture.linecode import BusLines, decode
from gpiorig.capture.samples import EdgeExtractor
from gpiorig.capture.segments import SegmentWriter, read_segments
from gpiorig.capture.srfile import read_sr, write_sr
from gpiorig.capture.stream import SampleStream

UNITSIZE = 2
RATE_HZ = Fraction(24_000_000)
PIECE = 1 << 20


def sparse(samples: int) -> bytes:
    """One change of one channel per millisecond at 24 MHz."""
    levels = np.zeros(samples, dtype="<u2")
    for number, at in enumerate(range(0, samples, 24_000)):
        levels[at:] = number & 1
    return levels.tobytes()


def dense(samples: int) -> bytes:
    """All channels change every 12 samples: 2 M edges/s at 24 MHz."""
    random = np.random.default_rng(1)
    return np.repeat(random.integers(0, 1 << 14, samples // 12, dtype=np.uint16), 12).astype("<u2").tobytes()


def extract(data: bytes, repeats: int) -> int:
    """Feed `data` again and again; returns bytes fed."""
    extractor = EdgeExtractor(unitsize=UNITSIZE)
    for _ in range(repeats):
        for at in range(0, len(data), PIECE):
            extractor.feed(memoryview(data)[at : at + PIECE])
    return len(data) * repeats


def stream(data: bytes, repeats: int) -> int:
    """Send `data` through a pipe, the Python reader, the extraction and the segment files."""
    with tempfile.TemporaryDirectory() as folder:
        read_end, write_end = os.pipe()
        writer = SegmentWriter(Path(folder))
        sink = SampleStream(writer, used=0x3FFF, unitsize=lambda: UNITSIZE, on_progress=lambda: None)
        reader = threading.Thread(target=sink.run, args=(read_end,))
        reader.start()
        for _ in range(repeats):
            view = memoryview(data)
            while view:
                view = view[os.write(write_end, view) :]
        os.close(write_end)
        reader.join()
        os.close(read_end)
        writer.close()
        if sink.samples * UNITSIZE != len(data) * repeats:
            raise SystemExit("samples were lost")
        read_segments(Path(folder))
        return len(data) * repeats


def rate(work: Callable[[], int]) -> float:
    """Return bytes per second."""
    start_s = time.perf_counter()
    size = work()
    return size / (time.perf_counter() - start_s)


def main() -> None:
    """Print the table."""
    quiet, few, many = bytes(64 << 20), sparse(32 << 20), dense(8 << 20)
    print(f"extraction, constant        {rate(lambda: extract(quiet, 20)) / 1e9:8.2f} GB/s")
    print(f"extraction, 1 k edges/s     {rate(lambda: extract(few, 10)) / 1e9:8.2f} GB/s")
    print(f"extraction, 2 M edges/s     {rate(lambda: extract(many, 4)) / 1e9:8.2f} GB/s")
    print(f"pipe to segments, constant  {rate(lambda: stream(quiet, 30)) / 1e9:8.2f} GB/s")
    print(f"pipe to segments, 1 k e/s   {rate(lambda: stream(few, 15)) / 1e9:8.2f} GB/s")
    print(f"pipe to segments, 2 M e/s   {rate(lambda: stream(many, 4)) / 1e9:8.2f} GB/s")
    block = EdgeExtractor(unitsize=UNITSIZE).feed(many)
    names = tuple(f"c{bit}" for bit in range(14))
    edges = Edges.from_blocks([block], samplerate_hz=RATE_HZ, channels=names, end=8 << 20)
    lines = BusLines(strobe=0, data=(1, 2), frame_gap_samples=10)
    print(f"symbol bus                  {rate(lambda: len(decode(edges, lines).samples) * 0 + block[0].size) / 1e6:8.2f} M edges/s")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.sr"
        few_block = EdgeExtractor(unitsize=UNITSIZE).feed(few)
        few_edges = Edges.from_blocks([few_block], samplerate_hz=RATE_HZ, channels=names, end=32 << 20)

        def write() -> int:
            write_sr(path, few_edges)
            return len(few)

        def read() -> int:
            read_sr(path)
            return len(few)

        print(f".sr writing, 1 k edges/s    {rate(write) / 1e9:8.2f} GB/s")
        print(f".sr reading, 1 k edges/s    {rate(read) / 1e9:8.2f} GB/s")


if __name__ == "__main__":
    main()
