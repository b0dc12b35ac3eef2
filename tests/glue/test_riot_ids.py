"""Where RIOT's glue reads the number of a packet: structures of GNRC, as RIOT lays them out, on the PC."""

from __future__ import annotations

import ctypes
import subprocess

import pytest
import riotglue

MODULES = ("gnrc_netapi", "gnrc_nettype_sixlowpan", "gnrc_nettype_ipv6", "gnrc_nettype_udp")
UNDEF, SIXLOWPAN, IPV6, UDP = range(4)  # tests/glue/foreign/riot/include/net/gnrc/nettype.h, with these modules
NUMBER = 0xA55A
PAYLOAD = NUMBER.to_bytes(2) * 8
IPV6_HEADER = bytes([0x60, 0, 0, 0, 0, 8 + len(PAYLOAD), 17, 64]) + bytes(32)  # RFC 8200 3
UDP_HEADER = bytes(8)


class Snip(ctypes.Structure):
    """gnrc_pktsnip_t; its first three members are an iolist_t."""


Snip._fields_ = [
    ("next", ctypes.POINTER(Snip)), ("data", ctypes.c_char_p), ("size", ctypes.c_size_t), ("users", ctypes.c_uint),
    ("type", ctypes.c_int),
]  # fmt: skip


def chain(*parts: tuple[bytes, int]) -> ctypes.POINTER(Snip):  # type: ignore[valid-type]
    """A packet of these parts; None for no packet."""
    head = ctypes.POINTER(Snip)()
    for data, kind in reversed(parts):
        head = ctypes.pointer(Snip(head, data, len(data), 1, kind))
    return head


@pytest.fixture(scope="module")
def ids(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    library = tmp_path_factory.mktemp("ids") / "ids.so"
    options = ["-DGPIORIG_PORT=host", "-shared", "-fPIC", *riotglue.defines(MODULES), *riotglue.includes()]
    command = ["cc", *riotglue.WARNINGS, "-O1", *options, "-o", str(library), str(riotglue.GLUE / "ids.c")]
    subprocess.run(command, check=True)
    loaded = ctypes.CDLL(str(library))
    for name in ("sent", "received", "list"):
        getattr(loaded, f"gpiorig_{name}_id").restype = ctypes.c_uint16
    return loaded


@pytest.mark.parametrize(
    "packet",
    [
        chain((PAYLOAD, UNDEF)),
        chain((UDP_HEADER, UDP), (PAYLOAD, UNDEF)),
        chain((b"interface", UNDEF), (IPV6_HEADER, IPV6), (UDP_HEADER, UDP), (PAYLOAD, UNDEF)),
    ],
    ids=["payload", "udp", "ipv6"],
)
def test_on_the_way_down_it_ends_the_last_snip(ids: ctypes.CDLL, packet: object) -> None:
    assert NUMBER == ids.gpiorig_sent_id(packet)


def test_the_driver_has_a_list_that_may_end_in_nothing(ids: ctypes.CDLL) -> None:
    """An entry of a netdev's list may be empty (RIOT, drivers/include/net/netdev.h)."""
    assert NUMBER == ids.gpiorig_list_id(chain((b"header", UNDEF), (PAYLOAD, UNDEF), (b"", UNDEF)))


@pytest.mark.parametrize("slack", [b"", b"\xdd" * 8], ids=["exact", "8 bytes too long"])
def test_between_6lowpan_and_ipv6_the_header_tells_the_length(ids: ctypes.CDLL, slack: bytes) -> None:
    assert NUMBER == ids.gpiorig_received_id(chain((IPV6_HEADER + UDP_HEADER + PAYLOAD + slack, IPV6)))


@pytest.mark.parametrize(
    ("header", "kind"), [(b"\x7e\x33\xf0\x00\x00\x00", SIXLOWPAN), (UDP_HEADER, UDP), (b"", UNDEF)]
)
def test_on_the_way_up_it_ends_the_first_snip(ids: ctypes.CDLL, header: bytes, kind: int) -> None:
    """What the layers below have taken off lies after it."""
    assert NUMBER == ids.gpiorig_received_id(
        chain((header + PAYLOAD, kind), (IPV6_HEADER, IPV6), (b"interface", UNDEF))
    )


@pytest.mark.parametrize("cut", range(8, 128, 8))
def test_every_fragment_ends_in_the_number(ids: ctypes.CDLL, cut: int) -> None:
    """The payload repeats it and fragments are cut at multiples of 8 bytes (RFC 4944 5.3)."""
    datagram = IPV6_HEADER + UDP_HEADER + NUMBER.to_bytes(2) * 40
    for start in range(48, len(datagram), cut):
        assert NUMBER == ids.gpiorig_received_id(chain((b"\xe0frag" + datagram[start : start + cut], SIXLOWPAN)))


@pytest.mark.parametrize(
    "packet",
    [chain(), chain((b"", IPV6)), chain((b"x", UDP)), chain((bytes(39), IPV6))],
    ids=["nothing", "no byte", "a byte of UDP", "39 bytes of IPv6"],
)
def test_what_is_too_short_has_none(ids: ctypes.CDLL, packet: object) -> None:
    assert 0 == ids.gpiorig_sent_id(packet) == ids.gpiorig_received_id(packet) == ids.gpiorig_list_id(packet)
