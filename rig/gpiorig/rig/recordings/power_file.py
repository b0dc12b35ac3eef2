"""Power traces as a command line names them: which file has the power of a node, and how it is aligned."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gpiorig.rig.errors import RigError

KEYS = ("amperes", "volts", "node", "pin", "load")
FORM = "NODE=FILE,pin=PIN:CHANNEL"


@dataclass(frozen=True, slots=True)
class PowerFile:
    """A power trace as the command line names it.

    Attributes
    ----------
    node
        The node whose power it is.
    path
        The file.
    settings
        Values of some of `KEYS`.
    """

    node: str
    path: Path
    settings: dict[str, str]


def power_file(text: str) -> PowerFile:
    """Parse a value of `--power`.

    Raises
    ------
    RigError
        It is not of the form; the message states what is wrong.
    """
    place, *parts = text.split(",")
    node, equals, path = place.partition("=")
    settings = dict(part.split("=", 1) for part in parts if "=" in part)
    if not (node and equals and path) or len(settings) < len(parts):
        raise RigError(f"--power {text}: write it like `{FORM}`.")
    if unknown := settings.keys() - set(KEYS):
        raise RigError(f"--power {text}: no key {min(unknown)!r}; there are {', '.join(KEYS)}.")
    if ("pin" in settings) == ("load" in settings):
        raise RigError(f"--power {text}: give pin=PIN:CHANNEL or load=CHANNEL: the two clocks need instants in common.")
    return PowerFile(node, Path(path), settings)
