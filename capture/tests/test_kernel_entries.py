"""Whatever comes from outside to a native kernel is checked first: a wrong array is an error, never a wrong address."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from gpiorig.capture import native
from gpiorig.capture.archive.members import MemberDeflater, MemberReader
from gpiorig.capture.buses.spi import SpiDecoder, SpiLines
from gpiorig.capture.buses.symbol_bus import BusDecoder, BusLines
from gpiorig.capture.buses.uart import UartDecoder, UartFormat
from gpiorig.capture.edges.changes import Assembler, Changes
from gpiorig.capture.edges.extractor import EdgeExtractor
from gpiorig.capture.edges.waveform import Block
from gpiorig.capture.errors import CaptureError

MANY = 5_000_000  # far beyond what was allocated: read or written, it ends the process
SAMPLES = np.arange(MANY)
FEW = np.zeros(1, np.uint64)
LEVELS = np.zeros(MANY, np.uint64)


def spi(samples: Any, levels: Any, *, end: int = MANY) -> object:
    return SpiDecoder(SpiLines(clk=0, mosi=1)).feed(Block(samples, levels, end))


def uart(samples: Any, levels: Any, *, end: int = MANY, rate_hz: int = 10**6) -> object:
    decoder = UartDecoder(0, samplerate_hz=Fraction(rate_hz), form=UartFormat(baudrate=9600))
    return decoder.feed(samples, levels, end=end)


def bus(samples: Any, levels: Any, *, gap: int = 10) -> object:
    return BusDecoder(BusLines(strobe=0, data=(1,), frame_gap_samples=gap)).feed(samples, levels)


def deflate(samples: Any, levels: Any, start: int = 0, end: int = MANY) -> object:
    return MemberDeflater(unitsize=1).deflate(samples, levels, start, end)


def assemble(times: Any, *rest: Any) -> object:
    return Assembler(used=3).feed(Changes(times, *rest))


def member_feed(start: int, end: int, filled: int = 0, *, width: type[np.generic] = np.uint8) -> object:
    reader = MemberReader(unitsize=1, used=1)
    reader.begin(method=0, size=100)
    rows = native.Buffer(np.int64, 8), native.Buffer(np.uint64, 8)
    return reader.feed(native.Buffer(width, 100), start, end, *rows, filled)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        pytest.param(lambda: assemble(SAMPLES, *[FEW] * 3), r"masks are uint64 of shape \(1,\)", id="changes: lengths"),
        pytest.param(lambda: assemble(SAMPLES, LEVELS, LEVELS, FEW), "unknown are", id="changes: the last of them"),
        pytest.param(lambda: assemble(SAMPLES[:1] / 2, *[FEW] * 3), "times are float64", id="changes: floats"),
        pytest.param(lambda: Assembler(used=1 << 64), "out of range", id="changes: mask"),
        pytest.param(lambda: deflate(SAMPLES, FEW), "levels are", id="deflate: lengths"),
        pytest.param(lambda: deflate(SAMPLES[:1], FEW, 0, 1 << 70), "out of range", id="deflate: end beyond 64 bits"),
        pytest.param(lambda: deflate(SAMPLES[:1], FEW, 0, 1 << 50), "out of range", id="deflate: end beyond memory"),
        *(
            pytest.param(partial(deflate, np.array(rows), LEVELS[:3], 0, 10), "are not those", id=f"deflate: {rows}")
            for rows in ([0, 5, 5], [5, 0, 9], [3, 5, 9], [0, 5, 10], [0, 0, 9], [-5, -1, 9])
        ),
        pytest.param(lambda: deflate(SAMPLES[:1], FEW, 5, 5), "out of range", id="deflate: no samples"),
        pytest.param(lambda: MemberDeflater(unitsize=9), "unitsize of 9", id="deflate: unitsize"),
        pytest.param(lambda: spi(SAMPLES, LEVELS[: MANY // 2]), "levels are", id="spi: lengths"),
        pytest.param(lambda: spi(SAMPLES.reshape(2, -1), LEVELS), "samples are int64 of", id="spi: dimensions"),
        pytest.param(lambda: spi(SAMPLES[:1], FEW, end=1 << 64), "an end of", id="spi: end"),
        pytest.param(lambda: uart(SAMPLES, FEW), "levels are", id="uart: lengths"),
        pytest.param(lambda: uart(SAMPLES[:1], LEVELS[:1].astype(np.int32)), "levels are int32", id="uart: type"),
        pytest.param(lambda: uart(SAMPLES[:1], FEW, end=1 << 64), "an end of", id="uart: end"),
        pytest.param(lambda: uart(SAMPLES[:1], FEW, rate_hz=10**23), "out of range", id="uart: character"),
        pytest.param(lambda: bus(SAMPLES, FEW), "levels are", id="bus: lengths"),
        pytest.param(lambda: bus(list(range(9)), FEW), "samples are of type list", id="bus: a list"),
        pytest.param(lambda: bus(SAMPLES[:1], FEW, gap=1 << 63), "frame gap", id="bus: gap"),
        pytest.param(lambda: EdgeExtractor(unitsize=2, capacity=0), "a capacity of 0", id="edges: no room"),
        pytest.param(lambda: EdgeExtractor(unitsize=2**32 + 2), "not supported", id="edges: unitsize"),
        pytest.param(
            lambda: EdgeExtractor(unitsize=2).feed(np.arange(10.0)), "elements of 8 bytes", id="edges: floats"
        ),
        pytest.param(lambda: MemberReader(unitsize=2**32 + 2, used=3), "unitsize of 4294967298", id="member: unitsize"),
        pytest.param(lambda: MemberReader(unitsize=2, used=-1), "mask of channels", id="member: mask"),
        pytest.param(lambda: MemberReader(unitsize=2, used=1).restart(1 << 63), "a sample number", id="member: start"),
        pytest.param(
            lambda: MemberReader(unitsize=2, used=1).begin(method=8, size=-1), "a size of -1", id="member: size"
        ),
        pytest.param(
            lambda: MemberReader(unitsize=2, used=1).begin(method=2**32, size=1), "method", id="member: method"
        ),
        pytest.param(lambda: member_feed(0, 101), "elements 0 to 101 of a buffer of 100", id="member: input's end"),
        pytest.param(lambda: member_feed(-1, 5), "elements -1 to 5", id="member: input's start"),
        pytest.param(lambda: member_feed(50, 40), "elements 50 to 40", id="member: input backwards"),
        pytest.param(lambda: member_feed(0, 1, 9), "elements 9 to 8 of a buffer of 8", id="member: no room"),
        pytest.param(lambda: member_feed(0, 1, width=np.int64), "other types", id="member: type"),
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[[], object], expected: str) -> None:
    with pytest.raises(CaptureError, match=expected):
        call()


def test_arrays_with_holes_are_read_as_what_they_are() -> None:
    """Every second row of an array: the kernel gets a copy, not the rows between."""
    samples, levels = np.array([0, 999, 5, 999, 9, 999]), np.array([0, 7, 1, 7, 2, 7], np.uint64)
    block = Assembler(used=3).feed(
        Changes(samples[::2], np.full(6, 3, np.uint64)[::2], levels[::2], np.zeros(6, np.uint64)[::2])
    )
    assert ([0, 5], [0, 1]) == (block.samples.tolist(), block.levels.tolist())
