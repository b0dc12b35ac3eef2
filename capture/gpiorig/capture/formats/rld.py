"""RocketLogger's data file, `.rld`: its header and blocks, and the digital channels (`capture.power.rld`: the power).

The layout is that of `struct rl_file_lead_in` and `rl_file_channel` in software/rocketlogger/rl_file.h, and of
`rl_file_add_data_block` in rl_file.c (ETHZ-TEC/RocketLogger, cbebb792; versions 1 to 4, little endian): a header, then
blocks of two timestamps, of the real and of the monotonic clock, and rows of 32-bit words of digital channels and of
the analog values.

The analog-digital converter runs at 100 MHz / 49 instead of 2.048 MHz, so that samples come 0.35 % slower than the
header's rate (`_ROCKETLOGGER_ADC_CLOCK_SCALE` in script/python/rocketlogger/data.py); the timestamps of blocks in the
project's own example files agree: 1.003 52 s for 1000 samples of "1 kHz".
"""

from __future__ import annotations

import datetime
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.read_options import ReadOptions, chosen
from gpiorig.capture.edges.sample_blocks import SampleBlocks
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import FormatError

SUMMARY = "RocketLogger data file, digital channels"
SUFFIXES = (".rld",)
MAGIC = b"%RLD"
VERSIONS = (1, 2, 3, 4)
LEAD_IN = struct.Struct("<4sHHIIQH6sqqIHH")
CHANNEL = struct.Struct("<IiHH16s")
TIMESTAMPS = struct.Struct("<qqqq")  # seconds and ns of the real, then of the monotonic clock
WORD_BITS = 32
BINARY = 3  # unit of a digital input
NO_LINK, LINKS_FROM_0 = 0xFFFF, 3  # a channel that is always valid; the version from which on links count from 0
LARGEST_SCALE = 12  # powers of ten (RL_SCALE_PICO, RL_SCALE_TERA)
CLOCK_SCALE = Fraction(100_000_000, 49 * 2_048_000)
CHUNK_ROWS = 1 << 15
MIN_HZ = 1000  # below, rows are made of several samples (RL_SAMPLE_RATE_MIN in rl.h)
MAX_LOST = 1 << 40  # samples: half a year at the highest rate
NS_PER_S = 10**9


@dataclass(frozen=True, slots=True)
class Analog:
    """An analog channel: name, unit, value in SI of one step, bytes, bit that is set while it is valid (-1: always)."""

    name: str
    unit: int
    scale: float
    size: int
    valid_bit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What the header states; `bits` are the numbers of the digital inputs, by name."""

    length: int
    block_rows: int
    rows: int
    rate_hz: int
    start_s: int
    start_ns: int
    bits: dict[str, int]
    words: int
    analog: tuple[Analog, ...]

    @property
    def row(self) -> np.dtype[np.void]:
        """A row: a word of the digital channels, if there are any, and the analog ones by their places."""
        levels = [("levels", f"<u{self.words * WORD_BITS // 8}")] * bool(self.words)
        return np.dtype([*levels, *((str(place), f"<i{one.size}") for place, one in enumerate(self.analog))])


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read the digital inputs as a waveform; blocks whose timestamps are further apart than their samples are gaps."""
    header = read_header(path)
    if not header.bits:
        raise FormatError("has no digital inputs", where=path, remedy="record with the digital inputs enabled")
    channels = chosen(list(header.bits), options.channels, path)
    at_hand = row_count(path, header)
    if at_hand < header.rows and not options.recover:
        raise FormatError(
            f"is cut short: it has {at_hand} of {header.rows} samples", where=path, remedy="--recover reads those"
        )
    remarks = ["a row is made of several samples: pulses shorter than it may be lost"] * (header.rate_hz < MIN_HZ)
    assumed = tuple(remarks)

    def read_blocks() -> Iterator[Block]:
        remarks[:] = assumed
        with path.open("rb") as file:
            yield from _blocks(
                file, header, [header.bits[name] for name in channels], min(at_hand, header.rows), remarks
            )

    return Waveform(
        samplerate_hz=options.samplerate_hz or header.rate_hz * CLOCK_SCALE,
        channels=channels,
        read=read_blocks,
        epoch=_epoch(header),
        source=f"RocketLogger file {path.name}: {header.rate_hz} Hz less 0.35 % of its converter's clock; sample 0 is "
        "when the measurement was set up",
        remarks=remarks,
    )


def read_header(path: Path) -> Header:
    """Read the header.

    Raises
    ------
    FormatError
        It is cut short, of an unknown version, or contradicts itself.
    """
    with path.open("rb") as file:
        lead = file.read(LEAD_IN.size)
        if len(lead) < LEAD_IN.size:
            raise FormatError("is cut short within its header", where=path, remedy="copy it again")
        _, version, length, block_rows, _, rows, rate, _, start_s, start_ns, comment, binary, analog = LEAD_IN.unpack(
            lead
        )
        data = file.read(max(length - LEAD_IN.size, 0))
    if version not in VERSIONS:
        raise FormatError(f"is of version {version}; 1 to 4 are known", where=path, remedy="export it as CSV")
    if length != LEAD_IN.size + comment + CHANNEL.size * (binary + analog) or len(data) < length - LEAD_IN.size:
        raise FormatError("has a header whose parts do not add up", where=path, remedy="it is damaged: copy it again")
    if not rate or not block_rows or binary > 2 * WORD_BITS:
        what = f"states {rate} Hz, blocks of {block_rows} samples and {binary} digital channels"
        raise FormatError(what, where=path, remedy="it is damaged: copy it again")
    channels = [CHANNEL.unpack_from(data, comment + CHANNEL.size * place) for place in range(binary + analog)]
    bits: dict[str, int] = {}
    for bit, (unit, _, _, _, name) in enumerate(channels[:binary]):
        text = name.partition(b"\0")[0].decode("ascii", "replace") or f"D{bit}"
        if unit == BINARY:
            bits[f"{text} ({bit})" if text in bits else text] = bit
    analog = channels[binary:]
    if any(size not in (1, 2, 4, 8) or abs(scale) > LARGEST_SCALE for _, scale, size, _, _ in analog):
        raise FormatError("has a channel of no known size or scale", where=path, remedy="it is damaged: copy it again")
    first = 1 if version < LINKS_FROM_0 else 0
    return Header(
        length=length,
        block_rows=block_rows,
        rows=rows,
        rate_hz=rate,
        start_s=start_s,
        start_ns=start_ns,
        bits=bits,
        words=-(-binary // WORD_BITS),
        analog=tuple(
            Analog(
                name=name.partition(b"\0")[0].decode("ascii", "replace"),
                unit=unit,
                scale=10.0**scale,
                size=size,
                valid_bit=-1 if link == NO_LINK else link - first,
            )
            for unit, scale, size, link, name in analog
        ),
    )


def row_count(path: Path, header: Header) -> int:
    """Complete rows that the file has room for."""
    size = path.stat().st_size - header.length
    blocks, rest = divmod(size, TIMESTAMPS.size + header.block_rows * header.row.itemsize)
    return blocks * header.block_rows + max(rest - TIMESTAMPS.size, 0) // header.row.itemsize


def rows_of(file: BinaryIO, header: Header, rows: int) -> Iterator[tuple[int, NDArray[np.void]]]:
    """Yield the next rows, with the number of samples that the timestamps show to be missing before them.

    Raises
    ------
    FormatError
        A timestamp is not one.
    """
    row, left, end, before_ns = header.row, rows, 0, 0
    nominal_ns = header.block_rows * NS_PER_S / (header.rate_hz * CLOCK_SCALE)
    file.seek(header.length)
    while left:
        _, _, seconds, ns = TIMESTAMPS.unpack(file.read(TIMESTAMPS.size))
        at_ns = seconds * NS_PER_S + ns
        # The logger numbers its buffers and drops complete ones when it is too slow; it writes no mark of that.
        missing = round((at_ns - before_ns) / nominal_ns) - 1 if end else 0
        if not 0 <= ns < NS_PER_S or missing < -1 or missing * header.block_rows > MAX_LOST:
            what = f"has a block, of sample {end}, whose timestamp is not one"
            raise FormatError(what, where=file.name, remedy="it is damaged: copy it again")
        lost = max(missing, 0) * header.block_rows
        before_ns = at_ns
        in_block = min(left, header.block_rows)
        left, end = left - in_block, end + lost + in_block
        while in_block:
            count = min(in_block, CHUNK_ROWS)
            yield lost, np.frombuffer(file.read(count * row.itemsize), dtype=row)
            in_block, lost = in_block - count, 0


def _blocks(file: BinaryIO, header: Header, bits: list[int], rows: int, remarks: list[str]) -> Iterator[Block]:
    samples, lost_blocks = SampleBlocks(), 0
    for lost, part in rows_of(file, header, rows):
        if lost:
            lost_blocks += lost // header.block_rows
            yield samples.lose(lost)
        words = part["levels"].astype(np.uint64)
        levels = np.zeros(len(part), dtype=np.uint64)
        for place, bit in enumerate(bits):
            levels |= ((words >> np.uint64(bit)) & np.uint64(1)) << np.uint64(place)
        yield samples.feed(levels)
    if lost_blocks:
        remarks.append(f"missing by the timestamps of the blocks, of {header.block_rows} samples each: {lost_blocks}")


def _epoch(header: Header) -> str:
    """The start of the measurement as ISO 8601; "" where it is not a date."""
    try:
        second = datetime.datetime.fromtimestamp(header.start_s, datetime.UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    if not 0 <= header.start_ns < NS_PER_S:
        return ""
    return f"{second:%Y-%m-%dT%H:%M:%S}.{header.start_ns:09}+00:00"
