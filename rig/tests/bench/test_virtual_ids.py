"""Serial numbers of virtual boards are recognised, also in what RIOT derives from them; those of chips are not."""

from __future__ import annotations

import ipaddress

import pytest

from gpiorig.rig.bench import virtual_ids
from gpiorig.rig.bench.virtual_ids import LUID_SEED

VIRTUAL = bytes.fromhex("13aaffff00") + b"VIRTUAL"
NRF52 = bytes.fromhex("01002a13") + b"VIRT"
CHIP = bytes.fromhex("2a0051001a") + b"Q236510"  # fields as of RM0351 49.1; the lot is made up


def folded(number: bytes) -> bytes:
    """As `luid_base` of RIOT does it (sys/luid/luid.c), plainly."""
    out = bytearray([LUID_SEED] * 8)
    for place, byte in enumerate(number):
        out[place % 8] ^= byte
    return bytes(out)


def link_local(number: bytes, *, radio: int, index: int) -> str:
    """The address of a RIOT node (`luid_netdev_get_eui64`, sys/luid/luid.c; RFC 4291 appendix A)."""
    eui = bytearray(folded(number))
    eui[6] ^= radio
    eui[7] ^= index
    eui[0] = (eui[0] | 0x02) & 0xFE
    return str(ipaddress.IPv6Address(b"\xfe\x80" + bytes(6) + bytes([eui[0] ^ 0x02]) + eui[1:]))


@pytest.mark.parametrize(
    ("uid", "firmware", "virtual"),
    [
        (VIRTUAL.hex(), "reference", True),
        (CHIP.hex(), "reference", False),
        (folded(VIRTUAL).hex(), "riot", True),
        (folded(CHIP).hex(), "riot", False),
        (NRF52.hex(), "reference", True),
        (folded(NRF52).hex(), "riot", True),
        ("0101005649525438", "reference", True),
        ("01d4a7f90d0000b5", "reference", False),  # a DS2411 with a check that fits
        ("01d4a7f90d000000", "contiki-ng", None),  # an address that begins as one
        (folded(VIRTUAL).hex(), "contiki-ng", None),
        ("ff" * 12, "reference", None),
        (f"{LUID_SEED:02x}" * 8, "riot", None),
        ("", "reference", None),
        ("zz", "reference", None),
    ],
)
def test_an_answer_tells(uid: str, firmware: str, virtual: bool | None) -> None:
    """The number itself, or what RIOT folds of it; nothing without one, or of a firmware whose way is not known."""
    assert virtual is virtual_ids.of_answer({"uid": uid, "firmware": firmware, "board": "nrf52840dk"})


@pytest.mark.parametrize(("number", "virtual"), [(VIRTUAL, True), (NRF52, True), (CHIP, False)])
def test_an_address_of_riot_tells(number: bytes, virtual: bool) -> None:
    """With the type and the index of the radio in it."""
    assert virtual is virtual_ids.of_link_local(link_local(number, radio=7, index=1))
    assert virtual_ids.of_link_local("no address") is None
