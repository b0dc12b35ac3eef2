"""Power traces by the content of their files."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from pathlib import Path

from gpiorig.capture import formats
from gpiorig.capture.errors import FormatError
from gpiorig.capture.power import flocklab
from gpiorig.capture.power.channels import Named
from gpiorig.capture.power.trace import PowerTrace


def read(path: Path, named: Named) -> PowerTrace:
    """Read a power trace.

    Raises
    ------
    FormatError
        The file has none, lacks what is named, or is damaged.
    """
    name = "flocklab" if _is_flocklab(path) else formats.recognise(path)
    module = f"{__package__}.{name}"
    if find_spec(module) is None:  # a format of edges has its power read by the module of its name in this room
        raise FormatError(
            f"has no power trace that can be read (it is of the format {name})",
            where=path,
            remedy="give a .sr with analog channels, a .rld, a .ppk2 or its export, a .jls, or FlockLab's power CSV",
        )
    trace: PowerTrace = importlib.import_module(module).read(path, named)
    return trace


def _is_flocklab(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return flocklab.recognises(file.read(formats.HEAD_BYTES))
