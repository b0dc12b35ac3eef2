"""The start of a TelosB's radio: typical, or the maximum of its data sheet."""

from __future__ import annotations

import pytest
from msp430image import SPI_MASTER, elf, segments

from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.world import RadioStart, VirtualNode

PS_PER_MS = 10**9
# First access to the CC2420 a quarter of a ms after VREG_EN, by a driver that does not wait for the maximum of 0.6 ms.
PROGRAM = [
    *SPI_MASTER,
    *(0x40F2, 0x0064, 0x001D),  # mov.b #RESETN|VREG_EN|CSN, &P4OUT
    *(0x40F2, 0x0064, 0x001E),  # mov.b #RESETN|VREG_EN|CSN, &P4DIR
    *(0x4035, 60),  # mov #60, r5
    *(0x8315, 0x23FE),  # dec r5; jnz $-2
    *(0xC2E2, 0x001D),  # bic.b #CSN, &P4OUT
    *(0x43C2, 0x0077),  # mov.b #SNOP, &U0TXBUF
    0x3FFF,  # jmp $
]


@pytest.mark.parametrize(
    ("start", "remark"), [("typical", ""), ("maximum", "radio: SPI access without supply or in reset, ignored")]
)
def test_radio_start(start: RadioStart, remark: str) -> None:
    """By default the radio is there by then; with the maximum the access is lost, and logged."""
    boards = VirtualBoards(seed=1)
    boards.add_board("telosb", elf(segments(PROGRAM)), VirtualNode(radio_start=start))
    boards.pass_time(5 * PS_PER_MS)

    assert boards.log.strip().partition(" times=1 ")[2] == remark
    boards.close()
