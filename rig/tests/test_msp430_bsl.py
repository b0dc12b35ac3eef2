"""The TelosB's bootstrap loader: the tool that flashes real boards flashes a virtual one."""

import select
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpiorig.rig.virtual.rfc2217 import Rfc2217Port
from gpiorig.rig.virtual.vboards import VirtualBoards

FLASH, VECTORS = 0x4000, 0xFFE0
EM_MSP430, PT_LOAD = 105, 1
LIMIT_S = 150
# python-msp430-tools 0.10.0 calls TelosBTarget.start_bsl with an argument that the method does not take, so its own
# `python -m msp430.bsl.target.telosb` fails before it has sent anything. This is the same program without that slip.
TOOL = """
from msp430.bsl.target.telosb import TelosBTarget
start = TelosBTarget.start_bsl
TelosBTarget.start_bsl = lambda self, prompt_before_release=False: start(self)
TelosBTarget().main()
"""
PS_PER_S = 10**12


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


def ti_text(segments: dict[int, bytes]) -> str:
    """The same in TI-Text; the tool takes only ELF files with section headers."""
    return "".join(f"@{address:04x}\n{data.hex(' ')}\n" for address, data in segments.items()) + "q\n"


def program(text: bytes) -> dict[int, bytes]:
    """Says `text` over and over on USART1 with 9600 baud from the 32 768 Hz crystal (UBR 3, UMCTL 0x4A: SLAU049F table 13-2)."""
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
    code = struct.pack(f"<{len(words)}H", *words)
    return {FLASH: code.ljust(0x100, b"\xff") + text + b"\n\0", VECTORS: struct.pack("<16H", *[FLASH] * 16)}


def said(boards: VirtualBoards) -> bytes:
    """What the board says within the next virtual second."""
    boards.uart_read(0, 0)
    boards.run(boards.now_ps + PS_PER_S)
    return bytes(boards.uart_read(0, 0)[1])


def flash(boards: VirtualBoards, *arguments: str | Path) -> str:
    """Run the tool on a port of the bench while the bench goes on; what it has printed."""
    port = Rfc2217Port(boards, 0)
    tool = [sys.executable, "-W", "ignore", "-c", TOOL, "-p", port.url, *map(str, arguments)]
    process = subprocess.Popen(tool, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    deadline = time.monotonic() + LIMIT_S
    while process.poll() is None and time.monotonic() < deadline:
        select.select([port], [], [], 0.01)
        port.serve()
        boards.run(boards.now_ps + PS_PER_S)
    if process.poll() is None:
        process.kill()
    port.close()
    output, _ = process.communicate()
    assert process.returncode == 0, output
    return output


@pytest.mark.slow
@pytest.mark.timeout(LIMIT_S + 30)
def test_the_real_tool_flashes_a_telosb(tmp_path: Path) -> None:
    """Entry by DTR and RTS, mass erasure, programming, verification, reset; then the new image runs from its vector."""
    image = tmp_path / "new.txt"
    image.write_text(ti_text(program(b"the new image")))
    boards = VirtualBoards(seed=1)
    boards.add_board("telosb", elf(program(b"the old image")), clock_ppb=0)
    assert b"the old image" in said(boards)
    output = flash(boards, "-e", "-P", "-V", "-r", "-i", "titext", image)
    assert "Verify by file: OK" in output
    after = said(boards)
    assert b"the new image" in after
    assert b"the old image" not in after
    boards.close()
