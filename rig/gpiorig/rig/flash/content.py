"""The bytes of an image that go to a flash memory, and those that were read from it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from gpiorig.rig.errors import FirmwareError, FlashError
from gpiorig.rig.experiments import elf

Part = tuple[int, bytes]

_ERASED = b"\xff"


@dataclass(frozen=True, slots=True)
class Content:
    """Parts of a flash memory by their addresses, in their order, none of them adjacent."""

    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """Bytes in all parts."""
        return sum(len(data) for _, data in self.parts)

    @property
    def sha256(self) -> str:
        """Of all parts, with 0xFF between them: `objcopy -O binary --gap-fill 0xff` makes the same bytes."""
        digest, end = hashlib.sha256(), self.parts[0][0]
        for address, data in self.parts:
            digest.update(_ERASED * (address - end))
            digest.update(data)
            end = address + len(data)
        return digest.hexdigest()

    def first_difference(self, read_back: Content) -> int | None:
        """The first address at which another content of the same addresses differs."""
        for (address, data), (_, read) in zip(self.parts, read_back.parts, strict=True):
            if data != read:
                equal = zip(data, read, strict=False)
                return address + next((at for at, (a, b) in enumerate(equal) if a != b), min(len(data), len(read)))
        return None

    def refuse_difference(self, read_back: Content, *, image: str) -> None:
        """Raise `FlashError` if what was read back is not what was written."""
        at = self.first_difference(read_back)
        if at is not None:
            raise FlashError(f"what was read back differs from {image} at 0x{at:x} first.")


def load(path: Path, flash: range) -> Content:
    """What an ELF image puts into the flash memory at these addresses.

    Raises
    ------
    FirmwareError
        It cannot be read, is not an ELF image, or has bytes for other addresses.
    """
    with elf.opened(path) as image:
        segments = [
            (segment["p_paddr"], segment.data()) for segment in image.iter_segments("PT_LOAD") if segment["p_filesz"]
        ]
    if not segments:
        raise FirmwareError(f"firmware {path}: nothing to flash. Give the ELF that the linker made.")
    for address, data in segments:
        if address not in flash or address + len(data) > flash.stop:
            raise FirmwareError(
                f"firmware {path}: {len(data)} bytes at 0x{address:x} are outside of the board's flash memory, "
                f"0x{flash.start:x} to 0x{flash.stop - 1:x}. Is it the image of another board?"
            )
    return _joined(sorted(segments), path)


def _joined(segments: list[Part], path: Path) -> Content:
    parts: list[Part] = []
    for address, data in segments:
        end = parts[-1][0] + len(parts[-1][1]) if parts else -1
        if address < end:
            raise FirmwareError(f"firmware {path}: two segments at 0x{address:x}. Give the ELF that the linker made.")
        if address == end:
            parts[-1] = (parts[-1][0], parts[-1][1] + data)
        else:
            parts.append((address, data))
    return Content(tuple(parts))
