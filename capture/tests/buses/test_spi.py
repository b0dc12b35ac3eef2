"""SPI out of edges against a plain, slow version over random lines."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from gpiorig.capture.buses import spi
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import CaptureError

NAMES = ("clk", "mosi", "miso", "select")
COLUMNS = ("start", "end", "flags", "left_over", "word_start", "word_end", "mosi", "miso")
Columns = dict[str, list[int]]


def plain(
    rows: list[tuple[int, int]], end: int, gaps: list[tuple[int, int]], lines: spi.SpiLines
) -> tuple[Columns, list[int]]:
    """The columns of `Transfers` and the numbers of words, edge by edge; a gap ends all that is open."""
    out: Columns = {name: [] for name in COLUMNS}
    counts: list[int] = []
    opened: tuple[int, int] | None = None  # sample and flags
    bits: list[tuple[int, int, int]] = []
    words, before = 0, None

    def close(sample: int, flags: int) -> None:
        nonlocal opened, words
        if opened:
            row = (opened[0], sample, opened[1] | flags, len(bits))
            for name, value in zip(COLUMNS, row, strict=False):
                out[name].append(value)
            counts.append(words)
        opened, words = None, 0
        bits.clear()

    for sample, level in [*rows, (end, -1)]:
        for lost in [lost for lost, _ in gaps if lost <= sample]:
            close(lost, spi.CUT_END)
            before, gaps = None, [gap for gap in gaps if gap[0] != lost]
        if level < 0:
            close(sample, spi.CUT_END)
            break
        clk, mosi, miso, select = ((level >> bit) & 1 for bit in range(4))
        is_first = before is None
        changed = 0 if before is None else before ^ level
        before = level
        is_selected = lines.select is None or select == lines.select_active
        if lines.select is not None and (is_first or changed >> 3 & 1):
            close(sample, 0)
            if is_selected:
                opened = sample, spi.CUT_START * is_first
        if not (is_selected and changed & 1 and clk == (lines.mode in (0, 3))):
            continue
        bits.append((sample, mosi * (lines.mosi is not None), miso * (lines.miso is not None)))
        if len(bits) == lines.word_bits:
            ordered = bits if lines.lsb_first else bits[::-1]
            last = bits[-1][0] - (bits[-2][0] if len(bits) > 1 else bits[-1][0])
            sides = (sum(bit[side] << place for place, bit in enumerate(ordered)) for side in (1, 2))
            for name, value in zip(COLUMNS[4:], (bits[0][0], sample + last, *sides), strict=True):
                out[name].append(value)
            words += 1
            bits.clear()
    return out, np.cumsum([0, *counts]).tolist()


def columns(transfers: spi.Transfers) -> tuple[Columns, list[int]]:
    return {name: getattr(transfers, name).tolist() for name in COLUMNS}, transfers.offsets.tolist()


BUSES = [
    spi.SpiLines(clk=0, mosi=1, miso=2, select=3),
    spi.SpiLines(clk=0, mosi=1, select=3, mode=1, word_bits=2, lsb_first=True, select_active=1),
    spi.SpiLines(clk=0, miso=2, select=3, mode=2, word_bits=1),
    spi.SpiLines(clk=0, mosi=1, miso=2, mode=3, word_bits=3),
]


@pytest.mark.parametrize("rows_of_a_call", [1, 2, 7, 1 << 16])
@pytest.mark.parametrize("lines", BUSES)
def test_random_lines_are_decoded_as_plainly(
    monkeypatch: pytest.MonkeyPatch, lines: spi.SpiLines, rows_of_a_call: int
) -> None:
    """Words, transfers, what is cut and left over; in blocks and calls of any size, with gaps between."""
    monkeypatch.setattr(spi, "ROWS", rows_of_a_call)
    draw = random.Random(5)
    samples = np.cumsum([draw.randrange(1, 5) for _ in range(240)])
    toggles = [draw.choice([1, 1, 1, 3, 4, 5, 7, 8 if draw.random() < 0.3 else 1]) for _ in samples]
    toggles[70:73] = toggles[150:153] = [8, 8, 8]  # of them, one is a transfer without a bit
    levels = np.bitwise_xor.accumulate(np.array(toggles, dtype=np.uint64))
    end = int(samples[-1]) + 5
    gaps = [(int(samples[at]) - 1, int(samples[at])) for at in range(50, 240, 60) if samples[at] - samples[at - 1] > 1]
    rows = list(zip(samples.tolist(), levels.tolist(), strict=True))
    for lost in ([], gaps):
        expected = plain(rows, end, lost, lines)
        cuts = [0, 51, 53, 120, 180, 240]
        blocks = []
        for low, high in pairwise(cuts):
            until = end if high == 240 else int(samples[high - 1]) + 1
            inside = [gap for gap in lost if samples[low] <= gap[1] < until]
            table = np.array(inside, dtype=np.int64).reshape(-1, 2)
            blocks.append(Block(samples[low:high], levels[low:high], until, table))
        waveform = Waveform(samplerate_hz=Fraction(1), channels=NAMES, read=lambda: iter(blocks))  # noqa: B023
        parts = list(spi.read(waveform, lines))
        transfers = spi.joined(parts)
        empty = [words == left == 0 for words, left in zip(np.diff(expected[1]), expected[0]["left_over"], strict=True)]

        assert expected == columns(transfers)
        assert sum(empty) == transfers.empty
        assert lost == [tuple(gap) for gap in transfers.gaps.tolist()]
        if lines.select is not None:
            assert 1 <= sum(empty) < len(transfers)
            assert all(part.offsets[-1] == part.word_start.size for part in parts), "complete transfers only"
        if not lost:
            edges = Edges.from_blocks([(samples, levels)], samplerate_hz=Fraction(1), channels=NAMES, end=end)
            assert expected == columns(spi.decode(edges, lines))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mosi": 0}, r"the channels \[0, 0\] are not different numbers below 64"),
        ({"mosi": 64}, r"the channels \[0, 64\]"),
        ({"mosi": -1}, r"the channels \[0, -1\]"),
        ({"select": 1}, "without data lines; connect mosi, miso or both"),
        ({"mosi": 1, "mode": 4}, "SPI mode 4 with 8 bits and select_active 0"),
        ({"mosi": 1, "word_bits": 0}, "SPI mode 0 with 0 bits"),
        ({"mosi": 1, "word_bits": 65}, "SPI mode 0 with 65 bits"),
        ({"mosi": 1, "select_active": 2}, "select_active 2; modes are 0 to 3, words have 1 to 64 bits"),
    ],
)
def test_a_bus_that_cannot_be_is_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(CaptureError, match=message):
        spi.SpiLines(clk=0, **options)  # type: ignore[arg-type]
    assert 63 == spi.SpiLines(clk=0, mosi=63, word_bits=64).mosi
