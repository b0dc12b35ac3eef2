"""Radios followed by their SPI accesses: Atmel 8111C 6.2, TI SWRS041 13 to 16, ST's SPIRIT1 library."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest

from gpiorig.analysis.decoderhost.library import Library
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.radio import spi_frames
from gpiorig.capture.buses.spi import SpiLines, Transfers

LIBRARY = Library((Path(__file__).resolve().parents[3] / "decoders",))
PSDU = bytes([0x41, 0x88, 0x07, 0xCD, 0xAB])
FCS = b"\x12\x34"


def followed(chip: str, *accesses: tuple[bytes, bytes] | bytes, has_miso: bool = True) -> list[tuple[object, ...]]:
    """(start, end, sent, psdu, has_fcs) of the frames that these accesses carry, the first from sample 0 to 9."""
    sides = [access if isinstance(access, tuple) else (access, bytes(len(access))) for access in accesses]
    mosi, miso = (np.frombuffer(b"".join(side), dtype=np.uint8).astype(np.uint64) for side in zip(*sides, strict=True))
    starts, nothing = np.arange(len(sides)) * 10, np.zeros(len(sides), dtype=np.int64)
    transfers = Transfers(
        start=starts,
        end=starts + 9,
        offsets=np.array([0, *accumulate(len(out) for out, _ in sides)]),
        flags=nothing,
        left_over=nothing,
        word_start=np.zeros(len(mosi), dtype=np.int64),
        word_end=np.zeros(len(mosi), dtype=np.int64),
        mosi=mosi,
        miso=miso,
        gaps=np.empty((0, 2), dtype=np.int64),
    )
    lines = SpiLines(clk=0, mosi=1, miso=2 if has_miso else None, select=3)
    frames = spi_frames.frames(
        [transfers], decoder=LIBRARY.load(chip), samplerate_hz=Fraction(1_000_000), lines=lines, node="a"
    )
    ends = frames.offsets
    return [
        (start, end, sent, frames.data[ends[row] : ends[row + 1]].tobytes(), fcs)
        for row, (start, end, sent, fcs) in enumerate(
            zip(*(column.tolist() for column in (frames.start, frames.end, frames.sent, frames.has_fcs)), strict=True)
        )
    ]


AT_WRITE = bytes([0x60, len(PSDU) + 2]) + PSDU
AT_FCS_OFF, AT_FCS_ON, AT_START = bytes([0xC4, 0x00]), bytes([0xC4, 0x20]), bytes([0xC2, 0x02])


def at_read(register: int, value: int) -> tuple[bytes, bytes]:
    return bytes([0x80 | register, 0]), bytes([0, value])


@pytest.mark.parametrize(
    ("accesses", "frames"),
    [
        ([AT_WRITE], [(0, 9, True, PSDU, False)]),
        ([AT_FCS_OFF, AT_WRITE + FCS], [(10, 19, True, PSDU + FCS, True)]),
        ([AT_FCS_OFF, AT_FCS_ON, AT_WRITE], [(20, 29, True, PSDU, False)]),
        ([at_read(0x04, 0x00), AT_WRITE + FCS], [(10, 19, True, PSDU + FCS, True)]),
        # An AT86RF230, by its part number, has the bit in PHY_TX_PWR.
        ([at_read(0x1C, 0x02), bytes([0xC5, 0x00]), AT_WRITE + FCS], [(20, 29, True, PSDU + FCS, True)]),
        ([at_read(0x1C, 0x02), AT_FCS_OFF, AT_WRITE], [(20, 29, True, PSDU, False)]),
        # By two SRAM accesses, sent by TX_START; another state sends nothing.
        ([bytes([0x40, 0]) + AT_WRITE[1:4], bytes([0x40, 3]) + AT_WRITE[4:], AT_START], [(0, 19, True, PSDU, False)]),
        ([bytes([0x40, 0]) + AT_WRITE[1:], bytes([0xC2, 0x09])], []),
        ([bytes([0x40, 1]) + PSDU, AT_START], []),
        ([bytes([0xC4])], []),
        ([(bytes([0x20]) + bytes(9), bytes([0, 7]) + PSDU + FCS + b"\xff")], [(0, 9, False, PSDU + FCS, True)]),
        ([(bytes([0x20]) + bytes(5), bytes([0, 7]) + PSDU[:4])], []),
    ],
)
def test_frames_of_an_at86rf2xx(accesses, frames) -> None:
    assert frames == followed("at86rf2xx", *accesses)


def test_an_at86rf2xx_without_miso_is_followed_by_what_is_written() -> None:
    """A read tells nothing then; what was set before stays."""
    accesses = [AT_FCS_OFF, bytes([0x84, 0]), bytes([0x20, 0, 0, 0]), AT_WRITE + FCS]
    assert [(30, 39, True, PSDU + FCS, True)] == followed("at86rf2xx", *accesses, has_miso=False)


CC_WRITE = bytes([0x3E, len(PSDU) + 2]) + PSDU
CC_READ = bytes([0x7F]) + bytes(8), bytes([0, 7]) + PSDU + b"\x05\xeb"


@pytest.mark.parametrize(
    ("accesses", "frames"),
    [
        ([CC_WRITE], [(0, 9, True, PSDU, False)]),
        ([CC_WRITE[:4], bytes([0x3E]) + CC_WRITE[4:]], [(0, 19, True, PSDU, False)]),
        ([CC_WRITE[:4], bytes([0x09]), CC_WRITE], [(20, 29, True, PSDU, False)]),
        ([bytes([0x11, 0, 0]), CC_WRITE + FCS], [(10, 19, True, PSDU + FCS, True)]),
        # What MDMCTRL0 held is read: the low byte is the second.
        ([(bytes([0x51, 0, 0]), bytes([0, 0, 0x00])), CC_WRITE + FCS], [(10, 19, True, PSDU + FCS, True)]),
        ([(bytes([0x51, 0, 0]), bytes([0, 0, 0x20])), CC_WRITE], [(10, 19, True, PSDU, False)]),
        # A strobe may come before the FIFO in one access; a RAM access ends it.
        ([bytes([0x00, 0x09]) + CC_WRITE], [(0, 9, True, PSDU, False)]),
        ([bytes([0x80]) + CC_WRITE], []),
        ([CC_READ], [(0, 9, False, PSDU, False)]),
        (
            [(CC_READ[0][:4], CC_READ[1][:4]), (bytes([0x7F]) + bytes(5), b"\0" + CC_READ[1][4:])],
            [(0, 19, False, PSDU, False)],
        ),
        ([(bytes([0x3F]) + bytes(8), CC_READ[1])], []),  # written, in its test mode
        ([(CC_READ[0][:4], CC_READ[1][:4]), bytes([0x08]), CC_READ], [(20, 29, False, PSDU, False)]),
    ],
)
def test_frames_of_a_cc2420(accesses, frames) -> None:
    assert frames == followed("cc2420", *accesses)


def test_a_cc2420_without_miso_is_followed_by_what_is_written() -> None:
    accesses = [bytes([0x11, 0, 0]), bytes([0x51, 0, 0x20]), CC_READ[0], CC_WRITE + FCS]
    assert [(30, 39, True, PSDU + FCS, True)] == followed("cc2420", *accesses, has_miso=False)


SPIRIT_LOAD, SPIRIT_SEND = bytes([0x00, 0xFF]) + PSDU, bytes([0x80, 0x60])


@pytest.mark.parametrize(
    ("accesses", "frames"),
    [
        ([SPIRIT_LOAD, SPIRIT_SEND], [(0, 9, True, PSDU, False)]),
        ([SPIRIT_LOAD[:4], bytes([0x00, 0xFF]) + SPIRIT_LOAD[4:], SPIRIT_SEND], [(0, 19, True, PSDU, False)]),
        ([SPIRIT_LOAD], []),
        ([SPIRIT_SEND], []),
        ([SPIRIT_LOAD, SPIRIT_SEND, SPIRIT_SEND], [(0, 9, True, PSDU, False)]),
        ([SPIRIT_LOAD, bytes([0x80, 0x72]), SPIRIT_SEND], []),  # FLUSHTXFIFO
        ([SPIRIT_LOAD, bytes([0x80, 0x70]), SPIRIT_SEND], []),  # SRES
        ([SPIRIT_LOAD, bytes([0x80, 0x61]), SPIRIT_SEND], [(0, 9, True, PSDU, False)]),  # another command
        ([bytes([0x00, 0x30]) + PSDU, SPIRIT_SEND], []),  # a register, not the FIFO
        ([bytes([0x00, 0xFF]), SPIRIT_SEND], []),
        ([SPIRIT_LOAD, bytes([0x80, 0x72, 0x00, 0xFF]) + PSDU[::-1], SPIRIT_SEND], [(10, 19, True, PSDU[::-1], False)]),
        ([(bytes([0x01, 0xFF]) + bytes(5), bytes(2) + PSDU)], [(0, 9, False, PSDU, False)]),
    ],
)
def test_frames_of_a_spirit1(accesses, frames) -> None:
    assert frames == followed("spirit1", *accesses)


def test_a_spirit1_without_miso_shows_no_reception() -> None:
    assert [] == followed("spirit1", bytes([0x01, 0xFF]) + bytes(5), has_miso=False)


@pytest.mark.parametrize("lack", [{"mosi": None}, {"select": None}, {"word_bits": 16}])
def test_a_bus_that_lacks_one_of_three_is_refused(lack: dict[str, int | None]) -> None:
    lines = SpiLines(**({"clk": 0, "mosi": 1, "miso": 2, "select": 3} | lack))  # type: ignore[arg-type]
    with pytest.raises(EventError, match="needs words of 8 bits, MOSI and chip select"):
        spi_frames.frames([], decoder=LIBRARY.load("at86rf2xx"), samplerate_hz=Fraction(1), lines=lines, node="a")
