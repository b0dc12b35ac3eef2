"""Images for a virtual TelosB, written in machine words."""

from __future__ import annotations

import struct
from collections.abc import Sequence

FLASH, VECTORS = 0x4000, 0xFFE0
EM_MSP430, PT_LOAD = 105, 1
# USART0 of an MSP430F1611 as the SPI master of a TelosB, mode 0, at half of SMCLK; the watchdog stands.
SPI_MASTER = [
    *(0x40B2, 0x5A80, 0x0120),  # mov #WDTPW|WDTHOLD, &WDTCTL
    *(0xD0F2, 0x000E, 0x001B),  # bis.b #0x0E, &P3SEL
    *(0x40F2, 0x0017, 0x0070),  # mov.b #CHAR|SYNC|MM|SWRST, &U0CTL
    *(0x40F2, 0x00A2, 0x0071),  # mov.b #CKPH|SSEL_SMCLK|STC, &U0TCTL
    *(0x40F2, 0x0002, 0x0074),  # mov.b #2, &U0BR0
    *(0x43C2, 0x0075),  # mov.b #0, &U0BR1
    *(0xD0F2, 0x0040, 0x0004),  # bis.b #USPIE0, &ME1
    *(0xC3D2, 0x0070),  # bic.b #SWRST, &U0CTL
]


def elf(segments: dict[int, bytes]) -> bytes:
    """An executable with these bytes at these addresses (Tool Interface Standard, ELF Specification 1.2)."""
    table, body = b"", b""
    start = 52 + 32 * len(segments)
    for address, data in segments.items():
        table += struct.pack("<8I", PT_LOAD, start + len(body), address, address, len(data), len(data), 5, 1)
        body += data
    ident = b"\x7fELF\x01\x01\x01" + bytes(9)
    header = struct.pack("<HHIIIIIHHHHHH", 2, EM_MSP430, 1, FLASH, 52, 0, 0, 52, 32, len(segments), 0, 0, 0)
    return ident + header + table + body


def segments(words: Sequence[int], data: bytes = b"") -> dict[int, bytes]:
    """A program of up to 128 words at the start of the flash, `data` at FLASH + 0x100, and the vectors."""
    code = struct.pack(f"<{len(words)}H", *words)
    return {FLASH: code.ljust(0x100, b"\xff") + data, VECTORS: struct.pack("<16H", *[FLASH] * 16)}


def sender(text: bytes) -> dict[int, bytes]:
    """Sends `text` repeatedly on USART1, with 9600 baud from the crystal (UBR 3, UMCTL 0x4A: SLAU049F table 13-2)."""
    words = [
        *(0x40B2, 0x5A80, 0x0120),  # mov #WDTPW|WDTHOLD, &WDTCTL
        *(0xD0F2, 0x00C0, 0x001B),  # bis.b #0xC0, &P3SEL
        *(0x40F2, 0x0011, 0x0078),  # mov.b #CHAR|SWRST, &U1CTL
        *(0x40F2, 0x0010, 0x0079),  # mov.b #SSEL_ACLK, &U1TCTL
        *(0x40F2, 0x0003, 0x007C),  # mov.b #3, &U1BR0
        *(0x43C2, 0x007D),  # mov.b #0, &U1BR1
        *(0x40F2, 0x004A, 0x007B),  # mov.b #0x4A, &U1MCTL
        *(0xD0F2, 0x0030, 0x0005),  # bis.b #UTXE1|URXE1, &ME2
        *(0xC3D2, 0x0078),  # bic.b #SWRST, &U1CTL
        *(0x4035, FLASH + 0x100),  # again: mov #text, r5
        *(0x45F2, 0x007F),  # next: mov.b @r5+, &U1TXBUF
        *(0xB0F2, 0x0020, 0x0003),  # wait: bit.b #UTXIFG1, &IFG2
        0x27FC,  # jz wait
        *(0x93C5, 0x0000),  # tst.b 0(r5)
        0x23F7,  # jnz next
        0x3FF4,  # jmp again
    ]
    return segments(words, text + b"\n\0")
