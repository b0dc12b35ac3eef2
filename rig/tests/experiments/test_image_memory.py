"""Bytes of images in flash memory and RAM, against binutils, which read the same ELF files with code of their own."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantities.names import parse
from gpiorig.analysis.quantities.node_numbers import image_bytes
from gpiorig.rig.experiments import image_memory, images

BOARDS = ("iotlab-m3", "nucleo-l476rg", "telosb")
needs_size = pytest.mark.skipif(shutil.which("size") is None, reason="needs size (binutils)")
needs_nm = pytest.mark.skipif(shutil.which("arm-none-eabi-nm") is None, reason="needs arm-none-eabi-nm")


@needs_size
@pytest.mark.parametrize("board", BOARDS)
def test_totals_are_those_of_size(board: str) -> None:
    """ROM is text and data, RAM is data and bss."""
    path = images.reference_image(board)
    printed = subprocess.run(["size", path], capture_output=True, text=True, check=True).stdout
    text, data, bss = map(int, printed.splitlines()[1].split()[:3])
    memory = image_memory.of(path)
    assert (text + data, data + bss, 0) == (memory.flash.total, memory.ram.total, memory.heap_bytes)


@needs_nm
def test_parts_are_those_of_the_lines_that_nm_finds() -> None:
    """Sizes of symbols by the source file of their line, as the debug information has it for binutils."""
    path = images.reference_image("iotlab-m3")
    printed = subprocess.run(["arm-none-eabi-nm", "-S", "-l", path], capture_output=True, text=True, check=True).stdout
    flash, ram = Counter[str](), Counter[str]()
    for symbol in {line.split()[0]: line.split() for line in printed.splitlines()}.values():
        if len(symbol) == 5:  # address, size, kind, name, file and line
            file = symbol[4].rpartition(":")[0].replace(".h", ".c")  # of some objects that of the declaration
            part = image_memory.part_of(file)
            flash[part] += int(symbol[1], 16) * (symbol[2] not in "bB")
            ram[part] += int(symbol[1], 16) * (symbol[2] in "bBdD")
    memory = image_memory.of(path)
    for part in ("udp", "ipv6", "sixlowpan", "mac", "driver"):
        assert (part, flash[part], ram[part]) == (part, memory.flash.part(part), memory.ram.part(part))
    assert memory.flash.part("network") == memory.flash.part("ipv6") + memory.flash.part("sixlowpan")


def test_an_image_that_changed_is_not_the_one_that_ran(tmp_path: Path) -> None:
    """Nor is one without debug information of any part."""
    path = tmp_path / "a.elf"
    path.write_bytes(images.reference_image("telosb").read_bytes())
    ran = image_memory.of_images({"a": path}, {"a": images.sha256(path)})
    assert 41_000 < image_bytes(parse("rom of image"), ran)[0].values[0] < 1 << 17
    with pytest.raises(QuantityError, match="does not name its source files"):
        image_bytes(parse("ram of udp at a"), ran)
    with pytest.raises(QuantityError, match="the image of b is not known"):
        image_bytes(parse("ram of image at b"), ran)
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(QuantityError, match="is not the image that ran any more"):
        image_bytes(parse("rom of image"), ran)
    path.unlink()
    with pytest.raises(QuantityError, match="No such file"):
        image_bytes(parse("rom of image"), ran)
