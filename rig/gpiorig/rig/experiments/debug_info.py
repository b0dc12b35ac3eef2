"""What an image's DWARF information tells: source files, compilers, inlined copies of functions."""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from elftools.dwarf.ranges import RangeEntry
from elftools.elf.elffile import ELFFile

_OP_ADDRESS = 3  # DW_OP_addr (DWARF 5, 7.7.1)


class DebugInfo:
    """The compile units of an image, if it was compiled with ``-g``."""

    def __init__(self, elf: ELFFile) -> None:
        info = elf.get_section_by_name(".debug_info")
        # pyelftools 0.33 knows addresses of 4 and 8 bytes; those of an MSP430 have 2.
        self.there = info is not None and _address_size(info.data(), little=elf.little_endian) in {4, 8}
        self.producers: tuple[str, ...] = ()
        self._units: list[Any] = []
        self._spans: list[tuple[int, int, Any]] = []  # begin, end, compile unit
        self._names: dict[int, str] = {}
        self._inlined: dict[int, dict[str, list[str]]] = {}
        if self.there:
            # The relocations of a linked image have been carried out; the linker only kept them.
            self._read(elf.get_dwarf_info(relocate_dwarf_sections=False, follow_links=False))

    def _read(self, dwarf: Any) -> None:
        producers = []
        for unit in dwarf.iter_CUs():
            top = unit.get_top_DIE()
            self._units.append(unit)
            self._names[unit.cu_offset] = str(PurePosixPath(_text(top, "DW_AT_comp_dir"), _text(top, "DW_AT_name")))
            producers.append(_text(top, "DW_AT_producer"))
            self._spans += [(begin, end, unit) for begin, end in _ranges(dwarf, unit, top) if end > begin > 0]
        self.producers = tuple(dict.fromkeys(producers))
        self._spans.sort(key=lambda span: span[0])

    def file_at(self, address: int) -> str:
        """Path of the source file that the code at an address was compiled from; empty if unknown."""
        unit = self._unit_at(address)
        return self._names[unit.cu_offset] if unit is not None else ""

    @cached_property
    def objects(self) -> dict[int, str]:
        """Path of the source file of each variable of the files, and of each constant, by its address."""
        by_address: dict[int, str] = {}
        for unit in self._units:
            for entry in unit.get_top_DIE().iter_children():
                address = _fixed_address(entry) if entry.tag == "DW_TAG_variable" else None
                if address is not None:
                    by_address[address] = self._names[unit.cu_offset]
        return by_address

    @cached_property
    def files_by_name(self) -> dict[str, str]:
        """Paths of the source files by their names, of those that have a name of their own."""
        paths = defaultdict[str, set[str]](set)
        for path in self._names.values():
            paths[PurePosixPath(path).name].add(path)
        return {name: next(iter(of_name)) for name, of_name in paths.items() if len(of_name) == 1}

    def inlined(self, name: str, *, address: int) -> tuple[str, ...]:
        """Functions with an inlined copy of the function `name`, which is defined at `address`.

        Only its own compile unit is looked at: without link-time optimisation no other can inline it.
        """
        unit = self._unit_at(address)
        if unit is None:
            return ()
        if unit.cu_offset not in self._inlined:
            inlined = self._inlined.setdefault(unit.cu_offset, {})
            for copy, function in _inlined_copies(unit.get_top_DIE(), ""):
                inlined.setdefault(copy, []).append(function)
        return tuple(dict.fromkeys(self._inlined[unit.cu_offset].get(name, ())))

    def _unit_at(self, address: int) -> Any:
        place = bisect.bisect_right(self._spans, address, key=lambda span: span[0]) - 1
        return self._spans[place][2] if place >= 0 and address < self._spans[place][1] else None


def _address_size(info: bytes, *, little: bool) -> int:
    """Of the first compile unit (DWARF 5, 7.5.1.1; before version 5 the size stood last)."""
    if len(info) < 12:
        return 0
    version = int.from_bytes(info[4:6], "little" if little else "big")
    return info[7] if version >= 5 else info[10]


def _fixed_address(entry: Any) -> int | None:
    """Where a variable is, if that is an address: DW_OP_addr and nothing else (DWARF 5, 2.5.1.1)."""
    location = entry.attributes["DW_AT_location"].value if "DW_AT_location" in entry.attributes else None
    if not isinstance(location, list) or len(location) != 1 + entry.cu["address_size"] or location[0] != _OP_ADDRESS:
        return None
    return int.from_bytes(bytes(location[1:]), "little" if entry.cu.structs.little_endian else "big")


def _text(entry: Any, name: str) -> str:
    value = entry.attributes[name].value if name in entry.attributes else b""
    return value.decode(errors="replace") if isinstance(value, bytes) else ""


def _ranges(dwarf: Any, unit: Any, top: Any) -> Iterator[tuple[int, int]]:
    """Addresses of a compile unit's code, first and one past the last."""
    attributes = top.attributes
    base = attributes["DW_AT_low_pc"].value if "DW_AT_low_pc" in attributes else 0
    if "DW_AT_ranges" in attributes:
        for entry in dwarf.range_lists().get_range_list_at_offset(attributes["DW_AT_ranges"].value, cu=unit):
            if isinstance(entry, RangeEntry):
                offset = 0 if entry.is_absolute else base
                yield entry.begin_offset + offset, entry.end_offset + offset
            else:
                base = entry.base_address
    elif "DW_AT_high_pc" in attributes:
        high = attributes["DW_AT_high_pc"]
        yield base, high.value if high.form == "DW_FORM_addr" else base + high.value


def _inlined_copies(entry: Any, function: str) -> Iterator[tuple[str, str]]:
    """Name of every inlined function below an entry, and the function it is inlined into."""
    for child in entry.iter_children():
        inner = function
        if child.tag == "DW_TAG_subprogram":
            inner = _name(child)
        elif child.tag == "DW_TAG_inlined_subroutine":
            yield _name(child), function
        if child.has_children:
            yield from _inlined_copies(child, inner)


def _name(entry: Any) -> str:
    """The name of a function, which may be in the entry that this one is an instance of."""
    while "DW_AT_name" not in entry.attributes:
        link = next((key for key in ("DW_AT_abstract_origin", "DW_AT_specification") if key in entry.attributes), None)
        if link is None:
            return ""
        entry = entry.get_DIE_from_attribute(link)
    return _text(entry, "DW_AT_name")
