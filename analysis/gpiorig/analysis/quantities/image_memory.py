"""Bytes of the images that nodes run, in flash memory and in RAM."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantities.names import IMAGE, IMAGE_SUMS


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of an image in one memory.

    Parameters
    ----------
    total
        Of all: what is written to the flash memory, or what the linker places in RAM, without the heap.
    parts
        Of the functions and objects of each of `names.IMAGE_PARTS`; empty if the image does not name its source files.
    """

    total: int
    parts: Mapping[str, int]

    def part(self, name: str) -> int:
        """Bytes of a part, of a sum of parts, or of the image; raises `QuantityError` without source files."""
        if name == IMAGE:
            return self.total
        if not self.parts:
            raise QuantityError("the image does not name its source files; compile it with -g, and do not strip it.")
        return sum(self.parts.get(part, 0) for part in IMAGE_SUMS.get(name, (name,)))


@dataclass(frozen=True, slots=True)
class ImageMemory:
    """Bytes of an image in its memories; `heap_bytes`: RAM that it leaves to a heap, as far as a section shows it."""

    flash: Memory
    ram: Memory
    heap_bytes: int = 0


Images = Mapping[str, Callable[[], ImageMemory]]  # by node; a call reads the file, and raises `QuantityError`
