"""Targets of the fuzzer that decode: native kernels against sigrok's decoders in our host, at once or in blocks."""

from __future__ import annotations

import functools
import struct
from pathlib import Path
from typing import Any

import decoded_bus
import numpy as np
from faults import seeds
from numpy.typing import NDArray
from symbolbus import encode

from gpiorig.analysis.decoderhost.host import decode as host_decode
from gpiorig.analysis.decoderhost.library import Library, search_path
from gpiorig.analysis.decoderhost.outputs import OutputKind, Selection
from gpiorig.analysis.decoderhost.stack import parse_stacks
from gpiorig.analysis.events import events
from gpiorig.analysis.events.decoder import KNOWN_CODES
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.events.wiring import Bus, NodeLines
from gpiorig.capture.buses import spi, uart
from gpiorig.capture.buses.symbol_bus import BusFrames, BusLines, joined
from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.edges.waveform import Block, Waveform, waveform_of
from gpiorig.capture.frames import ieee802154
from gpiorig.capture.sync import sync_line as syncline

from .invariants import edges_of, equal, hold
from .readers import Target, our_errors

ROOT = Path(__file__).resolve().parents[2]
BUS_HZ = 24_000_000
FRAME_GAP = 7  # samples: 280 ns at 24 MHz, rounded up
DAMAGED = 2  # flag of a record of the decoder gpio_probe
QUIET = 30  # samples between the frames of a bus


def waves(data: bytes, *, channels: int, rate_hz: int) -> Edges:
    """A waveform of two bytes for each edge: how long after the last one, and which lines change."""
    at, level, rows = 0, 0, [(0, 0)]
    for wait, change in zip(data[::2], data[1::2], strict=False):
        at += 1 + wait % 16 if wait < 200 else (wait - 199) * 20
        level ^= change & ((1 << channels) - 1) or 1
        rows.append((at, level))
    samples, levels = np.array(rows, dtype=np.int64).T.copy()
    return _edges(samples, levels.astype(np.uint64), channels, rate_hz, end=at + 500)


def _edges(samples: NDArray[np.int64], levels: NDArray[np.uint64], channels: int, rate_hz: int, *, end: int) -> Edges:
    names = [f"D{i}" for i in range(channels)]
    return Edges.from_blocks([(samples, levels)], samplerate_hz=seeds.Fraction(rate_hz), channels=names, end=end)


class Records:
    """What decoders put out: bytes by class, annotations."""

    def __init__(self) -> None:
        self.bytes: dict[int, bytes] = {}
        self.annotations: list[tuple[int, int, int, list[str]]] = []

    def annotation(self, output: Any, start: int, end: int, number: int, texts: list[str]) -> None:
        self.annotations.append((start, end, number, texts))

    def binary(self, output: Any, start: int, end: int, number: int, data: bytes) -> None:
        self.bytes[number] = self.bytes.get(number, b"") + data

    def python(self, output: Any, start: int, end: int, data: Any) -> None: ...

    def meta(self, output: Any, start: int, end: int, value: int | float) -> None: ...


@functools.cache
def library() -> Library:
    """Our decoders and sigrok's own."""
    return Library(search_path({"SIGROKDECODE_DIR": str(ROOT / "decoders")}))


def by_sigrok(edges: Edges, stack: str, kind: OutputKind) -> Records:
    """What a stack of sigrok's decoders gives."""
    stacks = parse_stacks([stack], library(), edges.channels)
    outcome = host_decode(
        waveform_of(edges), stacks, selection=Selection.everything(stacks, kind), sink=(records := Records())
    )
    hold(not outcome.failed, f"sigrok's decoder failed: {outcome.failures[:1]}")
    return records


def symbol_bus(data: bytes) -> None:
    """A symbol bus: the native kernel finds what the sigrok decoder finds, at once and in several blocks."""
    width = (1, 2, 4, 8)[data[0] % 4] if data else 1
    bus(waves(data[1:], channels=1 + width, rate_hz=BUS_HZ), width)


def bus(edges: Edges, width: int) -> BusFrames:
    """Compare the kernel with the sigrok decoder and with itself."""
    lines = BusLines(strobe=0, data=tuple(range(1, 1 + width)), frame_gap_samples=FRAME_GAP)
    native = decoded_bus.decode(edges, lines, codes=KNOWN_CODES)
    wires = ":".join(["strobe=D0", *(f"d{i}=D{i + 1}" for i in range(width))])
    records = by_sigrok(edges, f"gpio_probe:{wires}:width={width}", OutputKind.BINARY).bytes.get(0, b"")
    expected = sorted((at, code, id_, flags) for at, _, code, id_, flags in struct.iter_unpack("<QBBHI", records))
    ours = [
        *(
            (at, code, max(id_, 0), int(id_ >= 0))
            for at, code, id_ in zip(native.samples, native.codes, native.ids, strict=True)
        ),
        *(
            (at, 0, min(n, 0xFFFF), DAMAGED)
            for at, n in zip(native.damaged_samples, native.damaged_symbols, strict=True)
        ),
    ]
    hold(expected == sorted(tuple(map(int, row)) for row in ours), "the kernel and the sigrok decoder find the same")
    for cut in {len(edges.samples) // 3, len(edges.samples) - 1}:
        pieces = joined(list(decoded_bus.stream(in_pieces(edges, cut), lines, codes=KNOWN_CODES)))
        hold(np.array_equal(pieces.samples, native.samples), "in pieces it finds the same")
        hold(np.array_equal(pieces.ids, native.ids), "in pieces it finds the same ids")
        hold(np.array_equal(pieces.damaged_samples, native.damaged_samples), "in pieces it finds the same damage")
    return native


def in_pieces(edges: Edges, cut: int) -> Waveform:
    """The same capture as two blocks."""

    def read():
        end = int(edges.samples[cut]) if cut < len(edges.samples) else edges.end
        yield Block(edges.samples[:cut], edges.levels[:cut], end)
        yield Block(edges.samples[cut:], edges.levels[cut:], edges.end)

    return Waveform(samplerate_hz=edges.samplerate_hz, channels=edges.channels, read=read)


def damaged_bus(data: bytes) -> None:
    """Frames of a bus, one of them hit: outside the damage nothing is lost or invented, inside it there is a mark."""
    if len(data) < 8:
        return
    width = (1, 2, 4)[data[0] % 3]
    sent = [
        (KNOWN_CODES[code % len(KNOWN_CODES)], None if flag & 1 else int(flag) * 257)
        for code, flag in zip(data[6:26:2], data[7:27:2], strict=False)
    ]
    levels, starts = drawn(sent, width)
    first = data[1] % len(sent)
    begin, end = starts[first], starts[first + 1] - QUIET
    victim = encode(*sent[first], width)
    kind, line, value = data[2] % 4, 1 + data[3] % width, data[4]
    gaps = no_gaps()
    if kind == 0:  # one symbol wrong in one line
        at = begin + 4 * (value % len(victim))
        levels[at : at + 4] ^= 1 << line
    elif kind == 1:  # samples lost, and known to be
        gaps = np.array([[begin - 2, end]], dtype=np.int64)
    elif kind == 2:  # the strobe stuck within the frame: symbols are missing
        at = begin + 4 * (value % len(victim))
        levels[at:end] = levels[at:end] & np.uint64(0xFFFE) | levels[at] & 1
        levels[end:] ^= (levels[end - 1] ^ levels[end]) & 1
    else:  # a brown-out: all lines low up to the frame's end
        levels[begin + 4 * (value % len(victim)) : end] = 0
    edges = sampled(levels, 1 + width, gaps)
    wiring = [NodeLines("n", Bus("D0", tuple(f"D{i + 1}" for i in range(width)), 280))]
    stage = events.from_edges(edges, wiring)
    got = {int(at): (int(code), int(id_)) for at, code, id_ in zip(stage.samples, stage.codes, stage.ids, strict=True)}
    expected = {at: (code, -1 if id_ is None else id_) for at, (code, id_) in zip(starts, sent, strict=False)}
    outside = {at: row for at, row in expected.items() if at != begin}
    inside = {at: row for at, row in got.items() if at not in outside}
    hold(outside.items() <= got.items(), "what was sent outside the damage is found")
    if kind < 2:
        hold(not inside, "a frame with a wrong symbol, or lost, is not another event")
    marks = [*stage.damaged.samples.tolist(), *stage.gaps[:, 0].tolist()]
    quiet = not np.any(np.diff((levels[begin - 1 : end] & 1).astype(np.int8)))  # no edge of the strobe was left
    reported = any(begin - 3 <= mark <= end + 4 for mark in marks) or bool(inside) or quiet
    hold(reported, "where an event was lost, there is a damaged frame or a gap")
    if kind != 1:
        bus(edges, width)


def drawn(sent: list[tuple[int, int | None]], width: int) -> tuple[NDArray[np.uint64], list[int]]:
    """The level of each sample while frames are sent, and where each begins; one more start: where the next would."""
    levels, starts, strobe, symbol = [0] * QUIET, [], 0, 0
    for code, id_ in sent:
        starts.append(len(levels))
        for symbol in encode(code, id_, width):
            strobe ^= 1
            levels += [strobe | symbol << 1] * 4
        levels += [strobe | symbol << 1] * QUIET
    return np.array(levels, dtype=np.uint64), [*starts, len(levels)]


def sampled(levels: NDArray[np.uint64], channels: int, gaps: NDArray[np.int64]) -> Edges:
    """The edges of levels at each sample, without those that were lost."""
    rows = np.concatenate([[0], np.flatnonzero(levels[1:] != levels[:-1]) + 1]).astype(np.int64)
    for start, end in gaps.tolist():
        rows = np.unique(np.concatenate([rows[(rows < start) | (rows >= end)], [end]]))
    names = [f"D{i}" for i in range(channels)]
    return Edges.from_blocks(
        [(rows, levels[rows])], samplerate_hz=seeds.Fraction(BUS_HZ), channels=names, end=len(levels), gaps=gaps
    )


def serial_line(data: bytes) -> None:
    """A serial line: characters and errors are those of sigrok's uart decoder."""
    if len(data) < 3:
        return
    parity = ("none", "odd", "even")[data[0] % 3]
    form = uart.UartFormat(baudrate=(100_000, 57_600, 230_400)[data[1] % 3], data_bits=5 + data[2] % 5, parity=parity)
    edges = waves(data[3:], channels=1, rate_hz=1_000_000)
    edges = _edges(edges.samples, edges.levels ^ np.uint64(1), 1, 1_000_000, end=edges.end)
    native = uart.joined(uart.decode(waveform_of(edges), "D0", form))
    stack = f"uart:rx=D0:baudrate={form.baudrate}:data_bits={form.data_bits}:parity={parity}"
    annotations = by_sigrok(edges, stack, OutputKind.ANNOTATION).annotations
    digits = (form.data_bits + 3) // 4
    expected = sorted((start, texts[0]) for start, _, number, texts in annotations if number == 0)
    before = int(form.bit_samples(edges.samplerate_hz) / 2)
    bit = form.bit_samples(edges.samplerate_hz)
    ours = sorted(
        (int(np.ceil(start + (bit - 1) / 2 + bit)) - before, f"{value:0{digits}X}")
        for start, value in zip(
            native.starts[native.received].tolist(), native.values[native.received].tolist(), strict=True
        )
    )
    hold(expected == ours, f"characters are those of sigrok: {expected[:3]} {ours[:3]}")
    for cut in {len(edges.samples) // 3, len(edges.samples) - 1}:
        pieces = uart.joined(uart.decode(in_pieces(edges, cut), "D0", form))
        for name in ("starts", "ends", "values", "flags"):
            hold(np.array_equal(getattr(pieces, name), getattr(native, name)), f"in pieces it finds the same {name}")


def spi_bus(data: bytes) -> None:
    """An SPI bus: its words are those of sigrok's spi decoder, at once and in several blocks."""
    if len(data) < 2:
        return
    mode, bits = data[0] % 4, 1 + data[1] % 32
    edges = waves(data[2:], channels=4, rate_hz=1_000_000)
    lines = spi.SpiLines(clk=0, mosi=1, miso=2, select=3, mode=mode, word_bits=bits)
    native = spi.decode(edges, lines)
    stack = f"spi:clk=D0:mosi=D1:miso=D2:cs=D3:cpol={mode >> 1}:cpha={mode & 1}:wordsize={bits}"
    annotations = by_sigrok(edges, stack, OutputKind.ANNOTATION).annotations
    for number, words in ((0, native.miso), (1, native.mosi)):
        expected = [int(texts[0], 16) for _, _, kind, texts in annotations if kind == number]
        hold(expected == words.tolist(), f"words of line {number} are those of sigrok: {expected[:4]} {words[:4]}")
    for cut in {len(edges.samples) // 3, len(edges.samples) - 1}:
        pieces = spi.joined(list(spi.read(in_pieces(edges, cut), lines)))
        for name in ("start", "end", "offsets", "flags", "mosi", "miso", "word_start"):
            hold(np.array_equal(getattr(pieces, name), getattr(native, name)), f"in pieces it finds the same {name}")


def radio_frame(data: bytes) -> None:
    """An IEEE 802.15.4 frame: a header within its bytes, or none."""
    header = ieee802154.parse(data)
    hold(header is None or header.length <= len(data), "a header is not longer than its frame")


def sync_line(data: bytes) -> None:
    """A coded sync line of any pulses: pulses increase, or a clear error."""
    edges = waves(data, channels=1, rate_hz=1_000_000)
    with our_errors():
        native = syncline.read(edges, "D0")
        hold(bool(np.all(np.diff(native.positions) > 0)), "numbers of pulses increase")


def shared_edges(data: bytes) -> None:
    """Windows of a capture, and the capture in blocks, are the capture."""
    edges = waves(data, channels=3, rate_hz=1_000_000)
    hold(equal(edges, edges_of(in_pieces(edges, len(edges.samples) // 2))), "in pieces it is the same")
    with our_errors():
        middle = edges.end // 2
        one, other = edges.window(0, middle), edges.window(middle, edges.end)
        hold(len(one.samples) + len(other.samples) - len(edges.samples) in (0, 1), "windows hold all rows")


def targets() -> list[Target]:
    """All of them."""
    frames = b"".join(bytes([3, 1 | n % 7 << 1]) for n in range(200))
    noise = np.random.default_rng(3).bytes(400)
    hold(set(KNOWN_CODES) <= set(BY_CODE), "the table of events")
    return [
        Target("symbol_bus", tuple(bytes([n]) + part for n in range(4) for part in (frames, noise)), symbol_bus),
        Target(
            "damaged_bus", tuple(bytes([n, n, k]) + noise[n : n + 40] for n in range(3) for k in range(4)), damaged_bus
        ),
        Target("uart", tuple(bytes([n, n, n]) + noise for n in range(3)), serial_line),
        Target("spi", tuple(bytes([n, 7]) + part for n in range(4) for part in (frames, noise)), spi_bus),
        Target("ieee802154", tuple(seeds.frame(n) for n in range(3)), radio_frame),
        Target("sync_line", (noise, bytes([250, 1] * 100)), sync_line),
        Target("edges", (noise,), shared_edges),
    ]
