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
from gpiorig.capture.segments import SegmentWriter
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
        sender = os.fork()  # another process, as sigrok-cli is
        if sender == 0:
            for _ in range(repeats):
                view = memoryview(data)
                while view:
                    view = view[os.write(write_end, view[: 128 << 10]) :]
            os._exit(0)
        os.close(write_end)
        reader.start()
        reader.join()
        os.waitpid(sender, 0)
        os.close(read_end)
        writer.close()
        if sink.samples * UNITSIZE != len(data) * repeats:
            raise SystemExit("samples were lost")
        return len(data) * repeats


def bus_traffic(frames: int) -> tuple[Edges, int]:
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
    end = int(samples[-1]) + 120
    names = ("strobe", "d0", "d1")
    return Edges.from_blocks([(samples, levels)], samplerate_hz=RATE_HZ, channels=names, end=end), frames


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
    edges, frames = bus_traffic(200_000)
    lines = BusLines(strobe=0, data=(1, 2), frame_gap_samples=10)

    def bus() -> int:
        if decode(edges, lines).samples.size != frames:
            raise SystemExit("frames were lost")
        return edges.samples.size

    print(f"symbol bus                  {rate(bus) / 1e6:8.2f} M edges/s")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.sr"
        few_block = EdgeExtractor(unitsize=UNITSIZE).feed(few)
        names = tuple(f"c{bit}" for bit in range(14))
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
