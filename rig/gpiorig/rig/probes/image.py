"""What an ELF image tells of its hooks: symbols, the places that refer to them, link-time optimisation."""

from __future__ import annotations

import bisect
import dataclasses
import re
import struct
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

from gpiorig.rig.errors import FirmwareError
from gpiorig.rig.experiments import elf
from gpiorig.rig.experiments.debug_info import DebugInfo

MARKERS = ".debug_gpiorig"  # of GPIORIG_MARK (firmware-gpio-probes/include/gpiorig/probe.h)
_MARKER = "IH"  # address of the site, code of the event

# Types of relocations (AAELF32 5.6.1). A pointer in two instructions has two; the second, MOVT, is omitted, and so is
# what refers to no function or object: R_ARM_NONE, R_ARM_V4BX, and R_ARM_PREL31 of unwind tables.
_ARM_ABS32, _ARM_TARGET1 = 2, 38
_ARM_BRANCHES = {10, 30}  # R_ARM_THM_CALL, R_ARM_THM_JUMP24
_ARM_CALLS = {*_ARM_BRANCHES, 28, 29}  # R_ARM_CALL, R_ARM_JUMP24
_ARM_OMITTED = {0, 40, 42, 44, 48}
# CALL #address and BR #address, the word before the address (SLAU049F 3.4.2, 3.4.6).
_MSP430_CALLS = {0x12B0, 0x4030}
_SHF_ALLOC, _SHF_EXECINSTR = 2, 4
_CLONE = re.compile(r"(?P<name>.+?)\.(?:part|isra|constprop|cold|lto_priv|llvm)\b.*")


@dataclasses.dataclass(frozen=True, slots=True)
class Symbol:
    """A function, an object or a label of the image; `file` is the source file, as far as the symbols tell."""

    name: str
    address: int
    size: int
    section: int
    function: bool
    file: str

    @property
    def original(self) -> str:
        """The name in the source: the compiler's clones have suffixes."""
        match = _CLONE.fullmatch(self.name)
        return match["name"] if match else self.name


@dataclasses.dataclass(frozen=True, slots=True)
class Site:
    """A place in the image that refers to a symbol; `call` is false of a pointer."""

    symbol: str
    address: int
    place: Symbol | None
    call: bool
    file: str

    def __str__(self) -> str:
        where = self.place.name if self.place else f"address 0x{self.address:x}"
        return f"{'call' if self.call else 'pointer'} in {where}{f' ({_short(self.file)})' if self.file else ''}"


class Image:
    """An ELF image, linked with ``--emit-relocs``."""

    def __init__(self, path: Path) -> None:
        """Read it; raises `FirmwareError` if it is not an ELF image or has no symbols."""
        self.path = path
        with elf.opened(path) as image:
            self._read(image)

    def _read(self, image: ELFFile) -> None:
        self.machine: str = image["e_machine"]
        self._order = "<" if image.little_endian else ">"
        table = image.get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            raise FirmwareError(f"firmware {self.path}: it has no symbols. Check the ELF before it is stripped.")
        self._sections = {
            index: (section["sh_addr"], section.data() if section["sh_type"] != "SHT_NOBITS" else b"")
            for index, section in enumerate(image.iter_sections())
            if section["sh_flags"] & _SHF_ALLOC
        }
        self._code = tuple(
            range(section["sh_addr"], section["sh_addr"] + section["sh_size"])
            for section in image.iter_sections()
            if section["sh_flags"] & _SHF_EXECINSTR
        )
        self.section_names = tuple(section.name for section in image.iter_sections())
        self._table = list(_symbols(table))
        self.symbols = {symbol.name: symbol for symbol in self._table if symbol.name}
        self._relocations = [
            (section["sh_info"], relocation.entry, relocation.is_RELA())
            for section in image.iter_sections()
            if isinstance(section, RelocationSection) and section["sh_info"] in self._sections
            for relocation in section.iter_relocations()
        ]
        self._markers = b"".join(s.data() for s in image.iter_sections() if s.name == MARKERS)
        self._command_line = b"".join(s.data() for s in image.iter_sections() if s.name == ".GNU.command.line")
        self.debug = DebugInfo(image)

    @property
    def has_relocations(self) -> bool:
        """Whether the linker kept the relocations of what is loaded."""
        return bool(self._relocations)

    @property
    def has_markers(self) -> bool:
        """Whether the probe library recorded which events are emitted."""
        return bool(self._markers)

    @property
    def has_files(self) -> bool:
        """Whether debug information or symbols name source files."""
        return self.debug.there or any(symbol.file for symbol in self._table)

    @cached_property
    def emitted(self) -> dict[int, tuple[str, ...]]:
        """The event codes that are emitted, and the functions they are emitted in."""
        places: dict[int, list[str]] = {}
        for address, code in struct.iter_unpack(self._order + _MARKER, self._markers):
            # What the linker dropped has the address 0 (GNU ld) or a small one (LLVM's).
            if address and any(address in code for code in self._code):
                place = self.at(address & ~1 if self.machine == "EM_ARM" else address)
                places.setdefault(code, []).append(place.name if place else f"0x{address:x}")
        return {code: tuple(place) for code, place in places.items()}

    @cached_property
    def link_time_optimised(self) -> tuple[bool, str]:
        """Whether the linker generated the code, and what tells; what tells may be there without it being certain."""
        if any(name.startswith(".gnu.lto_") for name in self.section_names):
            return True, "sections .gnu.lto_* are in the image"
        code = {symbol.file for symbol in self._table if symbol.function and not symbol.name.endswith("_veneer")}
        if objects := sorted(name for name in code if name == "ld-temp.o" or ".ltrans" in name):
            return True, f"functions come from the linker's temporary object {objects[0]}"
        if producer := next((text for text in self.debug.producers if "-fltrans" in text or "GIMPLE" in text), None):
            return True, f"debug information states that code was generated at link time ({producer})"
        if any("-flto" in text for text in self.debug.producers) or b"-flto" in self._command_line:
            return False, "objects were compiled with -flto; whether the linker used it, nothing tells"
        return False, ""

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """Every place in what is loaded that refers to a function or an object by its start."""
        omitted = _ARM_OMITTED if self.machine == "EM_ARM" else {0}
        sites = []
        for section, entry, has_addend in self._relocations:
            if entry["r_info_type"] not in omitted:
                symbol = self._table[entry["r_info_sym"]]
                target = symbol.name or self._target(section, entry, symbol, has_addend=has_addend)
                sites += [self._site(target, section, entry)] if target else []
        return tuple(sites)

    def sites_of(self, name: str) -> tuple[Site, ...]:
        """Places that refer to a symbol, or to another name of the same address."""
        own = self.symbols.get(name)
        names = {name}
        if own is not None and own.size:
            names |= {
                other.name
                for other in self._table
                if (other.address, other.section) == (own.address, own.section) and other.size
            }
        return tuple(site for site in self.sites if site.symbol in names)

    def clones_of(self, name: str) -> tuple[Symbol, ...]:
        """Copies of a function that the compiler made for some of its callers."""
        return tuple(
            s for s in self._table if s.function and s.name != name and s.original == name and ".cold" not in s.name
        )

    def at(self, address: int) -> Symbol | None:
        """The function or object that contains an address; else the label before it."""
        starts, symbols = self._by_address
        for place in range(bisect.bisect_right(starts, address) - 1, -1, -1):
            symbol = symbols[place]
            if address < symbol.address + symbol.size or not symbol.size:
                return symbol
        return None

    @cached_property
    def _by_address(self) -> tuple[list[int], list[Symbol]]:
        # Of those that begin at one address the one with a size is asked first.
        placed = sorted(
            (s for s in self._table if s.name and s.section in self._sections), key=lambda s: (s.address, s.size)
        )
        return [symbol.address for symbol in placed], placed

    def _site(self, target: str, section: int, entry: Any) -> Site:
        address = entry["r_offset"]
        place = self.at(address)
        file = self.debug.file_at(address) or (place.file if place else "")
        if self.machine == "EM_ARM":
            call = entry["r_info_type"] in _ARM_CALLS
        else:
            call = self._word(section, address - 2, "H") in _MSP430_CALLS
        return Site(target, address, place, call, file)

    def _word(self, section: int, address: int, form: str) -> int:
        """A number in a section, -1 outside of it."""
        start, data = self._sections[section]
        inside = 0 <= address - start <= len(data) - struct.calcsize(form)
        return int(struct.unpack_from(self._order + form, data, address - start)[0]) if inside else -1

    def _target(self, section: int, entry: Any, symbol: Symbol, *, has_addend: bool) -> str:
        """What a relocation against a section means: the function or object that begins there."""
        if has_addend:
            address = symbol.address + entry["r_addend"]
        elif self.machine == "EM_ARM":
            address = self._arm_target(section, entry["r_offset"], entry["r_info_type"])
        else:
            return ""
        place = self.at(address)
        return place.name if place is not None and (place.address == address or not place.function) else ""

    def _arm_target(self, section: int, offset: int, kind: int) -> int:
        """Where a relocated word or branch of an ARM image goes; -1 if it is neither."""
        if kind in {_ARM_ABS32, _ARM_TARGET1}:
            address = self._word(section, offset, "I")
            place = self.at(address & ~1)
            return address & ~1 if place is not None and place.function else address
        if kind in _ARM_BRANCHES:
            return offset + 4 + thumb_branch(self._word(section, offset, "H"), self._word(section, offset + 2, "H"))
        return -1


def _short(path: str) -> str:
    """The end of a path, enough to find the file."""
    return str(PurePosixPath(*PurePosixPath(path).parts[-3:]))


def thumb_branch(first: int, second: int) -> int:
    """Distance that a Thumb-2 BL or B.W goes, from its address plus 4 (ARMv7-M ARM, A7.7.12 B T4 and A7.7.18 BL T1)."""
    sign, j1, j2 = first >> 10 & 1, second >> 13 & 1, second >> 11 & 1
    i1, i2 = 1 ^ j1 ^ sign, 1 ^ j2 ^ sign
    distance = i1 << 23 | i2 << 22 | (first & 0x3FF) << 12 | (second & 0x7FF) << 1
    return distance - (sign << 24)


def _symbols(table: SymbolTableSection) -> Iterator[Symbol]:
    """All entries, so that their places in the list are the table's; entries other than labels have no name."""
    file = ""
    for entry in table.iter_symbols():
        kind, section = entry["st_info"]["type"], entry["st_shndx"]
        if kind == "STT_FILE":
            file = entry.name
        local = entry["st_info"]["bind"] == "STB_LOCAL"
        label = kind in {"STT_FUNC", "STT_OBJECT", "STT_NOTYPE"} and not entry.name.startswith("$")
        address = entry["st_value"]
        yield Symbol(
            name=entry.name if label else "",
            address=address & ~1 if kind == "STT_FUNC" and table.elffile["e_machine"] == "EM_ARM" else address,
            size=entry["st_size"],
            section=section if isinstance(section, int) else -1,
            function=kind == "STT_FUNC",
            file=file if local else "",
        )
