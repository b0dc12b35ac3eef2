"""The start of a TelosB's radio: typical, or the maximum of its data sheet."""

from __future__ import annotations

import pytest
from msp430image import elf, segments

from gpiorig.rig.bench.world import RadioStart, VirtualNode
from gpiorig.rig.virtual.vboards import VirtualBoards

PS_PER_MS = 10**9
# First access to the CC2420 a quarter of a ms after VREG_EN, by a driver that does not wait for the maximum of 0.6 ms.
PROGRAM = [
    *(0x40B2, 0x5A80, 0x0120),  # mov #WDTPW|WDTHOLD, &WDTCTL
    *(0xD0F2, 0x000E, 0x001B),  # bis.b #0x0E, &P3SEL
    *(0x40F2, 0x0017, 0x0070),  # mov.b #CHAR|SYNC|MM|SWRST, &U0CTL
    *(0x40F2, 0x00A2, 0x0071),  # mov.b #CKPH|SSEL_SMCLK|STC, &U0TCTL
    *(0x40F2, 0x0002, 0x0074),  # mov.b #2, &U0BR0
    *(0x43C2, 0x0075),  # mov.b #0, &U0BR1
    *(0xD0F2, 0x0040, 0x0004),  # bis.b #USPIE0, &ME1
    *(0xC3D2, 0x0070),  # bic.b #SWRST, &U0CTL
    *(0x40F2, 0x0064, 0x001D),  # mov.b #RESETN|VREG_EN|CSN, &P4OUT
    *(0x40F2, 0x0064, 0x001E),  # mov.b #RESETN|VREG_EN|CSN, &P4DIR
    *(0x4035, 60),  # mov #60, r5
    *(0x8315, 0x23FE),  # dec r5; jnz $-2
    *(0xC2E2, 0x001D),  # bic.b #CSN, &P4OUT
    *(0x43C2, 0x0077),  # mov.b #SNOP, &U0TXBUF
    0x3FFF,  # jmp $
]


@pytest.mark.parametrize(
    ("start", "remark"), [("typical", ""), ("maximum", "board=0 radio: SPI access without supply or in reset, ignored")]
)
def test_radio_start(start: RadioStart, remark: str) -> None:
    """By default the radio is there by then; with the maximum the access is lost, and logged."""
    boards = VirtualBoards(seed=1)
    boards.add_board("telosb", elf(segments(PROGRAM)), VirtualNode(radio_start=start))
    boards.pass_time(5 * PS_PER_MS)

    assert boards.log.strip().partition(" ps ")[2] == remark
    boards.close()
