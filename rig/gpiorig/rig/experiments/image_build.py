"""How an image was built: its compiler and options, as the image, the file next to it or the package states them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from gpiorig.rig import resources

FLAGS = "flags"  # firmware-gpio-probes/firmware.mk writes the command line there, before it compiles
_PRODUCER = re.compile(rb"GNU C\d*\+* \S+(?: \(\S+\))?(?: \d{8})?(?: \([^)]*\))? (-[^\0]+)\0")  # DW_AT_producer of GCC


@dataclass(frozen=True, slots=True)
class Build:
    """Compiler and options; empty where nothing states them."""

    compiler: str = ""
    flags: str = ""


def of(path: Path) -> Build:
    """The build of an image; empty for a file that is not an ELF image."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            comment, strings = (_content(elf, name) for name in (".comment", ".debug_str"))
    except (OSError, ELFError):
        return Build()
    compiler = ", ".join(dict.fromkeys(text.decode(errors="replace") for text in comment.split(b"\0") if text))
    return Build(compiler, _command_line(path) or _options(strings))


def _content(elf: ELFFile, name: str) -> bytes:
    section = elf.get_section_by_name(name)
    return section.data() if section is not None else b""


def _command_line(path: Path) -> str:
    """The command line of an image of ours: from the package, or from the file that its build has left."""
    if path.parent == resources.image_folder() and (manifest := resources.manifest().get(path.stem)):
        return str(manifest["flags"])
    flags = path.with_name(FLAGS)
    if not flags.is_file() or flags.stat().st_mtime_ns > path.stat().st_mtime_ns:
        return ""
    return flags.read_text(encoding="utf-8", errors="replace").strip()


def _options(strings: bytes) -> str:
    match = _PRODUCER.search(strings)
    return match[1].decode(errors="replace") if match else ""
