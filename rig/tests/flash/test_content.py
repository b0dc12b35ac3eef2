"""The bytes that an image puts into a flash memory."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from msp430image import FLASH, VECTORS, elf

from gpiorig.rig.errors import FirmwareError
from gpiorig.rig.flash.content import Content, load

F1611 = range(0x4000, 0x10000)


def test_the_sum_is_that_of_objcopys_output(tick: Path, tmp_path: Path) -> None:
    """An image with a gap between vectors and code: the bytes that objcopy writes, with 0xFF in the gap."""
    binary = tmp_path / "tick.bin"
    subprocess.run(["arm-none-eabi-objcopy", "-O", "binary", "--gap-fill", "0xff", tick, binary], check=True)

    content = load(tick, range(0x0800_0000, 0x0808_0000))

    assert hashlib.sha256(binary.read_bytes()).hexdigest() == content.sha256
    assert 2 == len(content.parts)
    assert content.size < binary.stat().st_size


def test_segments_that_touch_are_one_part(tmp_path: Path) -> None:
    """As code and the initial values of data are, whatever their order in the file."""
    image = tmp_path / "node.elf"
    image.write_bytes(elf({VECTORS: b"vv", FLASH + 2: b"cd", FLASH: b"ab"}))

    assert ((FLASH, b"abcd"), (VECTORS, b"vv")) == load(image, F1611).parts


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not an ELF image"),
        (elf({}), "nothing to flash"),
        (elf({0x3FFF: b"ab"}), "2 bytes at 0x3fff are outside of the board's flash memory, 0x4000 to 0xffff"),
        (elf({0xFFFF: b"ab"}), "2 bytes at 0xffff are outside"),
        (elf({FLASH: b"abcd", FLASH + 2: b"ef"}), "two segments at 0x4002"),
    ],
)
def test_images_that_cannot_be(tmp_path: Path, data: bytes, message: str) -> None:
    """They are refused with the file, before a board is touched."""
    image = tmp_path / "node.elf"
    image.write_bytes(data)

    with pytest.raises(FirmwareError, match=rf"{image}: {message}"):
        load(image, F1611)


def test_the_first_difference() -> None:
    """Its address, in the second part; a part that is cut differs where it ends."""
    wanted = Content(((0, b"abc"), (16, b"def")))

    assert wanted.first_difference(wanted) is None
    assert 17 == wanted.first_difference(Content(((0, b"abc"), (16, b"dxf"))))
    assert 18 == wanted.first_difference(Content(((0, b"abc"), (16, b"de"))))
