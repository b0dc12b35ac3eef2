"""The live path of `make bench`: 16 channels at 24 MS/s, 48 MB/s, through a pipe into segment files.

    python tests/speed/bench_capture.py

The sender is a process of its own that keeps the pace of the signal; what counts is the CPU time of the recording
process. `rows` gives the lines of the table.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from gpiorig.capture.recording.segment_writer import SegmentWriter
from gpiorig.capture.sigrok.edge_queue import EdgeSink
from gpiorig.capture.sigrok.stream import SampleStream

UNITSIZE = 2
RATE_HZ = 24_000_000
SECONDS = 5
# How much sigrok-cli writes at once: fx2lafw's transfers hold 10 ms (get_buffer_size, src/hardware/fx2lafw/protocol.c),
# the network drivers' less; 1 ms is on the safe side.
PIECE = RATE_HZ // 1000 * UNITSIZE
EVERY = {"200": 120_000, "20 k": 1_200, "2 M": 12}  # samples between two changes, by changes per second

SENDER = """
import os, sys, time
piece, pieces, pace = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
data = sys.stdin.buffer.read()
begin, at = time.monotonic(), 0
for number in range(pieces):
    left = begin + number * pace - time.monotonic()
    if left > 0:
        time.sleep(left)
    view = memoryview(data)[at : at + piece]
    while view:
        view = view[os.write(1, view) :]
    at = (at + piece) % len(data)
"""


def signal(every: int) -> bytes:
    """100 ms in which 16 channels together change once per given number of samples."""
    random = np.random.default_rng(1)
    count = RATE_HZ // 10
    levels = random.integers(0, 1 << 16, count // every + 1, dtype=np.uint16)
    return np.repeat(levels, every)[:count].astype("<u2").tobytes()


def capture(data: bytes, *, seconds: float, paced: bool) -> tuple[float, float, SampleStream]:
    """Send the given number of seconds of signal; returns wall and CPU seconds of this process, and the stream."""
    pieces = round(seconds * RATE_HZ * UNITSIZE / PIECE)
    pace_s = PIECE / UNITSIZE / RATE_HZ if paced else 0.0
    with tempfile.TemporaryDirectory() as folder:
        read_end, write_end = os.pipe()
        errors: list[OSError] = []
        writer = SegmentWriter(Path(folder))
        sink = EdgeSink(writer, on_error=errors.append)
        stream = SampleStream(sink, used=0xFFFF, samplerate_hz=Fraction(RATE_HZ), on_progress=lambda: None)
        command = [sys.executable, "-c", SENDER, str(PIECE), str(pieces), str(pace_s)]
        sender = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=write_end)
        os.close(write_end)
        assert sender.stdin is not None
        sender.stdin.write(data)
        sender.stdin.close()
        reader = threading.Thread(target=stream.run, args=(read_end,), kwargs={"unitsize": lambda: UNITSIZE})
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        reader.start()
        reader.join()
        sink.close()
        wall_s, cpu_s = time.perf_counter() - wall_s, time.process_time() - cpu_s
        sender.wait()
        os.close(read_end)
        writer.close()
    assert not errors
    assert stream.samples * UNITSIZE == pieces * PIECE, "samples were lost"
    return wall_s, cpu_s, stream


def rows() -> Iterator[str]:
    """The lines of the table: paced, then as fast as it goes."""
    for name, every in EVERY.items():
        data = signal(every)
        wall_s, cpu_s, stream = capture(data, seconds=SECONDS, paced=True)
        room = stream.headroom()
        fast_s, _, _ = capture(data, seconds=SECONDS, paced=False)
        yield (
            f"live, 16 channels at 24 MS/s, {name + ' changes/s':<17} {cpu_s / wall_s:6.1%} of a core, pipe <= "
            f"{room.pipe_fullest:4.0%}, disk queue <= {room.queue_fullest:4.0%}; "
            f"unpaced {SECONDS / fast_s:5.1f} x real time"
        )


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
