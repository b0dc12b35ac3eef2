"""Images for a virtual TelosB, written in machine words."""

from __future__ import annotations

import struct
from collections.abc import Sequence

FLASH, VECTORS = 0x4000, 0xFFE0
EM_MSP430, PT_LOAD = 105, 1


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
