"""SPI from edges against sigrok's own `spi` decoder under the real sigrok-cli, on regular, damaged and random lines."""

from __future__ import annotations

import json
import random
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from spi_traffic import CHANNELS, Bus, random_lines

from gpiorig.capture.buses import spi
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import CaptureError

RATE_HZ = 1_000_000  # sigrok-cli's trace gives microseconds: sample numbers
Word = tuple[int, int, int, int]
Transfer = tuple[int, int, tuple[int, ...], tuple[int, ...]]
LINES = spi.SpiLines(clk=0, mosi=1, miso=2, select=3)


def edges_of(samples: NDArray[np.uint8]) -> Edges:
    changed = np.flatnonzero(np.diff(samples, prepend=~samples[:1]))
    block = changed.astype(np.int64), samples[changed].astype(np.uint64)
    return Edges.from_blocks([block], samplerate_hz=Fraction(RATE_HZ), channels=CHANNELS, end=samples.size)


def sigrok_spi(raw: Path, options: str) -> tuple[list[Word], list[Transfer]]:
    """Words and transfers by sigrok's decoder; its exit status is that of a fault of its `has_channel` at times."""
    command = ["sigrok-cli", "-I", f"binary:numchannels=4:samplerate={RATE_HZ}", "-i", str(raw), "-P"]
    command += [f"spi:clk=0:mosi=1:miso=2:cs=3{options}", "-A", "spi=mosi-data:miso-data:mosi-transfer:miso-transfer"]
    done = subprocess.run([*command, "--protocol-decoder-jsontrace"], capture_output=True)
    assert done.returncode == 0 or b"bool_dealloc" in done.stderr, done.stderr
    spans: dict[str, list[tuple[int, int, str]]] = {}
    events = iter(json.loads(done.stdout)["traceEvents"])
    for begin, end in zip(events, events, strict=True):
        assert (begin["ph"], end["ph"], begin["name"]) == ("B", "E", end["name"])
        spans.setdefault(begin["tid"], []).append((round(begin["ts"]), round(end["ts"]), begin["name"]))

    def pairs(what: str) -> list[tuple[int, int, str, str]]:
        both = zip(spans.get(f"MOSI {what}", []), spans.get(f"MISO {what}", []), strict=True)
        return [(*out[:2], out[2], back[2]) for out, back in both]

    def numbers(text: str) -> tuple[int, ...]:
        return tuple(int(word, 16) for word in text.split())

    words = [(start, end, int(out, 16), int(back, 16)) for start, end, out, back in pairs("data")]
    return words, [(start, end, numbers(out), numbers(back)) for start, end, out, back in pairs("transfer")]


def by_us(transfers: spi.Transfers) -> tuple[list[Word], list[Transfer]]:
    """The same of ours; sigrok reports nothing of a transfer that the capture's end cuts."""
    arrays = (transfers.word_start, transfers.word_end, transfers.mosi, transfers.miso)
    words = list(zip(*(array.tolist() for array in arrays), strict=True))
    whole = []
    for i in range(len(transfers)):
        if not transfers.flags[i] & spi.CUT_END:
            part = words[transfers.offsets[i] : transfers.offsets[i + 1]]
            sides = tuple(word[2] for word in part), tuple(word[3] for word in part)
            whole.append((int(transfers.start[i]), int(transfers.end[i]), *sides))
    return words, whole


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "word_bits", "lsb_first", "select_active"),
    [(0, 8, False, 0), (1, 8, True, 0), (2, 5, False, 1), (3, 16, True, 1), (0, 1, False, 0)],
)
def test_words_and_transfers_are_those_of_sigrok(
    tmp_path: Path, mode: int, word_bits: int, lsb_first: bool, select_active: int
) -> None:
    """On regular traffic, on the same with glitches on all lines, and on random lines, sample for sample."""
    draw = random.Random(mode)
    bus = Bus(draw, mode=mode, select_active=select_active)
    for _ in range(40):
        bus.transfer([(draw.randrange(256), draw.randrange(256)) for _ in range(draw.randrange(6))])
    regular = bus.samples()
    lines = spi.SpiLines(
        clk=0,
        mosi=1,
        miso=2,
        select=3,
        mode=mode,
        word_bits=word_bits,
        lsb_first=lsb_first,
        select_active=select_active,
    )
    options = f":cpol={mode // 2}:cpha={mode % 2}:wordsize={word_bits}:bitorder={'lsb' if lsb_first else 'msb'}-first"
    options += f":cs_polarity=active-{'high' if select_active else 'low'}"
    for samples in (regular, bus.damaged(glitches=60), random_lines(draw, 20_000)):
        raw = tmp_path / "raw.bin"
        raw.write_bytes(samples.tobytes())
        expected = sigrok_spi(raw, options)
        assert expected == by_us(spi.decode(edges_of(samples), lines))
        assert expected[1]


def test_pieces_of_any_size_give_what_the_whole_gives() -> None:
    """Blocks may be cut anywhere, inside words and transfers; every block has complete transfers."""
    draw = random.Random(5)
    edges = edges_of(random_lines(draw, 30_000))
    whole = spi.decode(edges, LINES)

    def blocks() -> list[Block]:
        cuts = [0, *sorted(draw.sample(range(edges.samples.size), 200)), edges.samples.size]
        ends = [int(edges.samples[cut]) for cut in cuts[1:-1]] + [edges.end]
        spans = zip(cuts, cuts[1:], ends, strict=False)
        return [Block(edges.samples[first:last], edges.levels[first:last], end) for first, last, end in spans]

    waveform = Waveform(samplerate_hz=edges.samplerate_hz, channels=CHANNELS, read=lambda: iter(blocks()))
    pieces = list(spi.read(waveform, LINES))
    assert all(piece.offsets[-1] == piece.word_start.size for piece in pieces)
    joined = spi.joined(pieces)
    for name in spi.Transfers.__slots__:
        np.testing.assert_array_equal(getattr(whole, name), getattr(joined, name), err_msg=name)


def test_a_gap_cuts_a_transfer_and_the_next_is_whole() -> None:
    """What touches a gap is flagged; nothing is joined across it; glitches and bits left over are counted."""
    bus = Bus(random.Random(1))
    first = bus.transfer([(1, 2), (3, 4), (5, 6)])
    second = bus.transfer([(7, 8)])
    bus.glitch_of_select()
    edges = edges_of(bus.samples())
    gap = np.array([[first[0] + 100, first[0] + 160]])  # from inside the first word into the next
    outside = (edges.samples < gap[0, 0]) | (edges.samples >= gap[0, 1])
    after = np.searchsorted(edges.samples, gap[0, 1], side="right") - 1
    at = int(np.sum(edges.samples < gap[0, 0]))
    samples = np.insert(edges.samples[outside], at, gap[0, 1])
    levels = np.insert(edges.levels[outside], at, edges.levels[after])
    decoder = spi.SpiDecoder(LINES)
    seen = decoder.feed(Block(samples, levels, edges.end, gap), is_last=True)
    assert [spi.CUT_END, spi.CUT_START, 0, 0] == seen.flags.tolist()
    assert [gap[0, 0], first[1], second[1]] == seen.end[:3].tolist()
    assert ([7], [8]) == tuple(list(side[seen.offsets[2] : seen.offsets[3]]) for side in (seen.mosi, seen.miso))
    assert 1 == seen.empty
    np.testing.assert_array_equal(gap, seen.gaps)
    assert seen.left_over[0] > 0 and [0, 0] == seen.left_over[2:].tolist()


def test_a_bus_that_cannot_be_is_refused() -> None:
    """Equal channels, no data line, an unknown mode, a line that the recording lacks: one clear error each."""
    for wrong in ({"clk": 1, "mosi": 1}, {"clk": 0}, {"clk": 0, "mosi": 1, "mode": 4}):
        with pytest.raises(CaptureError):
            spi.SpiLines(**wrong)
    with pytest.raises(CaptureError, match=r"node\.spi_clk"):
        spi.lines_of(("node.strobe",), "node")
