"""Header compression and checksum of the reference firmware, compiled for the PC."""

from __future__ import annotations

import ctypes
import ipaddress
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

STACK = Path(__file__).resolve().parents[2] / "firmware-gpio-probes/reference/stack"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    library = tmp_path_factory.mktemp("stack") / "stack.so"
    options = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run(["cc", *options, "-o", library, STACK / "iphc.c", STACK / "inet.c"], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.inet_udp_checksum.restype = ctypes.c_uint16
    loaded.iphc_compress.restype = ctypes.c_uint8
    loaded.iphc_decompress.restype = ctypes.c_uint8
    return loaded


def compress(stack: ctypes.CDLL, headers: bytes, source: int, destination: int) -> tuple[bytes, int]:
    out, used = ctypes.create_string_buffer(64), ctypes.c_uint8()
    length = stack.iphc_compress(headers, source, destination, out, ctypes.byref(used))
    return out.raw[:length], used.value


def decompress(stack: ctypes.CDLL, frame: bytes, source: int, destination: int) -> tuple[bytes, int]:
    out, used = ctypes.create_string_buffer(48), ctypes.c_uint8()
    length = stack.iphc_decompress(frame, len(frame), source, destination, out, ctypes.byref(used))
    return out.raw[:length], used.value


def address(text: str) -> bytes:
    return ipaddress.IPv6Address(text).packed


def link_local(short: int) -> bytes:
    return address(f"fe80::ff:fe00:{short:x}")


def checksum(source: bytes, destination: bytes, datagram: bytes) -> int:
    """RFC 8200 8.1 in words of 16 bits."""
    data = source + destination + len(datagram).to_bytes(4) + bytes([0, 0, 0, 17]) + datagram
    data += bytes(len(data) % 2)
    total = sum(int.from_bytes(data[at : at + 2]) for at in range(0, len(data), 2))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF or 0xFFFF


def packet(
    source: bytes,
    destination: bytes,
    payload: bytes,
    *,
    traffic_class: int = 0,
    flow: int = 0,
    hop_limit: int = 64,
    ports: tuple[int, int] | None = (0xF0B0, 0xF0B0),
    next_header: int = 17,
) -> bytes:
    """An IPv6 packet; without ports, of some other next header."""
    if ports is not None:
        head = ports[0].to_bytes(2) + ports[1].to_bytes(2) + (8 + len(payload)).to_bytes(2)
        payload = head + checksum(source, destination, head + bytes(2) + payload).to_bytes(2) + payload
    head = (6 << 28 | traffic_class << 20 | flow).to_bytes(4) + len(payload).to_bytes(2)
    return head + bytes([next_header, hop_limit]) + source + destination + payload


def test_the_demo_packet_compresses_to_six_bytes(stack: ctypes.CDLL) -> None:
    """RFC 6282: 7e 33 (all elided, hop limit 64), f3 (UDP, ports in a nibble each), 00, and the checksum inline."""
    source, destination = link_local(1), link_local(2)
    whole = packet(source, destination, bytes(range(32)))
    assert (bytes.fromhex("7e33f300") + whole[46:48], 48) == compress(stack, whole[:48], 1, 2)


SOURCES = ["fe80::ff:fe00:1", "fe80::ff:fe00:9", "fe80::1234:5678:9abc:def0", "2001:db8::5", "::"]
DESTINATIONS = ["fe80::ff:fe00:2", "fe80::ff:fe00:8", "fe80::1", "2001:db8::6", "ff02::1", "ff0e::1:2:3"]
PORTS = [(0xF0B0, 0xF0BF), (0xF012, 5683), (5683, 0xF0FF), (0xF0B1, 0xF001), (53, 5683), None]


@pytest.mark.parametrize("ports", PORTS)
@pytest.mark.parametrize("destination", DESTINATIONS)
@pytest.mark.parametrize("source", SOURCES)
def test_round_trip(stack: ctypes.CDLL, source: str, destination: str, ports: tuple[int, int] | None) -> None:
    """Whatever the headers, they come back; and never did the compressed form take more than two bytes more."""
    for traffic_class, flow, hop_limit in [(0, 0, 64), (0xB9, 0, 1), (3, 0xABCDE, 255), (0x7C, 0x12345, 17), (2, 0, 0)]:
        whole = packet(
            address(source),
            address(destination),
            b"payload and id\x01\x02",
            traffic_class=traffic_class,
            flow=flow,
            hop_limit=hop_limit,
            ports=ports,
            next_header=17 if ports else 58,
        )
        compressed, used = compress(stack, whole, 1, 2)
        assert (48 if ports else 40) == used
        assert len(compressed) <= used + 2
        frame = compressed + whole[used:]
        headers, eaten = decompress(stack, frame, 1, 2)
        assert whole == headers + frame[eaten:]


def test_elided_addresses_follow_the_frame(stack: ctypes.CDLL) -> None:
    frame = bytes.fromhex("7e33f3001234") + b"body"
    headers, _ = decompress(stack, frame, 0xBEEF, 0x0102)
    assert (link_local(0xBEEF), link_local(0x0102)) == (headers[8:24], headers[24:40])


CUT_SHORT = ["7e33f30012", "7e", ""]
CONTEXTS = ["7eb3f3001234", "7e73f3001234", "7e37f3001234"]
FOREIGN = ["4133f3001234", "7e33e3001234", "7e33f7001234", "7e3bf3001234"]


@pytest.mark.parametrize("start", CUT_SHORT + CONTEXTS + FOREIGN)
def test_what_cannot_be_restored_is_refused(stack: ctypes.CDLL, start: str) -> None:
    """Cut short, another dispatch, a context, another NHC, an elided checksum, a shortened multicast address."""
    assert b"" == decompress(stack, bytes.fromhex(start), 1, 2)[0]


def test_decompression_survives_noise(stack: ctypes.CDLL) -> None:
    """Random bytes give headers or nothing, and never use more than there is."""
    choose = random.Random(6282)
    for _ in range(20000):
        first = choose.choice((choose.randrange(256), 0x60 | choose.randrange(32)))
        frame = bytes([first]) + choose.randbytes(choose.randrange(40))
        headers, used = decompress(stack, frame, 1, 2)
        assert len(headers) in (0, 40, 48)
        if headers:
            assert used <= len(frame)


@pytest.fixture
def firmware_checksum(stack: ctypes.CDLL) -> Callable[[bytes, bytes, bytes], int]:
    return lambda source, destination, datagram: stack.inet_udp_checksum(
        source, destination, datagram, ctypes.c_uint16(len(datagram))
    )


def test_udp_checksum(firmware_checksum: Callable[[bytes, bytes, bytes], int]) -> None:
    """Equals the plain sum of RFC 8200 for random datagrams of even and odd length; a right one sums to 0xFFFF."""
    choose = random.Random(768)
    for length in [8, 9, *(choose.randrange(8, 120) for _ in range(300))]:
        source, destination = choose.randbytes(16), choose.randbytes(16)
        datagram = bytearray(choose.choice((choose.randbytes(length), b"\xff" * length, bytes(length))))
        datagram[6:8] = bytes(2)
        expected = checksum(source, destination, bytes(datagram))
        assert expected == firmware_checksum(source, destination, bytes(datagram))
        datagram[6:8] = expected.to_bytes(2)
        assert 0xFFFF == firmware_checksum(source, destination, bytes(datagram))
        datagram[-1] ^= 0x40
        assert firmware_checksum(source, destination, bytes(datagram)) != 0xFFFF
