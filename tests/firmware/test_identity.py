"""`identify`: a board states the number that it has of its own."""

from __future__ import annotations

import re

import oneboard
import pytest
from images import FIRMWARE

# The number of words is that of the chip: UID of an STM32, ROM of the DS2411 of a TelosB (family 0x01 first, CRC last).
BYTES = {"iotlab-m3": 12, "nrf52840dk": 8, "nucleo-l476rg": 12, "telosb": 8}


@pytest.mark.parametrize("board", BYTES)
def test_identify_states_the_number_of_the_board(board: str) -> None:
    image = (FIRMWARE / "build" / board / "reference.elf").read_bytes()
    [number] = re.findall(r"^ok identify .* uid=([0-9a-f]+)", oneboard.run(board, image, "identify").printed, re.M)
    assert 2 * BYTES[board] == len(number)
    assert set(number) - set("f0")


def test_telosb_states_the_rom_of_its_serial_number_chip() -> None:
    """The first virtual TelosB has serial number 1, and a mark; its CRC is that of Maxim's application note 27."""
    image = (FIRMWARE / "build" / "telosb" / "reference.elf").read_bytes()
    printed = oneboard.run("telosb", image, "identify").printed
    [number] = re.findall(r" uid=([0-9a-f]{16})", printed)
    rom = bytes.fromhex(number)
    assert b"\x01\x01\0VIRT" == rom[:7]
    assert 0 == remainder(rom)


def remainder(rom: bytes) -> int:
    """Of the division by X8 + X5 + X4 + 1, the first bit sent as the highest power."""
    bits = [byte >> bit & 1 for byte in rom for bit in range(8)]
    register = 0
    for bit in bits:
        register = (register << 1 | bit) ^ (0x131 if register & 0x80 else 0)
    return register
