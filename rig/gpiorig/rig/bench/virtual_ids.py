"""Whether a board is virtual, by the serial number of its answer: rig/vbench/vboards/src/identity.rs sets it.

A pattern there is one that silicon does not have. Firmware answers the number itself, or what it derives from it.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping

LOT, NOT_BCD = b"VIRTUAL", b"\xff\xff"  # of an STM32: bytes 5 to 11, and 2 and 3
NRF52_NUMBER = b"VIRT"  # of DEVICEID of an nRF52840: bytes 4 to 7
DS2411_FAMILY, DS2411_NUMBER = 0x01, b"VIRT"  # the latter bytes 3 to 6
LUID_SEED = 0xAB  # RIOT, sys/include/luid.h: LUID_BACKUP_SEED; sys/luid/luid.c folds the id of the chip into 8 bytes
# Type and index of a radio, which RIOT's luid_netdev_get_eui64 XORs into bytes 6 and 7, are less than these.
RIOT_TYPES, RIOT_INDICES = 64, 16


def of_answer(fields: Mapping[str, str]) -> bool | None:
    """Whether the board that answered `identify` with these fields is virtual; None: the answer does not tell."""
    try:
        number = bytes.fromhex(fields.get("uid", ""))
    except ValueError:
        return None
    if len(set(number)) <= 1:
        return None  # no number: all ones, all zeros, or RIOT's seed
    if len(number) == 12:
        return number[5:] == LOT and number[2:4] == NOT_BCD
    if len(number) == 8 and fields.get("firmware") == "riot":
        return _is_folded(number)
    if len(number) == 8 and number[0] == DS2411_FAMILY and _crc8(number) == 0:
        return number[3:7] == DS2411_NUMBER
    if len(number) == 8 and fields.get("board") == "nrf52840dk" and fields.get("firmware") == "reference":
        return number[4:] == NRF52_NUMBER
    return None


def of_link_local(address: str) -> bool | None:
    """Whether RIOT's board with this link-local address is virtual; None: the address does not tell."""
    try:
        return _is_folded(ipaddress.IPv6Address(address).packed[8:])
    except ValueError:
        return None


def _is_folded(number: bytes) -> bool:
    """Whether 8 bytes are the id of a virtual chip as RIOT folds it; two bits of byte 0 are flags of an address."""
    plain = bytes(byte ^ LUID_SEED for byte in number)
    stm32 = plain[2:4] == bytes([NOT_BCD[0] ^ LOT[5], NOT_BCD[1] ^ LOT[6]]) and plain[5] == LOT[0]
    nrf52 = plain[4:6] == NRF52_NUMBER[:2]
    ends = [LOT[1:3]] * stm32 + [NRF52_NUMBER[2:]] * nrf52
    return any(plain[6] ^ end[0] < RIOT_TYPES and plain[7] ^ end[1] < RIOT_INDICES for end in ends)


def _crc8(data: bytes) -> int:
    """The check of 1-Wire, 0 over a number with its own (Maxim 19-6131): X8 + X5 + X4 + 1, shifted to the right."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x8C if crc & 1 else 0)
    return crc
