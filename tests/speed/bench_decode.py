"""Rows of the performance table: decoders under our host and under sigrok-cli, on the same .sr file.

`python tests/speed/bench_decode.py` prints them; a row is printed only if both outputs are equal.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import whole_process
from commandline import ROOT

from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.formats.sr import write_sr

RATE_HZ = 24_000_000
CHANNELS = tuple(f"D{i}" for i in range(16))
TEXT = b"the quick brown fox jumps over the lazy dog\n"
BAUDRATE = 115_200
SECONDS = 10
UART_BIT = 0
STACKS = (  # and what is printed of them; uart asks once per frame length
    ("uart:rx=D0:baudrate=115200", "uart=rx-data"),
    ("timing:data=D0", "timing"),
    ("spi:clk=D1:mosi=D2:cs=D3", "spi=mosi-data"),
    ("i2c:scl=D4:sda=D5", "i2c=addr-data"),
)
DENSITIES = (("sparse", 10, 0), ("medium", 1_000, 0), ("dense", 5_000, 400_000))  # bytes/s a bus, edges/s on others
SPI_SAMPLES, I2C_SAMPLES = 12, 30  # of half a clock: 1 MHz, 400 kHz
CLOCK, MOSI, SELECT, SCL, SDA = (1 << bit for bit in range(1, 6))
BUS_BITS = 6  # of all buses; the others are above them


def uart_toggles(byte: int, begin: int) -> Iterator[tuple[int, int]]:
    """The edges of a byte on D0: sample and bits."""
    level = 1
    for n, bit in enumerate([0, *(byte >> n & 1 for n in range(8)), 1]):
        if bit != level:
            yield begin + round(n * Fraction(RATE_HZ, BAUDRATE)), 1 << UART_BIT
            level = bit


def spi_toggles(byte: int, begin: int) -> Iterator[tuple[int, int]]:
    """The edges of a transfer of a byte: mode 0, select low, and MOSI low before and after it."""
    yield begin, SELECT
    at, level = begin + SPI_SAMPLES, 0
    for n in range(7, -1, -1):
        bit = byte >> n & 1
        if bit != level:
            yield at, MOSI
        level = bit
        yield at + SPI_SAMPLES, CLOCK
        at += 2 * SPI_SAMPLES
        yield at, CLOCK
    if level:
        yield at + 1, MOSI
    yield at + SPI_SAMPLES, SELECT


def i2c_toggles(byte: int, begin: int) -> Iterator[tuple[int, int]]:
    """The edges of a write of a byte to an address, with the start, the acknowledgements and the stop."""
    yield begin, SDA
    at, level = begin + I2C_SAMPLES, 0
    yield at, SCL
    for value in (0x50 << 1, byte):
        for bit in [*(value >> n & 1 for n in range(7, -1, -1)), 0]:
            if bit != level:
                yield at + I2C_SAMPLES // 2, SDA
            level = bit
            yield at + I2C_SAMPLES, SCL
            at += 2 * I2C_SAMPLES
            yield at, SCL
    yield at + I2C_SAMPLES, SCL
    yield at + 2 * I2C_SAMPLES, SDA


def capture(bytes_per_s: int, other_edges_per_s: int) -> Edges:
    """Ten seconds of text at a UART, an SPI and an I²C bus, and edges at random on the other channels."""
    rng = random.Random(bytes_per_s)
    edges: list[tuple[int, int]] = []
    for i in range(bytes_per_s * SECONDS):
        begin = int(RATE_HZ * (i + rng.random() * 0.2) / bytes_per_s) + 1
        for toggles_of in (uart_toggles, spi_toggles, i2c_toggles):
            edges.extend(toggles_of(TEXT[i % len(TEXT)], begin))
    columns = np.array(edges, dtype=np.int64)
    numbers = np.random.default_rng(1)
    count = other_edges_per_s * SECONDS
    others = np.uint64(1) << numbers.integers(BUS_BITS, len(CHANNELS), count).astype(np.uint64)
    at = np.concatenate((columns[:, 0], numbers.integers(1, RATE_HZ * SECONDS, count)))
    order = np.argsort(at, kind="stable")
    at, toggles = at[order], np.concatenate((columns[:, 1].astype(np.uint64), others))[order]
    idle = np.array([1 << UART_BIT | SELECT | SCL | SDA], dtype=np.uint64)
    levels = np.bitwise_xor.accumulate(np.concatenate((idle, toggles)))
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


def rows() -> Iterator[tuple[str, float, str, float, float, float]]:
    """What was done, our seconds, the usual way, its seconds; the MiB of both."""
    with tempfile.TemporaryDirectory() as folder:
        for name, bytes_per_s, others in DENSITIES:
            path = Path(folder) / f"{name}.sr"
            write_sr(path, capture(bytes_per_s, others))
            for stack, annotations in STACKS:
                show = ("-P", stack, "-A", annotations)
                ours = whole_process.run([ROOT / ".venv" / "bin" / "gpiorig", "decode", path, *show, "--samplenum"])
                usual = whole_process.run(["sigrok-cli", "-i", path, *show, "--protocol-decoder-samplenum"])
                assert ours.output == usual.output, (stack, name)
                what = f"gpiorig decode, {stack.partition(':')[0]}, {name}, {SECONDS} s at 24 MHz x 16"
                yield what, ours.seconds, "sigrok-cli", usual.seconds, ours.mib, usual.mib


if __name__ == "__main__":
    for what, ours_s, usual, usual_s, ours_mib, usual_mib in rows():
        ratio = f"{usual_s / ours_s:.1f}x"
        print(f"{what}: {ours_s:.2f} s, {ours_mib:.0f} MiB; {usual} {usual_s:.2f} s, {usual_mib:.0f} MiB; {ratio}")
