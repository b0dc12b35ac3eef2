"""Bytes that an image has in flash memory and in RAM, of all and of its parts, from its ELF file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, partial
from importlib.resources import files
from pathlib import Path, PurePosixPath

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantities.image_memory import ImageMemory, Images, Memory
from gpiorig.analysis.quantities.names import IMAGE_PARTS
from gpiorig.capture import toml_text
from gpiorig.rig.errors import FirmwareError
from gpiorig.rig.experiments import elf, images
from gpiorig.rig.experiments.debug_info import DebugInfo

_SHF_ALLOC = 2
_NO_BYTES = "SHT_NOBITS"  # in the file
_HEAP = "heap"  # in the name of a section that has what is left of the RAM
_SIZED = ("STT_FUNC", "STT_OBJECT")


@dataclass(frozen=True, slots=True)
class _Section:
    """What a section of an image that is loaded takes."""

    size: int
    in_flash: bool
    in_ram: bool
    is_heap: bool


def of_images(paths: Mapping[str, Path], sha256: Mapping[str, str]) -> Images:
    """The images of nodes for quantities: each is read when it is asked for; `sha256` are those that they must have."""
    return {node: partial(_asked, path, sha256.get(node, "")) for node, path in paths.items()}


def _asked(path: Path, sha256: str) -> ImageMemory:
    try:
        if sha256 and images.sha256(path) != sha256:
            raise QuantityError(f"{path} is not the image that ran any more; give the ELF with the SHA-256 {sha256}.")
        return _of_state(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise QuantityError(f"firmware {path}: {error.strerror}.") from error
    except FirmwareError as error:
        raise QuantityError(str(error)) from error


@cache
def _of_state(path: Path, changed_ns: int) -> ImageMemory:
    return of(path)


def of(path: Path) -> ImageMemory:
    """The bytes of an image; raises `FirmwareError` if it cannot be read.

    In flash memory is what the file has of all sections that are loaded, as `size` counts text and data. In RAM are the
    sections of which the file has nothing, and those that are copied there: their segment is loaded at another address
    than that at which they are used. Parts are sums of the sizes of functions and objects: padding, constants without a
    name, and what has no source file are in none of them.
    """
    with elf.opened(path) as image:
        sections = {number: section for number, section in _sections(image)}
        flash_parts, ram_parts = Counter[str](), Counter[str]()
        for part, size, section in _sized(image, sections):
            flash_parts[part] += size * section.in_flash
            ram_parts[part] += size * section.in_ram
    in_ram = [section for section in sections.values() if section.in_ram]
    return ImageMemory(
        flash=Memory(sum(section.size for section in sections.values() if section.in_flash), flash_parts),
        ram=Memory(sum(section.size for section in in_ram if not section.is_heap), ram_parts),
        heap_bytes=sum(section.size for section in in_ram if section.is_heap),
    )


def _sections(image: ELFFile) -> Iterator[tuple[int, _Section]]:
    segments = [segment for segment in image.iter_segments() if segment["p_type"] == "PT_LOAD"]
    for number, section in enumerate(image.iter_sections()):
        if not section["sh_flags"] & _SHF_ALLOC or not section["sh_size"]:
            continue
        segment = next((segment for segment in segments if segment.section_in_segment(section)), None)
        is_copied = segment is not None and segment["p_vaddr"] != segment["p_paddr"]
        in_flash = section["sh_type"] != _NO_BYTES
        yield number, _Section(section["sh_size"], in_flash, is_copied or not in_flash, _HEAP in section.name)


def _sized(image: ELFFile, sections: Mapping[int, _Section]) -> Iterator[tuple[str, int, _Section]]:
    """The part of each function and object, its bytes and its section; of several names of one each counts once."""
    table, debug = image.get_section_by_name(".symtab"), DebugInfo(image)
    if not isinstance(table, SymbolTableSection) or not debug.there:
        return
    mask = ~1 if image["e_machine"] == "EM_ARM" else ~0  # the lowest bit of a function's address is not part of it
    addresses, file = set[int](), ""
    for symbol in table.iter_symbols():
        kind = symbol["st_info"]["type"]
        if kind == "STT_FILE":
            file = symbol.name
        is_function, section = kind == "STT_FUNC", sections.get(symbol["st_shndx"])
        address = symbol["st_value"] & mask if is_function else symbol["st_value"]
        if kind not in _SIZED or section is None or not symbol["st_size"] or address in addresses:
            continue
        addresses.add(address)
        path = debug.file_at(address) if is_function else debug.objects.get(address, "")
        if not path and symbol["st_info"]["bind"] == "STB_LOCAL":  # of a function
            path = debug.files_by_name.get(PurePosixPath(file).name, "")
        if part := part_of(path):
            yield part, symbol["st_size"], section


def part_of(path: str) -> str:
    """The part of an image that a source file belongs to; empty for none."""
    return next((part for part, patterns in _patterns().items() if _fits(path, patterns)), "")


def _fits(path: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(f"/{path}", pattern) for pattern in patterns)


@cache
def _patterns() -> Mapping[str, tuple[str, ...]]:
    text = (files("gpiorig.rig") / "experiments" / "image_parts.toml").read_text(encoding="utf-8")
    patterns = {str(part): tuple(map(str, of_part)) for part, of_part in toml_text.decode(text).items()}
    assert patterns.keys() == set(IMAGE_PARTS)
    return patterns
