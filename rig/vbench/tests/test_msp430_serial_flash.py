"""The serial flash of a TelosB, used by an image as drivers use it: the status is polled before each instruction."""

from __future__ import annotations

import numpy as np
from msp430image import FLASH, SPI_MASTER, elf, segments

from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.world import VirtualNode

PS_PER_MS = 10**9
PORT_6 = range(0x60, 0x68)

WREN, PP, READ, SE = 0x06, 0x02, 0x03, 0xD8
ADDRESS = (0x01, 0x02, 0x03)
INSTRUCTIONS = [
    (WREN,),
    (PP, *ADDRESS, 0x5A),
    (READ, *ADDRESS, 0),
    (WREN,),
    (SE, *ADDRESS),
    (READ, *ADDRESS, 0),
]


def program(transfer: int) -> list[int]:
    """Carries out the table at FLASH + 0x100; P6OUT is the last byte of each answer, in the end 0."""
    return [
        *SPI_MASTER,
        *(0x40F2, 0x0094, 0x001D),  # mov.b #HOLD|FLASH_CS|CSN, &P4OUT
        *(0x40F2, 0x0094, 0x001E),  # mov.b #HOLD|FLASH_CS|CSN, &P4DIR
        *(0x43F2, 0x0036),  # mov.b #-1, &P6DIR
        *(0x4031, 0x3900),  # mov #0x3900, sp
        *(0x4036, FLASH + 0x100),  # mov #table, r6
        *(0xC0F2, 0x0010, 0x001D),  # poll: bic.b #FLASH_CS, &P4OUT
        *(0x4075, 0x0005),  # mov.b #RDSR, r5
        *(0x12B0, transfer),  # call #transfer
        *(0x12B0, transfer),  # call #transfer
        *(0xD0F2, 0x0010, 0x001D),  # bis.b #FLASH_CS, &P4OUT
        0xB355,  # bit.b #WIP, r5
        0x23F2,  # jnz poll
        0x4677,  # mov.b @r6+, r7
        0x9347,  # tst.b r7
        0x240E,  # jz end
        *(0xC0F2, 0x0010, 0x001D),  # bic.b #FLASH_CS, &P4OUT
        0x4675,  # next: mov.b @r6+, r5
        *(0x12B0, transfer),  # call #transfer
        0x8357,  # dec.b r7
        0x23FB,  # jnz next
        *(0xD0F2, 0x0010, 0x001D),  # bis.b #FLASH_CS, &P4OUT
        *(0x45C2, 0x0035),  # mov.b r5, &P6OUT
        0x3FE1,  # jmp poll
        *(0x43C2, 0x0035),  # end: mov.b #0, &P6OUT
        0x3FFF,  # jmp $
    ]


TRANSFER = [
    *(0x45C2, 0x0077),  # mov.b r5, &U0TXBUF
    *(0xB0F2, 0x0040, 0x0002),  # wait: bit.b #URXIFG0, &IFG1
    0x27FC,  # jz wait
    *(0x4255, 0x0076),  # mov.b &U0RXBUF, r5
    0x4130,  # ret
]


def image() -> bytes:
    """The program, its subroutine and its table."""
    code = program(FLASH + 2 * len(program(0))) + TRANSFER
    table = b"".join(bytes([len(bytes_out), *bytes_out]) for bytes_out in INSTRUCTIONS)
    return elf(segments(code, table + b"\0"))


def test_program_and_erase() -> None:
    """What was written is read, also after a sector erase; the polls wait for the typical times of both cycles."""
    boards = VirtualBoards(seed=1)
    boards.add_board("telosb", image(), VirtualNode())
    boards.keep_edges()
    boards.pass_time(1_500 * PS_PER_MS)
    at_ps, _, pin, level = boards.edges()

    values, value = {}, 0
    for instant, bit, high in zip(at_ps.tolist(), (pin - PORT_6.start).tolist(), level.tolist(), strict=True):
        if bit in range(8):
            value = value & ~(1 << bit) | high << bit
            values[instant] = value
    assert list(values.values()) == [0xFF, 0x5A, 0xFF, 0x00]
    programmed, erased = np.diff([*values])[[0, 2]] / PS_PER_MS
    assert 1.4 < programmed < 1.4 + 2
    assert 1000 < erased < 1000 + 2
    assert boards.log == ""
    boards.close()
