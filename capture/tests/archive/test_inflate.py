"""The inflater that makes edges, against zlib and a plain scan; the deflater, against both."""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest
from depth import by_depth
from numpy.typing import NDArray

from gpiorig.capture.archive.members import (
    COMPLETE,
    MALFORMED,
    NEEDS_INPUT,
    NEEDS_ROOM,
    TOO_LONG,
    MemberDeflater,
    MemberReader,
)
from gpiorig.capture.archive.zip_archive import DEFLATED, STORED
from gpiorig.capture.errors import CaptureError, NativeError
from gpiorig.capture.native import Buffer

CHUNKS = by_depth(2_000, 20_000)
BATCHES = 20
ALL = 2**64 - 1
STRATEGIES = (zlib.Z_DEFAULT_STRATEGY, zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FIXED)
FLUSHES = (zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH, zlib.Z_PARTIAL_FLUSH, zlib.Z_BLOCK)
NO_LIMIT = 1 << 40

Rows = tuple[NDArray[np.int64], NDArray[np.uint64]]


def read(
    reader: MemberReader,
    data: bytes,
    *,
    size: int = NO_LIMIT,
    method: int = DEFLATED,
    piece: int | None = None,
    capacity: int = 1 << 12,
) -> Rows:
    """Read one member in blocks, whose rest is kept for the next; `reader.head` shows how it ended."""
    samples, levels, raw = Buffer(np.int64, capacity), Buffer(np.uint64, capacity), Buffer(np.uint8, len(data))
    raw.array[:] = np.frombuffer(data, dtype=np.uint8)
    parts: list[Rows] = []
    at, end = 0, len(data) if piece is None else min(piece, len(data))
    reader.begin(method=method, size=size)
    while True:
        count, used = reader.feed(raw, at, end, samples, levels)
        assert 0 <= used <= end - at
        assert 0 <= count <= capacity
        parts.append((samples.array[:count].copy(), levels.array[:count].copy()))
        at += used
        if reader.head.status == NEEDS_INPUT and end < len(data):
            end = min(len(data), end + (piece or 0))
        elif reader.head.status != NEEDS_ROOM:
            return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def plain(data: bytes, unit: int, mask: int) -> Rows:
    """The edges, by looking at every sample."""
    count = len(data) // unit
    wide = np.zeros((count, 8), dtype=np.uint8)
    wide[:, :unit] = np.frombuffer(data, dtype=np.uint8)[: count * unit].reshape(count, unit)
    levels = wide.view("<u8")[:, 0] & np.uint64(mask)
    at = np.flatnonzero(np.append(True, levels[1:] != levels[:-1])) if count else np.empty(0, dtype=np.int64)
    return at.astype(np.int64), levels[at]


def content(rng: random.Random, unit: int) -> bytes:
    """Samples of a kind that captures have, or that inflaters stumble over."""
    kind = rng.randrange(8)
    longest = rng.choice((3, 3, 40, 40, 400, 400, 400, 3000, 30_000))
    if kind == 0:
        return rng.randbytes(rng.randrange(1500))  # noise, any length
    if kind == 1:
        return rng.randbytes(rng.randrange(1, 600)) * rng.randrange(1, 15)  # a period that is not a sample
    if kind == 2:
        return bytes(rng.randrange(4)) + rng.randbytes(unit) * rng.randrange(
            1, 60_000
        )  # one level, perhaps out of phase
    if kind == 3:
        return bytes(rng.choice((0, 1, 255)) for _ in range(rng.randrange(40)))
    if kind == 4:
        few = [rng.randbytes(unit) for _ in range(3)]
        return b"".join(rng.choice(few) * rng.randrange(1, longest) for _ in range(rng.randrange(1, 12)))
    level, parts = rng.getrandbits(8 * unit), []
    for _ in range(rng.randrange(1, 60 if longest < 3000 else 6)):
        level ^= 1 << rng.randrange(8 * unit)
        parts.append(level.to_bytes(unit, "little") * rng.randrange(1, longest))
    cut = rng.randrange(unit + 1)
    return b"".join(parts)[cut:]  # bursts


def deflate(rng: random.Random, data: bytes) -> bytes:
    """Deflate by zlib with any parameters, perhaps flushed here and there."""
    packer = zlib.compressobj(
        rng.randrange(10), zlib.DEFLATED, -rng.randrange(9, 16), rng.randrange(1, 10), rng.choice(STRATEGIES)
    )
    parts, at = [], 0
    while rng.randrange(4) == 0 and at < len(data):
        step = rng.randrange(1, len(data) + 1)
        parts += [packer.compress(data[at : at + step]), packer.flush(rng.choice(FLUSHES))]
        at += step
    return b"".join([*parts, packer.compress(data[at:]), packer.flush()])


def check(reader: MemberReader, data: bytes, rows: Rows, unit: int, mask: int) -> None:
    expected = plain(data, unit, mask)
    head = reader.head
    assert (COMPLETE, len(data), zlib.crc32(data)) == (head.status, head.bytes, head.crc)
    assert np.array_equal(expected[0], rows[0])
    assert np.array_equal(expected[1], rows[1])
    assert len(data) // unit == head.position


@pytest.mark.parametrize("batch", range(BATCHES))
def test_any_chunk_gives_the_edges_and_the_crc_of_zlib_and_a_plain_scan(batch: int) -> None:
    """Every level, strategy, window and flush of zlib; every unit size; at once and in blocks; any room for edges."""
    rng = random.Random(batch)
    for _ in range(CHUNKS // BATCHES):
        unit = rng.randrange(1, 9)
        mask = rng.choice((ALL, ALL, (1 << 8 * unit - 1) - 1, 1 << rng.randrange(8 * unit)))
        data = content(rng, unit)
        reader = MemberReader(unitsize=unit, used=mask)
        if rng.randrange(4):
            rows = read(reader, deflate(rng, data), size=len(data))
        else:
            piece, capacity = rng.choice((200, 701, 5000)), rng.choice((1, 7, 100))
            rows = read(reader, deflate(rng, data[:20_000]), size=len(data), piece=piece, capacity=capacity)
            data = data[:20_000]
        check(reader, data, rows, unit, mask)


@pytest.mark.parametrize("unit", range(1, 9))
def test_what_we_deflate_is_what_zlib_inflates(unit: int) -> None:
    rng = random.Random(unit)
    deflater, reader = MemberDeflater(unitsize=unit), MemberReader(unitsize=unit, used=ALL)
    for _ in range(60):
        data = content(rng, unit)
        data = data[: len(data) // unit * unit]
        if not data:
            continue
        samples, levels = plain(data, unit, ALL)
        start = rng.randrange(-5, 6)
        stream, crc = deflater.deflate(samples + start, levels, start, start + len(data) // unit)

        assert data == zlib.decompress(bytes(stream), -zlib.MAX_WBITS)
        assert zlib.crc32(data) == crc
        reader.restart(0)
        check(reader, data, read(reader, bytes(stream)), unit, ALL)


def test_a_stream_in_single_bytes_is_read() -> None:
    rng = random.Random(1)
    data = content(rng, 2)[:3000]
    for level in (0, 1, 9):
        reader = MemberReader(unitsize=2, used=ALL)
        packer = zlib.compressobj(level, zlib.DEFLATED, -15)
        check(reader, data, read(reader, packer.compress(data) + packer.flush(), piece=1, capacity=1), 2, ALL)


@pytest.mark.slow
def test_damage_is_found_where_zlib_finds_it() -> None:
    """Flipped bits, cut ends and noise: never a panic, an endless loop or a byte out of bounds, and zlib's verdict."""
    rng = random.Random(7)
    reader = MemberReader(unitsize=2, used=ALL)
    accepted = refused = 0
    for number in range(6000):
        stream = bytearray(deflate(rng, content(rng, 2)[:4000]))
        if number % 3 == 0:
            stream = bytearray(rng.randbytes(rng.randrange(1, 80)))
        elif number % 3 == 1:
            del stream[rng.randrange(len(stream)) :]
        for _ in range(rng.randrange(3)):
            if stream:
                stream[rng.randrange(len(stream))] ^= 1 << rng.randrange(8)
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            expected = inflater.decompress(bytes(stream))
        except zlib.error:
            expected = None
        reader.restart(0)
        rows = read(reader, bytes(stream))
        if expected is not None and inflater.eof:
            check(reader, expected, rows, 2, ALL)
            accepted += 1
        elif expected is None:
            assert reader.head.status in (MALFORMED, NEEDS_INPUT)
            refused += 1
        elif reader.head.status == MALFORMED:  # found a few bits before zlib looks
            with pytest.raises(zlib.error):
                inflater.decompress(bytes(64))
        else:
            assert reader.head.status == NEEDS_INPUT
            assert reader.head.bytes >= len(expected)
    assert min(accepted, refused) > 500


class Bits:
    """Puts together a stream by hand, first bit lowest."""

    def __init__(self) -> None:
        self._bits = ""

    def number(self, value: int, count: int) -> Bits:
        self._bits += f"{value:0{count}b}"[::-1] if count else ""
        return self

    def code(self, text: str) -> Bits:
        self._bits += text
        return self

    def bytes(self) -> bytes:
        padded = self._bits + "0" * (-len(self._bits) % 8)
        return bytes(int(padded[at : at + 8][::-1], 2) for at in range(0, len(padded), 8))


def fixed(symbol: int) -> str:
    """A code of section 3.2.6 of RFC 1951."""
    if symbol < 144:
        return f"{0x30 + symbol:08b}"
    if symbol < 256:
        return f"{0x190 + symbol - 144:09b}"
    return f"{symbol - 256:07b}" if symbol < 280 else f"{0xC0 + symbol - 280:08b}"


def with_one_distance(distances: int) -> Bits:
    """A dynamic block with codes for literal 5, the end, a match of 3 bytes, and for no distance or one."""
    bits = Bits().number(0b101, 3).number(1, 5).number(0, 5).number(14, 4)  # 258 literal and length codes, 1 distance
    for symbol in (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1):
        bits.number({18: 2, 0: 2, 1: 2, 2: 2}.get(symbol, 0), 3)
    zero, one, two, many = "00", "01", "10", "11"  # codes of the lengths 0, 1, 2, and of 11 to 138 zeros
    for _ in range(5):
        bits.code(zero)
    bits.code(one)  # literal 5: "0"
    bits.code(many).number(138 - 11, 7).code(many).number(112 - 11, 7)
    bits.code(two).code(two)  # the end: "10", a match of 3: "11"
    return bits.code(one if distances else zero)


def test_streams_that_zlib_never_writes_are_read() -> None:
    """A single distance code of one bit, none at all, empty blocks, 258 bytes as 284 and 31."""
    longest = Bits().number(0b011, 3).code(fixed(7)).code(fixed(284)).number(31, 5).number(0, 5).code(fixed(256))
    empty = Bits().number(0b010, 3).code(fixed(256)).number(0b010, 3).code(fixed(256))
    streams = {
        with_one_distance(1).code("0").code("11").code("0").code("10").bytes(): bytes([5] * 4),
        with_one_distance(0).code("0").code("0").code("10").bytes(): bytes([5] * 2),
        longest.bytes(): bytes([7] * 259),
        empty.number(0b011, 3).code(fixed(9)).code(fixed(256)).bytes(): bytes([9]),
        b"\x00\x00\x00\xff\xff" * 3 + b"\x01\x02\x00\xfd\xff\x01\x02": b"\x01\x02",
    }
    for stream, data in streams.items():
        assert data == zlib.decompress(stream, -15)
        for piece in (None, 1):
            reader = MemberReader(unitsize=1, used=ALL)
            check(reader, data, read(reader, stream, piece=piece), 1, ALL)


@pytest.mark.parametrize(
    "stream",
    [
        pytest.param(b"\x07", id="block type 3"),
        pytest.param(b"\x01\x02\x00\xfd\xfe\x01\x02", id="length of a stored block and its inverse"),
        pytest.param(Bits().number(0b011, 3).code(fixed(257)).number(0, 5).bytes(), id="match before the first byte"),
        pytest.param(Bits().number(0b011, 3).code(fixed(286)).bytes() + bytes(9), id="length symbol 286"),
        pytest.param(
            Bits().number(0b011, 3).code(fixed(1)).code(fixed(257)).number(0b01111, 5).bytes() + bytes(9),
            id="distance symbol 30",
        ),
        pytest.param(with_one_distance(1).code("0").code("11").code("1").bytes() + bytes(9), id="code not in use"),
        pytest.param(with_one_distance(0).code("0").code("11").bytes() + bytes(9), id="match without distances"),
        pytest.param(
            Bits().number(0b101, 3).number(30, 5).number(0, 5).number(0, 4).bytes() + bytes(99), id="287 codes"
        ),
        pytest.param(b"\x05" + bytes(99), id="no code at all"),
    ],
)
def test_what_is_no_stream_is_malformed(stream: bytes) -> None:
    with pytest.raises(zlib.error):
        zlib.decompress(stream, -15)
    reader = MemberReader(unitsize=1, used=ALL)
    read(reader, stream)
    assert MALFORMED == reader.head.status


def test_a_stream_does_not_look_back_into_the_one_before() -> None:
    reader = MemberReader(unitsize=1, used=ALL)
    read(reader, b"\x01\x02\x00\xfd\xff\x01\x02")
    read(reader, Bits().number(0b011, 3).code(fixed(257)).number(0, 5).bytes() + bytes(9))
    assert MALFORMED == reader.head.status


@pytest.mark.parametrize("method", [STORED, DEFLATED])
def test_a_member_ends_where_its_size_says(method: int) -> None:
    data = bytes(300_000)
    stream = data if method == STORED else zlib.compress(data, wbits=-15)
    reader = MemberReader(unitsize=2, used=ALL)
    rows = read(reader, stream, size=len(data), method=method, piece=1000)
    check(reader, data, rows, 2, ALL)
    read(reader, stream, size=len(data) + 1, method=method)
    assert reader.head.bytes == len(data)
    assert (NEEDS_INPUT if method == STORED else COMPLETE) == reader.head.status
    if method == DEFLATED:
        read(reader, stream, size=len(data) - 1)
        assert TOO_LONG == reader.head.status


def test_a_run_is_as_long_as_it_likes() -> None:
    """10 GB of one level in one member: only what is omitted of the window is that long."""
    unit, count = 2, 5 * 10**9
    samples, levels = np.array([0], dtype=np.int64), np.array([0], dtype=np.uint64)
    stream, crc = MemberDeflater(unitsize=unit).deflate(samples, levels, 0, count)
    reader = MemberReader(unitsize=unit, used=ALL)
    rows = read(reader, bytes(stream))

    assert (COMPLETE, 2 * count, crc) == (reader.head.status, reader.head.bytes, reader.head.crc)
    assert ([0], [0], count) == (rows[0].tolist(), rows[1].tolist(), reader.head.position)


def test_a_method_that_is_unknown_is_refused() -> None:
    with pytest.raises(NativeError, match="refused its arguments"):
        MemberReader(unitsize=2, used=ALL).begin(method=12, size=1)


def test_a_member_has_samples() -> None:
    """Without any, or with one at its end, its levels or its edges are not those of a member."""
    deflater = MemberDeflater(unitsize=1)
    nothing = np.empty(0, dtype=np.int64)
    for samples in (nothing, np.array([3, 9])):
        with pytest.raises(CaptureError, match="samples are not those of a member from 3 to 9"):
            deflater.deflate(samples, samples.astype(np.uint64), 3, 9)
    packed, _ = deflater.deflate(np.array([3, 8]), np.array([7, 1], dtype=np.uint64), 3, 9)
    assert b"\7\7\7\7\7\1" == zlib.decompress(packed, -15)
