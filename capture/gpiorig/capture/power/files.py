"""Power traces by the content of their files."""

from __future__ import annotations

from pathlib import Path

from gpiorig.capture import formats
from gpiorig.capture.errors import FormatError
from gpiorig.capture.power import flocklab, jls, ppk2, rld, sr
from gpiorig.capture.power.channels import Named
from gpiorig.capture.power.trace import PowerTrace

READERS = {"flocklab": flocklab.read, "jls": jls.read, "ppk2": ppk2.read, "rld": rld.read, "sr": sr.read}


def read(path: Path, named: Named) -> PowerTrace:
    """Read a power trace.

    Raises
    ------
    FormatError
        The file has none, lacks what is named, or is damaged.
    """
    name = "flocklab" if _is_flocklab(path) else formats.recognise(path)
    if name not in READERS:
        raise FormatError(
            f"has no power trace that can be read (it is of the format {name})",
            where=path,
            remedy="give a .sr with analog channels, a .rld, a .ppk2 or its export, a .jls, or FlockLab's power CSV",
        )
    return READERS[name](path, named)


def _is_flocklab(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return flocklab.recognises(file.read(formats.HEAD_BYTES))
