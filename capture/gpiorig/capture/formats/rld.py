"""RocketLogger's data file, `.rld`: the digital channels.

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
BINARY, VALID = 3, 4  # units of a digital input, and of the flag that a current's low range is valid
CLOCK_SCALE = Fraction(100_000_000, 49 * 2_048_000)
CHUNK_ROWS = 1 << 15
MIN_HZ = 1000  # below, rows are made of several samples (RL_SAMPLE_RATE_MIN in rl.h)
MAX_LOST = 1 << 40  # samples: half a year at the highest rate
NS_PER_S = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    """What the header states; `bits` are the numbers of the digital inputs, by name."""

    length: int
    block_rows: int
    rows: int
    rate_hz: int
    start_s: int
    start_ns: int
    bits: dict[str, int]
    words: int
    analog_bytes: int

    @property
    def row_bytes(self) -> int:
        return self.words * WORD_BITS // 8 + self.analog_bytes


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read the digital inputs as a waveform; blocks whose timestamps are further apart than their samples are gaps."""
    header = _header(path)
    channels = chosen(list(header.bits), options.channels, path)
    at_hand = _rows(path, header)
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


def _header(path: Path) -> _Header:
    """Read the header."""
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
    if not bits:
        raise FormatError("has no digital inputs", where=path, remedy="record with the digital inputs enabled")
    return _Header(
        length=length,
        block_rows=block_rows,
        rows=rows,
        rate_hz=rate,
        start_s=start_s,
        start_ns=start_ns,
        bits=bits,
        words=-(-binary // WORD_BITS),
        analog_bytes=sum(size for _, _, size, _, _ in channels[binary:]),
    )


def _rows(path: Path, header: _Header) -> int:
    """Complete rows that the file has room for."""
    size = path.stat().st_size - header.length
    blocks, rest = divmod(size, TIMESTAMPS.size + header.block_rows * header.row_bytes)
    return blocks * header.block_rows + max(rest - TIMESTAMPS.size, 0) // header.row_bytes


def _blocks(file: BinaryIO, header: _Header, bits: list[int], rows: int, remarks: list[str]) -> Iterator[Block]:
    row = np.dtype([("levels", f"<u{header.words * WORD_BITS // 8}"), ("analog", f"V{header.analog_bytes}")])
    samples, left, before_ns, lost_blocks = SampleBlocks(), rows, 0, 0
    nominal_ns = header.block_rows * NS_PER_S / (header.rate_hz * CLOCK_SCALE)
    file.seek(header.length)
    while left:
        _, _, seconds, ns = TIMESTAMPS.unpack(file.read(TIMESTAMPS.size))
        at_ns = seconds * NS_PER_S + ns
        # The logger numbers its buffers and drops complete ones when it is too slow; it writes no mark of that.
        missing = round((at_ns - before_ns) / nominal_ns) - 1 if samples.end else 0
        if not 0 <= ns < NS_PER_S or missing < -1 or missing * header.block_rows > MAX_LOST:
            what = f"has a block, of sample {samples.end}, whose timestamp is not one"
            raise FormatError(what, where=file.name, remedy="it is damaged: copy it again")
        if missing > 0:
            lost_blocks += missing
            yield samples.lose(missing * header.block_rows)
        before_ns = at_ns
        in_block = min(left, header.block_rows)
        left -= in_block
        while in_block:
            count = min(in_block, CHUNK_ROWS)
            words = np.frombuffer(file.read(count * row.itemsize), dtype=row)["levels"].astype(np.uint64)
            levels = np.zeros(count, dtype=np.uint64)
            for place, bit in enumerate(bits):
                levels |= ((words >> np.uint64(bit)) & np.uint64(1)) << np.uint64(place)
            yield samples.feed(levels)
            in_block -= count
    if lost_blocks:
        remarks.append(f"missing by the timestamps of the blocks, of {header.block_rows} samples each: {lost_blocks}")


def _epoch(header: _Header) -> str:
    """The start of the measurement as ISO 8601; "" where it is not a date."""
    try:
        second = datetime.datetime.fromtimestamp(header.start_s, datetime.UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    if not 0 <= header.start_ns < NS_PER_S:
        return ""
    return f"{second:%Y-%m-%dT%H:%M:%S}.{header.start_ns:09}+00:00"
